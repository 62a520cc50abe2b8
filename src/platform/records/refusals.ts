/** Texts by outside field name, as DRF writes them. */
export type FieldErrors = Record<string, string[]>

/** What is wrong with a field, for programs and for our own pages, which say it in their languages. */
export const fieldFaults = [
  'required',
  'wrong',
  'missing',
  'taken',
  'fixed',
  'not_address',
  'not_network',
  'not_mac',
  'not_number',
  'out_of_range',
  'too_long',
] as const
export type FieldFault = (typeof fieldFaults)[number]
export type FieldFaults = Readonly<Record<string, FieldFault>>

/** A request that is answered with no. `errors` become the body of a 400; a `detail` that of any other status. */
export type Refusal =
  | {
      readonly kind: 'refused'
      readonly status: 400
      readonly errors: FieldErrors
      /** By the names of `errors`; a field that is not there is `wrong`. */
      readonly codes?: FieldFaults
    }
  | {
      readonly kind: 'refused'
      readonly status: 400 | 403 | 404 | 409 | 415
      readonly detail: string
      /** The same for programs, where there is a word for it. */
      readonly code?: string
      /** Members of the answer beside the sentence, where an interface has such. */
      readonly more?: Readonly<Record<string, unknown>>
    }

export const wrongFields = (errors: FieldErrors, codes: FieldFaults = {}): Refusal => ({
  kind: 'refused',
  status: 400,
  errors,
  codes,
})
export const wrongField = (name: string, text: string, code: FieldFault = 'wrong'): Refusal =>
  wrongFields({ [name]: [text] }, { [name]: code })
export const wrongRequest = (...texts: string[]): Refusal => wrongFields({ non_field_errors: texts })
export const notFound: Refusal = { kind: 'refused', status: 404, detail: 'Not found.' }
/** A whole write that is refused in one sentence. */
export const refusedWrite = (detail: string, status: 400 | 403, code: string): Refusal => ({
  kind: 'refused',
  status,
  detail,
  code,
})
export const conflict = (detail: string): Refusal => ({ kind: 'refused', status: 409, detail })

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refused'

/** All of it in one line, for answers of another shape. */
export const refusalSentence = (refusal: Refusal): string =>
  'errors' in refusal
    ? Object.entries(refusal.errors)
        .flatMap(([name, texts]) => texts.map((text) => (name === 'non_field_errors' ? text : `${name}: ${text}`)))
        .join(' ')
    : refusal.detail

/** The words of DRF that programs compare. */
export const drf = {
  required: 'This field is required.',
  noData: 'No data provided',
  null: 'This field may not be null.',
  blank: 'This field may not be blank.',
  string: 'Not a valid string.',
  noNul: 'Null characters are not allowed.',
  boolean: 'Must be a valid boolean.',
  integer: 'A valid integer is required.',
  number: 'A valid number is required.',
  tooLong: 'String value too large.',
  date: 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.',
  datetime:
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  ip: 'Enter a valid IPv4 or IPv6 address.',
  network: 'Enter a valid network, for example 10.0.0.0/24.',
  mac: 'Enter a valid MAC address.',
  choice: (sent: string) => `"${sent}" is not a valid choice.`,
  places: (max: number) => `Ensure that there are no more than ${max} decimal places.`,
  most: (max: number | bigint) => `Ensure this value is less than or equal to ${max}.`,
  least: (min: number | bigint) => `Ensure this value is greater than or equal to ${min}.`,
  longest: (max: number) => `Ensure this field has no more than ${max} characters.`,
  shortest: (min: number) => `Ensure this field has at least ${min} characters.`,
  missingRow: (pk: unknown) => `Invalid pk "${pk}" - object does not exist.`,
  notAKey: (type: string) => `Incorrect type. Expected pk value, received ${type}.`,
  notAnObject: (type: string) => `Invalid data. Expected a dictionary, but got ${type}.`,
  notAList: (type: string) => `Expected a list of items but got type "${type}".`,
  taken: (model: string, field: string) => `${model} with this ${field} already exists.`,
} as const

/** What Python calls the type of a JSON value: part of DRF's texts. */
export function pythonType(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return pythonTypes[typeof value] ?? 'dict'
}

const pythonTypes: Readonly<Record<string, string>> = { string: 'str', boolean: 'bool', bigint: 'int' }
