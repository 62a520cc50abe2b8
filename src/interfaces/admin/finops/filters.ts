import Type from 'typebox'
import { isOfSourceSql } from '../../../billing/accounts/operation-source.ts'
import { readId } from '../../../domain/ids.ts'
import { readDate, readMoment } from '../../../domain/iso-dates.ts'
import { type OperationSource, operationSources } from '../../../domain/operation-source.ts'
import type { ParameterDoc } from '../../../platform/http/route-doc.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'

/** Which rows of finance_operations, as SQL over the alias `operation`, and its parameters. */
export class Rows {
  readonly values: unknown[] = []
  readonly #conditions: string[] = []
  /** A condition that no index supports, so that all rows of the period must be read to apply it. */
  isSought = false

  /** Adds a parameter and answers its name. */
  at(value: unknown): `$${number}` {
    return `$${this.values.push(value)}`
  }

  /** Narrows the rows down. */
  where(condition: string): void {
    this.#conditions.push(condition)
  }

  get conditions(): string {
    return this.#conditions.length > 0 ? this.#conditions.join(' AND ') : 'true'
  }
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
): Rows | Wrong {
  const rows = new Rows()
  const sent = (name: string) => query.get(name)?.trim() ?? ''
  if (visible !== null) rows.where(visibleSql('operation.organization_id', rows.at(visible)))
  // Service operations stay out of reports (contract section 5, Jobs).
  if (onlyDocuments) rows.where('operation.isbuhdoc')
  for (const name of ['abonent_id', 'account_id'] as const) {
    if (!sent(name)) continue
    const id = readId(sent(name))
    if (id === null) return { wrong: `${name}: It must be an id.` }
    rows.where(`operation.${name} = ${rows.at(id)}::int8`)
  }
  if (sent('op_type')) {
    const types = sent('op_type').split(',').map(readId)
    if (types.includes(null) || types.length > typesMax)
      return { wrong: 'op_type: It must be the id of a type, or several with commas between.' }
    rows.where(`operation.op_type_id = ANY(${rows.at(types)}::int8[])`)
  }
  if (sent('source')) {
    const source = sent('source')
    if (!isSource(source)) return { wrong: `source: It must be one of ${operationSources.join(', ')}.` }
    rows.where(isOfSourceSql('operation', source))
    rows.isSought = true
  }
  return addPeriod(rows, sent) ?? addSearch(rows, sent('q').slice(0, searchedMax), inText)
}

const isSource = (name: string): name is OperationSource => (operationSources as readonly string[]).includes(name)

/** Days are of TIME_ZONE, the zone of the session. */
function addPeriod(rows: Rows, sent: (name: string) => string): Wrong | null {
  for (const name of ['date_from', 'date_to'] as const) {
    const text = sent(name)
    if (!text) continue
    const moment = readMoment(text)
    if (moment === null) return { wrong: `${name}: It must be an ISO 8601 date or datetime.` }
    const isDay = readDate(text) !== null
    if (name === 'date_from') rows.where(`operation.op_date >= ${rows.at(moment)}::timestamptz`)
    // A bare date_to is the end of that day.
    else if (isDay) rows.where(`operation.op_date < (${rows.at(text)}::date + 1)::timestamptz`)
    else rows.where(`operation.op_date <= ${rows.at(moment)}::timestamptz`)
  }
  return null
}

/** Contract, name, text, number of the operation or its document, transaction. What somebody types is no pattern. */
function addSearch(rows: Rows, searched: string, inText: boolean): Rows | Wrong {
  if (searched === '') return rows
  if (searched.includes('\0')) return { wrong: 'q: It must be text.' }
  const text = rows.at(searched)
  const pattern = `lower(${rows.at(`%${searched.replace(/[\\%_]/g, '\\$&')}%`)})`
  const id = readId(searched)
  const ways = [
    `operation.abonent_id IN (SELECT id FROM abonents WHERE lower(name) LIKE ${pattern} OR lower(contract_number) LIKE ${pattern})`,
    ...['number', 'txn', 'operator_pay_id_str'].map((column) => `operation.${column} = ${text}`),
    ...(id === null ? [] : [`operation.op_id = ${rows.at(id)}::int8`]),
    ...(inText ? [textHolds(searched, text, pattern)] : []),
  ]
  rows.where(`(${ways.join(' OR ')})`)
  rows.isSought = true
  return rows
}

/** Folding the case of a million texts takes longer than all the rest, and digits have none. */
const textHolds = (searched: string, text: string, pattern: string): string =>
  searched.toLowerCase() === searched.toUpperCase()
    ? `strpos(operation.descr, ${text}) > 0`
    : `lower(operation.descr) LIKE ${pattern}`

export const filterParameters = {
  q: { doc: 'Part of contract number, name or text; number of operation or document, or transaction' },
  op_type: { doc: 'Type, or several with commas between' },
  source: { doc: 'Where it came from', schema: Type.Enum(operationSources) },
  date_from: { doc: 'When the money moved: a date of TIME_ZONE or a datetime' },
  date_to: { doc: 'A datetime, or a date with all of its day' },
  abonent_id: { doc: 'Subscriber', schema: Type.Integer() },
  account_id: { doc: 'Personal account', schema: Type.Integer() },
} as const satisfies Readonly<Record<string, ParameterDoc>>
