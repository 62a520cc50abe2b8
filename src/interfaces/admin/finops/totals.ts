import type { PoolClient } from 'pg'
import Type, { type Static } from 'typebox'
import { type Answer, type Question, readSums } from '../../../billing/reports/sums.ts'
import type { Day } from '../../../domain/calendar.ts'
import { growingCache } from '../../../platform/growing-cache.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { limited } from '../../../platform/storage/sql.ts'
import type { OperationFilters, Search } from './filters.ts'

/** The sums of a whole list in rubles. Reversed operations and their reversals both count. */
export const totalsSchema = Type.Object({
  total: schemas.integer,
  income_sum: schemas.rubles,
  expense_sum: schemas.rubles,
  net_sum: schemas.rubles,
})

type Totals = Readonly<Static<typeof totalsSchema>>

/** Sums that took longer are remembered for a while, so that a reload does not add up the same million rows again. */
const costlyMs = 200
const rememberedMs = 20_000
const rememberedMax = 200

/** Parts that are not summed up: more than a minute brings in, and the list itself is sooner added up. */
const freshMax = 8

type Remembered = { readonly totals: Totals; readonly until: number }

/** On which days the rows of a page lie, and how many rows of these days come before it. */
export type Place = { readonly days: readonly Day[]; readonly offset: number }

/** The rows of a page, of all that the list has: behind so many, or on this day and before. */
export type Wanted = { readonly offset: number; readonly limit: number; readonly until?: Day }

/**
 * What is known of all rows: the totals, and where those of the first page are. `first` are their keys, where all rows
 * had to be read.
 */
export type Overview = {
  readonly totals: Totals
  readonly first: readonly string[] | null
  readonly place: Place | null
}

/** Reads the totals of lists, and remembers those that took long. */
export class OperationTotals {
  readonly #costly = growingCache<string, Remembered>(rememberedMax)
  readonly #now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * From the sums of reports where they have them. `zone` is the time zone, on which the days of the filters depend.
   * `first` is how many keys are wanted: rows that no index finds are then searched for once and not twice. Remembered
   * totals, and those of the reports, come without keys.
   */
  async read(
    client: PoolClient,
    { conditions, values, needsScan, question, search }: OperationFilters,
    { zone, first, timeoutMs }: { zone: string; first: number; timeoutMs: number },
  ): Promise<Overview> {
    const summed = question && (await readSums(client, question, zone, freshMax))
    if (summed && typeof summed !== 'string') {
      const { operations: total, income: income_sum, expense: expense_sum, net: net_sum } = summed.totals
      const place = isByDay(question) ? placeIn(summed, { offset: 0, limit: first }) : null
      return { totals: { total, income_sum, expense_sum, net_sum }, first: null, place }
    }
    const key = JSON.stringify([zone, conditions, values])
    const known = this.#costly.get(key)
    if (known && known.until > this.#now()) return { totals: known.totals, first: null, place: null }
    const startedMs = this.#now()
    const isApart = search !== null && (await isOfFewClients(client, search))
    const found = isApart ? foundApart(search) : foundBy(conditions)
    const query = limited({ text: textOf(found, needsScan ? first : 0), values }, timeoutMs)
    const { rows } = await client.query<Totals & { first: string[] | null }>(query)
    const { first: ids, ...totals } = rows[0]!
    if (this.#now() - startedMs >= costlyMs) this.#costly.set(key, { totals, until: this.#now() + rememberedMs })
    return { totals, first: needsScan ? (ids ?? []) : null, place: null }
  }

  /** Where the rows of another page lie, where no index finds them and the sums of reports tell; otherwise null. */
  async placeOf(
    client: PoolClient,
    { question }: OperationFilters,
    zone: string,
    { until, ...wanted }: Wanted,
  ): Promise<Place | null> {
    if (!question || !isByDay(question)) return null
    const to = until !== undefined && until < question.to ? until : question.to
    const summed = await readSums(client, { ...question, to }, zone, freshMax)
    if (typeof summed === 'string') return null
    // Some rows of the last day stand on the pages before.
    const onLastDay = until === undefined ? 0 : (summed.rows.find(({ key }) => key === until)?.operations ?? 0)
    return placeIn(summed, { ...wanted, limit: wanted.limit + onLastDay })
  }
}

const isByDay = ({ by }: Question): boolean => by === 'day'

/** The newest rows come first. */
function placeIn({ rows }: Answer, { offset, limit }: Wanted): Place {
  const days: Day[] = []
  let before = 0
  let found = 0
  for (const { key, operations } of [...rows].sort((a, b) => (a.key < b.key ? 1 : -1))) {
    if (before + found >= offset + limit) break
    if (found === 0 && before + operations <= offset) before += operations
    else {
      days.push(key as Day)
      found += operations
    }
  }
  return { days, offset: offset - before }
}

const foundBy = (conditions: string): string =>
  `SELECT operation.op_id, op_date, op_summa FROM finance_operations AS operation WHERE ${conditions}`

/** The operations of more clients are sooner found by reading all. */
const fewClients = 1_000

export async function isOfFewClients(client: PoolClient, { clients: { text, values } }: Search): Promise<boolean> {
  const counting = `SELECT count(*)::int4 AS clients FROM (${text} LIMIT ${fewClients + 1}) AS found`
  const { rows } = await client.query<{ clients: number }>(counting, [...values])
  return rows[0]!.clients <= fewClients
}

/**
 * SQL: what a search finds, where the texts of all are read, but nothing else of them: to look at five more columns of
 * each takes as long as the texts. What those find comes along their indexes.
 */
function foundApart({ others, ways, holds }: Search): string {
  const keys = ways.map((way) => `SELECT operation.op_id FROM finance_operations AS operation WHERE ${way}`)
  return `${foundBy(`${others} AND ${holds}`)}
    UNION ALL ${foundBy(`${others} AND operation.op_id IN (${keys.join(' UNION ALL ')}) AND (${holds}) IS NOT TRUE`)}`
}

const textOf = (found: string, first: number): string =>
  `WITH found AS ${first > 0 ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${found})
    SELECT total::int4, ${rublesSql('income')} AS income_sum, ${rublesSql('expense')} AS expense_sum, ${rublesSql('(income + expense)')} AS net_sum,
      ${first > 0 ? `(SELECT array_agg(op_id ORDER BY op_date DESC, op_id DESC) FROM (SELECT op_id, op_date FROM found ORDER BY op_date DESC, op_id DESC LIMIT ${first}) AS top)` : 'NULL::int8[]'} AS first
    FROM (SELECT count(*) AS total, coalesce(sum(op_summa) FILTER (WHERE op_summa > 0), 0) AS income,
        coalesce(sum(op_summa) FILTER (WHERE op_summa < 0), 0) AS expense FROM found) AS summed`
