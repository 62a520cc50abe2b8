import { LRUCache } from 'lru-cache'
import type { PoolClient } from 'pg'
import Type, { type Static } from 'typebox'
import { schemas } from '../../../platform/http/schemas.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import type { Rows } from './filters.ts'

/**
 * What a whole list comes to: how many rows, and decimal rubles. Reversed operations and their reversals both count.
 */
export const totalsSchema = Type.Object({
  total: schemas.integer,
  income_sum: schemas.rubles,
  expense_sum: schemas.rubles,
  net_sum: schemas.rubles,
})

type Totals = Readonly<Static<typeof totalsSchema>>

/** Sums that took longer are answered again for a while: the same million rows are not added up for every reload. */
const costlyMs = 200
const rememberedMs = 20_000
const rememberedMax = 200

type Remembered = { readonly totals: Totals; readonly until: number }

/** What a single scan of all rows yields: the totals, and the keys of the first rows in the order of the list. */
export type Overview = { readonly totals: Totals; readonly first: readonly string[] | null }

export class TotalsBook {
  readonly #costly = new LRUCache<string, Remembered>({ max: rememberedMax })
  readonly #now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * `zone` is what the days of the filters depend on beside their values. `first` says how many keys are wanted: rows
   * that no index finds are looked for once and not twice. Totals that are remembered come without keys.
   */
  async read(
    client: PoolClient,
    { conditions, values, isSought }: Rows,
    { zone, first, timeoutMs }: { zone: string; first: number; timeoutMs: number },
  ): Promise<Overview> {
    const name = JSON.stringify([zone, conditions, values])
    const known = this.#costly.get(name)
    if (known && known.until > this.#now()) return { totals: known.totals, first: null }
    const startedMs = this.#now()
    // node-postgres knows a limit for one query; its types do not.
    const query = { text: textOf(conditions, isSought ? first : 0), values, query_timeout: timeoutMs }
    const { rows } = await client.query<Totals & { first: string[] | null }>(query)
    const { first: keys, ...totals } = rows[0]!
    if (this.#now() - startedMs >= costlyMs) this.#costly.set(name, { totals, until: this.#now() + rememberedMs })
    return { totals, first: isSought ? (keys ?? []) : null }
  }
}

const textOf = (conditions: string, first: number): string =>
  `WITH found AS ${first > 0 ? 'MATERIALIZED' : 'NOT MATERIALIZED'}
      (SELECT op_id, op_date, op_summa FROM finance_operations AS operation WHERE ${conditions})
    SELECT total::int4, ${rublesSql('income')} AS income_sum, ${rublesSql('expense')} AS expense_sum, ${rublesSql('(income + expense)')} AS net_sum,
      ${first > 0 ? `(SELECT array_agg(op_id ORDER BY op_date DESC, op_id DESC) FROM (SELECT op_id, op_date FROM found ORDER BY op_date DESC, op_id DESC LIMIT ${first}) AS top)` : 'NULL::int8[]'} AS first
    FROM (SELECT count(*) AS total, coalesce(sum(op_summa) FILTER (WHERE op_summa > 0), 0) AS income,
        coalesce(sum(op_summa) FILTER (WHERE op_summa < 0), 0) AS expense FROM found) AS summed`
