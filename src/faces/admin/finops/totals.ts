import type { PoolClient } from 'pg'
import { type JsonSchema, objectSchema, schemas } from '../../../http/route-doc.ts'
import { rublesSql } from '../rubles.ts'
import type { Rows } from './filters.ts'

/** What a whole list comes to: how many rows, and decimal rubles. Reversed operations and their reversals both count. */
export type Totals = {
  readonly total: number
  readonly income_sum: string
  readonly expense_sum: string
  readonly net_sum: string
}

export const totalsSchema: JsonSchema = objectSchema({
  total: schemas.integer,
  income_sum: schemas.rubles,
  expense_sum: schemas.rubles,
  net_sum: schemas.rubles,
})

/** Sums that took longer are told again for a while: the same million rows are not added up for every reload. */
const costlyMs = 200
const rememberedMs = 20_000
const rememberedMax = 200

type Remembered = { readonly totals: Totals; readonly until: number }

export class TotalsBook {
  readonly #costly = new Map<string, Remembered>()
  readonly #now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** `zone` is what the days of the filters depend on beside their values. */
  async read(client: PoolClient, { conditions, values }: Rows, zone: string, timeoutMs: number): Promise<Totals> {
    const name = JSON.stringify([zone, conditions, values])
    const known = this.#costly.get(name)
    if (known && known.until > this.#now()) return known.totals
    const startedMs = this.#now()
    // node-postgres knows a limit for one query; its types do not.
    const query = { text: textOf(conditions), values, query_timeout: timeoutMs }
    const { rows } = await client.query<Totals>(query)
    const totals = rows[0]!
    if (this.#now() - startedMs >= costlyMs) this.#remember(name, { totals, until: this.#now() + rememberedMs })
    return totals
  }

  #remember(name: string, remembered: Remembered): void {
    this.#costly.delete(name)
    this.#costly.set(name, remembered)
    if (this.#costly.size > rememberedMax) this.#costly.delete(this.#costly.keys().next().value!)
  }
}

const textOf = (conditions: string): string =>
  `SELECT total::int4, ${rublesSql('income')} AS income_sum, ${rublesSql('expense')} AS expense_sum, ${rublesSql('(income + expense)')} AS net_sum
    FROM (SELECT count(*) AS total, coalesce(sum(op_summa) FILTER (WHERE op_summa > 0), 0) AS income,
        coalesce(sum(op_summa) FILTER (WHERE op_summa < 0), 0) AS expense
      FROM finance_operations AS operation WHERE ${conditions}) AS summed`
