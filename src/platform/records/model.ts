/** What a value is. Decides how it is read, stored, filtered, written out and documented. */
export type Kind =
  | 'integer'
  /** Stored units x 10^10; a JSON integer of any size up to 64 bits. */
  | 'money'
  /** Another integer of up to 64 bits. */
  | 'long'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'choice'
  | 'datetime'
  | 'date'
  | 'ip'
  | 'network'
  | 'mac'
  /** The key of a row of another model. Appears twice outside: under its name and with `_id`. */
  | 'relation'
  /** A list or an object; cannot be filtered. */
  | 'json'

/**
 * Who may write a field. readOnly: ignored on write. refused: naming it in a write is 400. createOnly: set by POST,
 * 400 afterwards. writeOnly: never returned and never filtered.
 */
export type Access = 'readWrite' | 'readOnly' | 'refused' | 'createOnly' | 'writeOnly'

export type Field = {
  readonly name: string
  readonly kind: Kind
  readonly doc: string
  readonly column: string
  readonly access: Access
  /** Must be named in a POST. */
  readonly required: boolean
  readonly nullable: boolean
  /** Bounds of the length of a text, of the value of a number. */
  readonly min?: number
  readonly max?: number
  /** Decimal places that are kept. */
  readonly places?: number
  readonly choices?: readonly string[]
  /** The model behind a relation; a filter path leads on through it. */
  readonly target?: () => Model
  /** Kept encrypted. */
  readonly sealed?: boolean
  /** Taken as sent, spaces included. */
  readonly verbatim?: boolean
  /** Not a column that SQL writes: a message to the account (contract section 1: one writer of access and money), or other rows. */
  readonly apart?: boolean
  /** The SQL of the value where it is not the column itself. */
  readonly sql?: (table: string) => string
  /** Reads a json value of a body; the others are read by their kind. */
  readonly read?: (value: unknown) => { value: unknown } | { wrong: string }
  /** JSON Schema of a json value, for the documentation. */
  readonly schema?: object
}

/** A row of another table that points here and keeps a record from being deleted. */
export type Use = {
  readonly table: string
  readonly column: string
  /** What is counted: `subscribers`. */
  readonly noun: string
  /** SQL that narrows the rows down. */
  readonly where?: string
}

/** Everything REST v2 knows about one model. Nothing that is not described here can be read, filtered or written. */
export type Model = {
  /** The outside name, as in /rest_api/v2/<name>/. */
  readonly name: string
  readonly table: string
  readonly key: string
  /** The name in sentences, as Django derives it: `admin accounts`. */
  readonly label: string
  /** AUDIT_OPERATIONS.table_name. */
  readonly audit: string
  readonly doc: string
  readonly fields: readonly Field[]
  /** A boolean field; its rows stay out of lists that do not filter by it. */
  readonly hiddenBy?: string
  /** row_counts knows how many rows a list without filters has. */
  readonly counted?: boolean
  readonly usedBy?: readonly Use[]
  /** RADIUS answers depend on this table: the access book follows before a write is answered. */
  readonly access?: boolean
}

type Options = Partial<Omit<Field, 'name' | 'kind' | 'doc'>>

const field = (kind: Kind, name: string, doc: string, options: Options = {}): Field => ({
  kind,
  name,
  doc,
  column: name,
  access: 'readWrite',
  required: false,
  nullable: false,
  ...options,
})

/** PostgreSQL int4 and int8. */
const int4Max = 2_147_483_647
/** Longer names than this do not fit any screen or document; DRF servers use 255 everywhere. */
const textMax = 255

export const key = (name = 'id', column = name): Field =>
  field('integer', name, 'Primary key.', { column, access: 'readOnly', max: Number.MAX_SAFE_INTEGER })
export const integer = (name: string, doc: string, options: Options = {}) =>
  field('integer', name, doc, { min: -int4Max - 1, max: int4Max, ...options })
export const money = (name: string, doc: string, options: Options = {}) => field('money', name, doc, options)
export const long = (name: string, doc: string, options: Options = {}) => field('long', name, doc, options)
export const decimal = (name: string, doc: string, options: Options = {}) =>
  field('decimal', name, doc, { places: 3, min: 0, max: 9_999_999, ...options })
export const boolean = (name: string, doc: string, options: Options = {}) => field('boolean', name, doc, options)
export const text = (name: string, doc: string, options: Options = {}) =>
  field('text', name, doc, { max: textMax, ...options })
export const longText = (name: string, doc: string, options: Options = {}) =>
  field('text', name, doc, { max: 10_000, nullable: true, ...options })
export const choice = (name: string, doc: string, choices: readonly string[], options: Options = {}) =>
  field('choice', name, doc, { choices, ...options })
export const datetime = (name: string, doc: string, options: Options = {}) => field('datetime', name, doc, options)
export const date = (name: string, doc: string, options: Options = {}) => field('date', name, doc, options)
export const ip = (name: string, doc: string, options: Options = {}) => field('ip', name, doc, options)
export const network = (name: string, doc: string, options: Options = {}) => field('network', name, doc, options)
export const mac = (name: string, doc: string, options: Options = {}) => field('mac', name, doc, options)
export const relation = (name: string, doc: string, target: () => Model, options: Options = {}) =>
  field('relation', name, doc, { column: `${name}_id`, target, ...options })
export const json = (name: string, doc: string, options: Options = {}) => field('json', name, doc, options)

export const readOnly = { access: 'readOnly' } as const satisfies Options
export const optional = { nullable: true } as const satisfies Options
export const required = { required: true } as const satisfies Options

export const isReadable = ({ access }: Field): boolean => access !== 'writeOnly'
export const isFilterable = ({ access, kind }: Field): boolean => access !== 'writeOnly' && kind !== 'json'
export const isWritable = ({ access }: Field): boolean => access !== 'readOnly' && access !== 'refused'

/** The field of an outside name; a relation also answers to its name with `_id`, the key to `pk`. */
export function fieldNamed(model: Model, name: string): Field | undefined {
  const names = namesOf(model)
  return names.get(name)
}

const namesByModel = new WeakMap<Model, ReadonlyMap<string, Field>>()

function namesOf(model: Model): ReadonlyMap<string, Field> {
  const known = namesByModel.get(model)
  if (known) return known
  const names = new Map<string, Field>()
  for (const described of model.fields) {
    names.set(described.name, described)
    if (described.kind === 'relation') names.set(`${described.name}_id`, described)
  }
  const keyField = model.fields.find(({ column }) => column === model.key)
  if (keyField) names.set('pk', keyField)
  namesByModel.set(model, names)
  return names
}

/** The SQL of a field's value in a row of `table`. */
export const valueSql = (described: Field, table: string): string =>
  described.sql ? described.sql(table) : `${table}.${quoted(described.column)}`

export const quoted = (column: string): string => `"${column}"`
