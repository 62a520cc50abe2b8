import { isOfSourceSql } from '../../../billing/accounts/operation-source.ts'
import { isOfTariffSql, mayBeOfTariffSql } from '../../../billing/reports/facts.ts'
import { organizationsAsked, type Question } from '../../../billing/reports/sums.ts'
import { everyDay, type Span } from '../../../domain/calendar.ts'
import { readId } from '../../../domain/ids.ts'
import { readDate } from '../../../domain/iso-dates.ts'
import { transactionKey } from '../../../domain/money-keys.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { spelled } from '../../../domain/text.ts'
import { choice, field, id } from '../../../platform/http/fields.ts'
import type { ParameterDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { type Refused, wrongInWords } from '../body.ts'
import { ListFilters, periodParameters } from '../list-filters.ts'

/** Which rows of finance_operations: conditions over the alias `operation`, and their values. */
export class OperationFilters extends ListFilters {
  /** A condition that no index supports, so that all rows of the period must be read to apply it. */
  needsScan = false
  /** The same as a question to the sums of reports; null: they do not have what it asks for. */
  question: Question | null = null
  search: Search | null = null
  readonly #shortcuts: Shortcut[] = []

  /** A condition that holds wherever the others do, and tells sooner which of many rows are none. */
  shorten(shortcut: Shortcut): void {
    this.#shortcuts.push(shortcut)
  }

  override get conditions(): string {
    return [super.conditions, ...this.#shortcuts.map(({ always }) => always)].join(' AND ')
  }

  /** The same for few rows. */
  get conditionsOfFew(): string {
    return [super.conditions, ...this.#shortcuts.map(({ unlessCommon }) => unlessCommon)].join(' AND ')
  }
}

type Shortcut = ReturnType<typeof mayBeOfTariffSql>

/** A search whose conditions are taken apart, over the alias `operation`. */
export type Search = {
  /** All but the search. */
  readonly others: string
  /** Each of them finds by an index, where few clients are found; one is enough. */
  readonly ways: readonly string[]
  /** So does the text, which no index has. */
  readonly holds: string
  /** The clients that are found, of their own values. */
  readonly clients: { readonly text: string; readonly values: readonly unknown[] }
  /** All ways and the text together, told of a row by itself; of very many clients each is looked up. */
  readonly ofRow: Readonly<Record<'fewClients' | 'manyClients', string>>
}

const searchedMax = 200
const typesMax = 100

/**
 * The filters of the list, of PayLog and of the downloads. Empty parameters are left out, as forms send them. With
 * `newest` a search is for so many rows at most, the newest, and does not look into texts.
 */
export function readFilters(
  query: URLSearchParams,
  visible: VisibleOrganizations,
  { onlyDocuments = false, newest }: { onlyDocuments?: boolean | undefined; newest?: number } = {},
): OperationFilters | Refused {
  const filters = new OperationFilters(query)
  const read = filters.read(filterParameters, [
    'abonent_id',
    'account_id',
    'organization_id',
    'op_type',
    'source',
    'cashier',
    'tarif',
  ])
  if ('refused' in read) return read
  const { op_type: types, source, cashier, tarif, organization_id: organization, ...owners } = read.values
  filters.whereVisible('operation.organization_id', visible, organization)
  // Service operations stay out of reports (contract section 5, Jobs).
  if (onlyDocuments) filters.where('operation.isbuhdoc')
  for (const [name, owner] of Object.entries(owners)) filters.where(`operation.${name} = ${filters.add(owner, 'int8')}`)
  if (types) filters.where(`operation.op_type_id = ANY(${filters.add(types, 'int8[]')})`)
  if (organization !== undefined) {
    const place = filters.place([organization])
    filters.where(visibleSql('operation.organization_id', place))
  }
  if (cashier !== undefined)
    filters.where(cashier === 0 ? 'operation.owner_id IS NULL' : `operation.owner_id = ${filters.add(cashier, 'int8')}`)
  if (tarif !== undefined) {
    const id = filters.add(tarif, 'int8')
    filters.where(isOfTariffSql('operation', id))
    filters.shorten(mayBeOfTariffSql('operation', tarif, id))
  }
  if (source) filters.where(isOfSourceSql('operation', source))
  if (source || tarif !== undefined) filters.needsScan = true
  const days = wholeDays(filters)
  const isSummed = Object.keys(owners).length === 0 && filters.sent('q') === ''
  if (days !== null && isSummed)
    filters.question = {
      ...{ ...days, types: types ?? null, channel: source ?? null, cashier: cashier ?? null, tariff: tarif ?? null },
      // By day, because no index finds the rows of a source or of a tariff.
      ...{ by: filters.needsScan ? 'day' : 'type', across: null, onlyDocuments },
      organizations: organizationsAsked(visible, organization),
    }
  return (
    filters.wherePeriod('operation.op_date') ?? withSearch(filters, filters.sent('q').slice(0, searchedMax), newest)
  )
}

/** The days of a period without a time of day; null: it has one. */
function wholeDays(filters: ListFilters): Span | null {
  const [from, to] = ['date_from', 'date_to'].map((name) => filters.sent(name))
  const days = { from: from ? readDate(from) : everyDay.from, to: to ? readDate(to) : everyDay.to }
  return days.from === null || days.to === null ? null : { from: days.from, to: days.to }
}

/**
 * Contract, name, text, number of the operation or its document, transaction. Wildcards of LIKE are escaped, because
 * the search text is not a pattern.
 */
function withSearch(
  filters: OperationFilters,
  searched: string,
  newest: number | undefined,
): OperationFilters | Refused {
  if (searched === '') return filters
  if (searched.includes('\0')) return { refused: wrongInWords('q', 'be text') }
  const text = filters.place(searched)
  const part = `%${searched.replace(/[\\%_]/g, '\\$&')}%`
  const pattern = `lower(${filters.place(part)})`
  const number = readId(searched)
  const clients = `operation.abonent_id IN (${clientsSql(pattern)})`
  const byId = number === null ? [] : [`operation.op_id = ${filters.place(number)}::int8`]
  const [document, txn, payment] = ['number', 'txn', 'operator_pay_id_str'].map(
    (column) => `operation.${column} = ${text}`,
  )
  if (newest !== undefined) {
    const key = filters.place(transactionKey.of(searched))
    const keyed = `operation.op_id IN (SELECT op_id FROM money_keys WHERE key = ${key}) AND ${txn}`
    // Operations of orders are found by the order, whose number is their txn.
    const ordered =
      number === null
        ? []
        : [`operation.op_id = (SELECT operation_id FROM payment_orders WHERE id = ${filters.place(number)}::int8)`]
    const ways = [clients, document!, keyed, payment!, ...byId, ...ordered]
    filters.where(oneOfNewest(ways, filters.conditions, newest))
    return filters
  }
  const indexed = [document!, txn!, payment!, ...byId]
  const holds = textHolds(searched, text, pattern)
  filters.search = {
    ...{
      others: filters.conditions,
      ways: [`operation.abonent_id = ANY(ARRAY(${clientsSql(pattern)}))`, ...indexed],
      holds,
    },
    clients: { text: clientsSql('lower($1)'), values: [part] },
    ofRow: {
      fewClients: `(${[...indexed, holds, clients].join(' OR ')})`,
      manyClients: `(${[...indexed, holds, `(SELECT ${clientFits(pattern)} FROM abonents WHERE id = operation.abonent_id)`].join(' OR ')})`,
    },
  }
  filters.where(`(${[clients, ...indexed, holds].join(' OR ')})`)
  filters.needsScan = true
  return filters
}

const clientFits = (pattern: string): string => `lower(name) LIKE ${pattern} OR lower(contract_number) LIKE ${pattern}`

const clientsSql = (pattern: string): string => `SELECT id FROM abonents WHERE ${clientFits(pattern)}`

/**
 * Is among the newest rows that one of the ways finds. Each way by itself has an index, or walks along the dates where
 * it finds many rows; put together with OR they would read the whole table.
 */
function oneOfNewest(ways: readonly string[], conditions: string, newest: number): string {
  const found = ways.map(
    (way) => `(SELECT operation.op_id FROM finance_operations AS operation WHERE ${conditions} AND ${way}
      ORDER BY operation.op_date DESC, operation.op_id DESC LIMIT ${newest})`,
  )
  return `operation.op_id = ANY(ARRAY(${found.join(' UNION ALL ')}))`
}

/**
 * Converting a million texts to lower case takes longer than everything else, and a search text without letters does
 * not need it.
 */
const textHolds = (searched: string, text: string, pattern: string): string =>
  searched.toLowerCase() === searched.toUpperCase()
    ? `strpos(operation.descr, ${text}) > 0`
    : `lower(operation.descr) LIKE ${pattern}`

/** An id, or 0 for those that have none. */
export const idOrNone = field(schemas.integer, 'be an id or 0', (sent) =>
  spelled(sent).trim() === '0' ? 0 : readId(sent),
)

export const typeIds = field(schemas.text, 'be the id of a type, or several with commas between', (sent) => {
  const types = spelled(sent).split(',').map(readId)
  return types.includes(null) || types.length > typesMax ? null : (types as readonly number[])
})

export const filterParameters = {
  q: {
    doc: 'Part of contract number, name or text; number of operation or document, or transaction',
    schema: schemas.text,
  },
  op_type: {
    doc: 'Type, or several with commas between',
    schema: typeIds,
  },
  source: { doc: 'Where it came from', schema: choice(operationSources) },
  ...periodParameters,
  cashier: { doc: 'Who has made them: the id of a staff user, or 0 for automatic ones', schema: idOrNone },
  tarif: {
    doc: 'The tariff that the subscriber had when the money moved, or 0 for none; an operation keeps it when the subscriber changes the tariff',
    schema: idOrNone,
  },
  organization_id: { doc: 'Organization', schema: id },
  abonent_id: { doc: 'Subscriber', schema: id },
  account_id: { doc: 'Personal account', schema: id },
} as const satisfies Readonly<Record<string, ParameterDoc>>
