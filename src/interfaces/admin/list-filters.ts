import { readDate } from '../../domain/iso-dates.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { type Parameters as Documented, moment } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import {
  isVisible,
  strictlyVisibleSql,
  type VisibleOrganizations,
  visibleSql,
} from '../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../platform/staff/visible-records.ts'
import { Parameters } from '../../platform/storage/parameters.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { type Refused, readQuery, trimmed } from './body.ts'
import { readPage } from './paging.ts'

/** The filters of a list as SQL: conditions and the values in them. Forms send empty parameters, which do not count. */
export class ListFilters extends Parameters {
  readonly #conditions: string[] = []
  #period: readonly string[] = []
  readonly #query: URLSearchParams

  constructor(query: URLSearchParams = new URLSearchParams()) {
    super()
    this.#query = trimmed(query)
  }

  /** The sent text, trimmed; empty when there is none. */
  sent(name: string): string {
    return this.#query.get(name) ?? ''
  }

  where(condition: string): void {
    this.#conditions.push(condition)
  }

  /** Only visible records. Where an organization is asked for that is not visible, nothing has to be read. */
  whereVisible(column: string, visible: VisibleOrganizations, asked?: number): void {
    if (asked !== undefined && !isVisible(visible, asked)) this.where('false')
    if (visible !== null) this.where(visibleSql(column, this.place(visible)))
  }

  /** The named parameters as their documentation reads them, or the refusal of the first wrong one. */
  read<Q extends Documented, N extends keyof Q & string>(parameters: Q, names?: readonly N[]) {
    return readQuery(parameters, this.#query, names)
  }

  /**
   * The two ends of a period, both of them included; days are those of the session's time zone, which is TIME_ZONE. The
   * refusal of what is wrong with them, or null.
   */
  wherePeriod(column: string, names: PeriodNames = { from: 'date_from', to: 'date_to' }): Refused | null {
    const read = this.read(periodOf(names))
    if ('refused' in read) return read
    const { [names.from]: from, [names.to]: to } = read.values
    const period: string[] = []
    if (from !== undefined) period.push(`${column} >= ${this.add(from, 'timestamptz')}`)
    // An end without a time includes the whole day.
    if (to !== undefined && readDate(to)) period.push(`${column} < (${this.place(to)}::date + 1)::timestamptz`)
    else if (to !== undefined) period.push(`${column} <= ${this.add(to, 'timestamptz')}`)
    for (const end of period) this.where(end)
    this.#period = period
    return null
  }

  /** The conditions of `wherePeriod`, which an index on its column serves. */
  get period(): string {
    return allOf(this.#period)
  }

  /** All conditions together. */
  get conditions(): string {
    return allOf(this.#conditions)
  }
}

const allOf = (conditions: readonly string[]): string => (conditions.length > 0 ? conditions.join(' AND ') : 'true')

/** A list of the web admin in SQL. */
export type FilteredList = {
  /** The expression for one item, as JSON, of the columns of `row`. */
  readonly item: string
  /** The table that has a row for each item, and the alias of it. */
  readonly table: string
  readonly row: string
  readonly order: string
  /** The column with the organization that decides who sees an item, and the join to its table if it has another. */
  readonly organization: string
  readonly organizationJoin?: string
  /** Items of no organization are shown only to who sees all; left out: they belong to the default organization. */
  readonly isStrict?: true
  /** What is answered for an item as the table has it. Left out: the item. */
  readonly shown?: (item: unknown) => unknown
  /** Adds the conditions that were sent. The refusal of what is wrong with them, or null. */
  readonly narrow: (filters: ListFilters, call: Call) => Refused | null
}

const perPageUsual = 50

/** Counting a whole table of a million rows takes longer than reading a page of it. */
const countedMax = 10_000

/**
 * Answers one page of a list and how long the whole list is, counted up to a limit. The page is found by its keys, so
 * that items before it are skipped within an index, where one has the order of the list.
 */
export async function answerList(scope: TransactionScope, call: Call, list: FilteredList): Promise<Reply> {
  const page = readPage(call.query, perPageUsual)
  if ('refused' in page) return page.refused
  const filters = new ListFilters(call.query)
  const wrong = list.narrow(filters, call)
  if (wrong) return wrong.refused
  const visible = visibleTo(call)
  const isVisibleSql = list.isStrict ? strictlyVisibleSql : visibleSql
  if (visible !== null) filters.where(isVisibleSql(list.organization, filters.place(visible)))
  // A join that nobody needs would keep PostgreSQL from reading an index alone.
  const join = visible === null ? '' : (list.organizationJoin ?? '')
  const { conditions, values } = filters
  const from = `${list.table} AS ${list.row} ${join} WHERE ${conditions}`
  return await reading(scope, async (client) => {
    const { few, ...counted } = await countFound(client, list, from, values)
    const among = few ? `${list.table} AS ${list.row} WHERE ${list.row}.id = ANY($1::int8[])` : from
    const { rows } = await client.query<{ item: unknown }>(
      `SELECT ${list.item} AS item FROM (SELECT ${list.row}.id FROM ${among} ORDER BY ${list.order}
        LIMIT ${page.perPage + 1} OFFSET ${page.offset}) AS page JOIN ${list.table} AS ${list.row} USING (id) ORDER BY ${list.order}`,
      few ? [few] : values,
    )
    const items = rows.slice(0, page.perPage).map(({ item }) => (list.shown ? list.shown(item) : item))
    return json({ ok: true, items, ...counted, has_more: rows.length > page.perPage })
  })
}

/** So few are found by their ids, because to look for them once more along the order may read the whole table again. */
const fewMax = 1_000

/** How many rows there are, as `countUpTo` tells, and the ids of few; null: there are more. */
async function countFound(client: Client, { row }: FilteredList, from: string, values: readonly unknown[]) {
  const { rows } = await client.query<{ total: number; few: string[] | null }>(
    `SELECT count(*)::int4 AS total, CASE WHEN count(*) <= ${fewMax} THEN coalesce(array_agg(id), '{}') END AS few
      FROM (SELECT ${row}.id FROM ${from} LIMIT ${countedMax + 1}) AS found`,
    [...values],
  )
  const { total, few } = rows[0]!
  return { ...upTo(countedMax, total), few }
}

/** How many rows there are, where they are no more than `most`; otherwise `most`, and that there are more. */
export async function countUpTo(client: Client, most: number, from: string, values: readonly unknown[]) {
  const { rows } = await client.query<{ total: number }>(
    `SELECT count(*)::int4 AS total FROM (SELECT FROM ${from} LIMIT ${most + 1}) AS found`,
    [...values],
  )
  return upTo(most, rows[0]!.total)
}

const upTo = (most: number, total: number) => ({ total: Math.min(total, most), has_more_than_total: total > most })

type PeriodNames = { readonly from: string; readonly to: string }

/** The parameters of a list that takes a period, by what it calls them. */
export const periodOf = <const Names extends PeriodNames>({ from, to }: Names) =>
  ({
    [from]: { doc: 'A date of TIME_ZONE or a datetime', schema: moment },
    [to]: { doc: 'A datetime, or a date, which is included as a whole', schema: moment },
  }) as Readonly<Record<Names['from' | 'to'], { readonly doc: string; readonly schema: typeof moment }>>

export const periodParameters = periodOf({ from: 'date_from', to: 'date_to' })
