/**
 * The regulatory export (SORM): fields an operator adds to subscribers become columns of reports (specification 2.7,
 * 4.7).
 */
export type SormAttribute = {
  readonly id: number
  readonly name: string
  readonly isSorm: boolean
  /** The column of the report; empty when none has been set. */
  readonly fieldCode: string
  readonly reportTypes: readonly string[]
  readonly isRequired: boolean
}

/** The reports that can be built. Attributes may name other reports; those names are kept and ignored. */
const sormReportTypes = ['ABONENT', 'ABONENT_LEGAL', 'ABONENT_IDENT'] as const
type SormReportType = (typeof sormReportTypes)[number]

const fieldCodePattern = /^[a-z][a-z0-9_]*$/

/** Reads a stored list such as `ABONENT, ABONENT_LEGAL`, without empty parts and duplicates. */
export const readReportTypes = (text: string): string[] => [
  ...new Set(text.split(',').flatMap((part) => part.trim() || [])),
]

/**
 * Fields of the subscriber itself: an attribute with one of these codes takes its value from there when it has none of
 * its own.
 */
const subscriberFields = ['passport_series_number', 'birth_date'] as const
type SubscriberField = (typeof subscriberFields)[number]

/** The fields of a subscriber that hold personal documents. */
export const personalFields = [...subscriberFields, 'attributes'] as const

const isSubscriberField = (code: string): code is SubscriberField => subscriberFields.some((field) => field === code)

/**
 * Which subscribers need a value in a column: a field of people is not required of companies, and the other way round.
 */
type Audience = { readonly companies: boolean; readonly people: boolean }

const audienceOf = (reportType: string, fieldCode: string): Audience => ({
  companies: !isSubscriberField(fieldCode),
  people: reportType !== 'ABONENT_LEGAL',
})

export type MetaIssue =
  | {
      readonly kind: 'missing_field_code' | 'invalid_field_code'
      readonly message: string
      readonly attribute_id: number
      readonly attribute_name: string
    }
  | {
      readonly kind: 'duplicate_field_code'
      readonly message: string
      readonly report_type: string
      readonly sorm_field_code: string
      readonly attribute_ids: readonly number[]
      readonly attribute_names: readonly string[]
    }
  | { readonly kind: 'exception'; readonly message: string }

/** Problems of the attributes themselves: first those of single attributes, then duplicates. */
export function metaIssues(attributes: readonly SormAttribute[]): MetaIssue[] {
  const exported = attributes.filter(({ isSorm }) => isSorm)
  return [...exported.flatMap(codeIssue), ...duplicates(exported)]
}

function codeIssue({ id, name, fieldCode }: SormAttribute): MetaIssue[] {
  if (fieldCodePattern.test(fieldCode)) return []
  const of = { attribute_id: id, attribute_name: name }
  if (fieldCode === '')
    return [{ kind: 'missing_field_code', message: `Attribute "${name}" has no field code.`, ...of }]
  const message = `The field code "${fieldCode}" of attribute "${name}" must begin with a letter and hold only a-z, 0-9 and _.`
  return [{ kind: 'invalid_field_code', message, ...of }]
}

function duplicates(attributes: readonly SormAttribute[]): MetaIssue[] {
  const places = attributes.flatMap((attribute) => {
    const { fieldCode, reportTypes } = attribute
    return fieldCode === '' ? [] : reportTypes.map((reportType) => ({ reportType, fieldCode, attribute }))
  })
  const sharing = Map.groupBy(places, ({ reportType, fieldCode }) => JSON.stringify([reportType, fieldCode]))
  return [...sharing.values()].flatMap((shared): MetaIssue[] => {
    if (shared.length < 2) return []
    const { reportType, fieldCode } = shared[0]!
    const names = shared.map(({ attribute }) => attribute.name)
    const quoted = names.map((name) => `"${name}"`).join(', ')
    return [
      {
        kind: 'duplicate_field_code',
        message: `Attributes ${quoted} have the same field code "${fieldCode}" in report ${reportType}.`,
        report_type: reportType,
        sorm_field_code: fieldCode,
        attribute_ids: shared.map(({ attribute }) => attribute.id),
        attribute_names: names,
      },
    ]
  })
}

/** A value that a report needs of everybody in the audience. */
export type RequiredField = {
  readonly attribute: SormAttribute
  readonly reportType: string
  readonly audience: Audience
}

/**
 * The required fields, in the order of the attributes. An attribute without a code is reported by `metaIssues` instead.
 */
export const requiredFields = (attributes: readonly SormAttribute[]): RequiredField[] =>
  attributes.flatMap((attribute) => {
    const { isSorm, isRequired, fieldCode, reportTypes } = attribute
    if (!isSorm || !isRequired || fieldCode === '') return []
    return reportTypes.map((reportType) => ({ attribute, reportType, audience: audienceOf(reportType, fieldCode) }))
  })

export type SormReportFault = 'unsupportedReportType' | 'noAttributes' | 'emptyCode'

/**
 * A report cannot be built from the attributes (specification section 7 case 8); the export falls back to the legacy
 * query.
 */
export class SormReportBuilderError extends Error {
  readonly fault: SormReportFault

  constructor(fault: SormReportFault, message: string) {
    super(message)
    this.fault = fault
  }
}

type SormColumn = { readonly code: string; readonly attributeId: number; readonly audience: Audience }
export type SormReport = {
  readonly type: SormReportType
  readonly columns: readonly SormColumn[]
  /** Whether the report contains companies only. */
  readonly companiesOnly: boolean
}

/** The columns of a report, in the order of the attributes. Throws SormReportBuilderError. */
export function buildReport(type: string, attributes: readonly SormAttribute[]): SormReport {
  const known = sormReportTypes.find((name) => name === type)
  if (!known) throw new SormReportBuilderError('unsupportedReportType', `There is no report "${type}".`)
  const own = attributes.filter(({ isSorm, reportTypes }) => isSorm && reportTypes.includes(type))
  if (own.every(({ fieldCode }) => fieldCode === '')) {
    throw new SormReportBuilderError('noAttributes', `No attribute with a field code is in report ${type}.`)
  }
  const nameless = own.find(({ fieldCode }) => fieldCode === '')
  if (nameless) throw new SormReportBuilderError('emptyCode', `Attribute "${nameless.name}" has no field code.`)
  return {
    type: known,
    columns: own.map(({ id, fieldCode }) => ({
      code: fieldCode,
      attributeId: id,
      audience: audienceOf(type, fieldCode),
    })),
    companiesOnly: type === 'ABONENT_LEGAL',
  }
}
