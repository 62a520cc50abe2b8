import Type from 'typebox'
import { isOfSourceSql } from '../../../billing/accounts/operation-source.ts'
import { readId } from '../../../domain/ids.ts'
import { type OperationSource, operationSources } from '../../../domain/operation-source.ts'
import type { ParameterDoc } from '../../../platform/http/route-doc.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { ListFilters, periodParameters } from '../list-filters.ts'

/** Which rows of finance_operations: conditions over the alias `operation`, and their values. */
export class OperationFilters extends ListFilters {
  /** A condition that no index supports, so that all rows of the period must be read to apply it. */
  needsScan = false
}

export type Wrong = { readonly wrong: string }

export const isWrong = (value: object): value is Wrong => 'wrong' in value

const searchedMax = 200
const typesMax = 100

/** The filters of the list, of PayLog and of the downloads. Empty parameters are left out, as forms send them. */
export function readFilters(
  query: URLSearchParams,
  visible: VisibleOrganizations,
  { onlyDocuments = false, inText = true } = {},
): OperationFilters | Wrong {
  const filters = new OperationFilters(query)
  if (visible !== null) filters.where(visibleSql('operation.organization_id', filters.place(visible)))
  // Service operations stay out of reports (contract section 5, Jobs).
  if (onlyDocuments) filters.where('operation.isbuhdoc')
  const wrong =
    filters.whereId('abonent_id', 'operation.abonent_id') ?? filters.whereId('account_id', 'operation.account_id')
  if (wrong !== null) return { wrong }
  const sentTypes = filters.sent('op_type')
  if (sentTypes) {
    const types = sentTypes.split(',').map(readId)
    if (types.includes(null) || types.length > typesMax)
      return { wrong: 'op_type: It must be the id of a type, or several with commas between.' }
    filters.where(`operation.op_type_id = ANY(${filters.place(types)}::int8[])`)
  }
  const source = filters.sent('source')
  if (source) {
    if (!isSource(source)) return { wrong: `source: It must be one of ${operationSources.join(', ')}.` }
    filters.where(isOfSourceSql('operation', source))
    filters.needsScan = true
  }
  const wrongPeriod = filters.wherePeriod('operation.op_date')
  if (wrongPeriod !== null) return { wrong: wrongPeriod }
  return withSearch(filters, filters.sent('q').slice(0, searchedMax), inText)
}

const isSource = (name: string): name is OperationSource => (operationSources as readonly string[]).includes(name)

/**
 * Contract, name, text, number of the operation or its document, transaction. Wildcards of LIKE are escaped, because
 * the search text is not a pattern.
 */
function withSearch(filters: OperationFilters, searched: string, inText: boolean): OperationFilters | Wrong {
  if (searched === '') return filters
  if (searched.includes('\0')) return { wrong: 'q: It must be text.' }
  const text = filters.place(searched)
  const pattern = `lower(${filters.place(`%${searched.replace(/[\\%_]/g, '\\$&')}%`)})`
  const id = readId(searched)
  const ways = [
    `operation.abonent_id IN (SELECT id FROM abonents WHERE lower(name) LIKE ${pattern} OR lower(contract_number) LIKE ${pattern})`,
    ...['number', 'txn', 'operator_pay_id_str'].map((column) => `operation.${column} = ${text}`),
    ...(id === null ? [] : [`operation.op_id = ${filters.place(id)}::int8`]),
    ...(inText ? [textHolds(searched, text, pattern)] : []),
  ]
  filters.where(`(${ways.join(' OR ')})`)
  filters.needsScan = true
  return filters
}

/**
 * Converting a million texts to lower case takes longer than everything else, and a search text without letters does
 * not need it.
 */
const textHolds = (searched: string, text: string, pattern: string): string =>
  searched.toLowerCase() === searched.toUpperCase()
    ? `strpos(operation.descr, ${text}) > 0`
    : `lower(operation.descr) LIKE ${pattern}`

export const filterParameters = {
  q: { doc: 'Part of contract number, name or text; number of operation or document, or transaction' },
  op_type: { doc: 'Type, or several with commas between' },
  source: { doc: 'Where it came from', schema: Type.Enum(operationSources) },
  ...periodParameters,
  abonent_id: { doc: 'Subscriber', schema: Type.Integer() },
  account_id: { doc: 'Personal account', schema: Type.Integer() },
} as const satisfies Readonly<Record<string, ParameterDoc>>
