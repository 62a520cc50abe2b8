/**
 * The regulatory export (SORM): fields an operator adds to subscribers become columns of reports (specification 2.7, 4.7).
 */
export type SormAttribute = {
  readonly id: number
  readonly name: string
  readonly isSorm: boolean
  /** Column of the report; '' when nobody has given it one. */
  readonly fieldCode: string
  readonly reportTypes: readonly string[]
  readonly isRequired: boolean
}

/** Reports the builder knows. Attributes may name others: they are kept, and no report is built of them. */
const sormReportTypes = ['ABONENT', 'ABONENT_LEGAL', 'ABONENT_IDENT'] as const
type SormReportType = (typeof sormReportTypes)[number]

const fieldCodePattern = /^[a-z][a-z0-9_]*$/

/** `ABONENT, ABONENT_LEGAL` as kept; empty parts and repeats are left out. */
export const readReportTypes = (text: string): string[] => [
  ...new Set(text.split(',').flatMap((part) => part.trim() || [])),
]

/** Fields of the subscriber itself; an attribute of this code is filled from there when it has no value of its own. */
const subscriberFields = ['passport_series_number', 'birth_date'] as const
type SubscriberField = (typeof subscriberFields)[number]

const isSubscriberField = (code: string): code is SubscriberField => subscriberFields.some((field) => field === code)

/** Whom a column is asked of: a field of people is not missed in a company, nor a field of companies in a person. */
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

/** What is wrong with the attributes themselves, those of one attribute first. */
export function metaIssues(attributes: readonly SormAttribute[]): MetaIssue[] {
  const exported = attributes.filter(({ isSorm }) => isSorm)
  return [...exported.flatMap(codeIssue), ...duplicates(exported)]
}

function codeIssue({ id, name, fieldCode }: SormAttribute): MetaIssue[] {
  if (fieldCodePattern.test(fieldCode)) return []
  const of = { attribute_id: id, attribute_name: name }
  return fieldCode === ''
    ? [{ kind: 'missing_field_code', message: `Attribute "${name}" has no field code.`, ...of }]
    : [
        {
          kind: 'invalid_field_code',
          message: `The field code "${fieldCode}" of attribute "${name}" must begin with a letter and hold only a-z, 0-9 and _.`,
          ...of,
        },
      ]
}

function duplicates(attributes: readonly SormAttribute[]): MetaIssue[] {
  const sharing = new Map<string, { reportType: string; fieldCode: string; attributes: SormAttribute[] }>()
  for (const attribute of attributes) {
    const { fieldCode, reportTypes } = attribute
    for (const reportType of fieldCode === '' ? [] : reportTypes) {
      const place = JSON.stringify([reportType, fieldCode])
      const shared = sharing.get(place) ?? { reportType, fieldCode, attributes: [] }
      shared.attributes.push(attribute)
      sharing.set(place, shared)
    }
  }
  return [...sharing.values()].flatMap(({ reportType, fieldCode, attributes: found }): MetaIssue[] => {
    if (found.length < 2) return []
    const names = found.map(({ name }) => name)
    return [
      {
        kind: 'duplicate_field_code',
        message: `Attributes ${names.map((name) => `"${name}"`).join(', ')} have the same field code "${fieldCode}" in report ${reportType}.`,
        report_type: reportType,
        sorm_field_code: fieldCode,
        attribute_ids: found.map(({ id }) => id),
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

/** In the order of the attributes. Without a code there is nothing to miss yet: that is a meta issue. */
export const requiredFields = (attributes: readonly SormAttribute[]): RequiredField[] =>
  attributes.flatMap((attribute) => {
    const { isSorm, isRequired, fieldCode, reportTypes } = attribute
    if (!isSorm || !isRequired || fieldCode === '') return []
    return reportTypes.map((reportType) => ({ attribute, reportType, audience: audienceOf(reportType, fieldCode) }))
  })

export type SormReportFault = 'unsupportedReportType' | 'noAttributes' | 'emptyCode'

/** A report cannot be built of the attributes (specification section 7 case 8); the export falls back to the legacy query. */
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
  /** Only companies are in it. */
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
