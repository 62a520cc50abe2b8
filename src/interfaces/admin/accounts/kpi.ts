import { LRUCache } from 'lru-cache'
import Type, { type Static } from 'typebox'
import { schemas } from '../../../platform/http/schemas.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { Parameters } from '../../../platform/storage/parameters.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { type AccountFilter, chipConditions, conditionsOf, withoutClientCount } from './filter.ts'
import { patient } from './statements.ts'

/** Counters over all accounts of a filter that the caller may see, not only those of a page. */
export const kpiSchema = Type.Object({
  total: schemas.integer,
  debtors: Type.Integer({ description: 'Balance below zero' }),
  without_client: Type.Integer({ description: 'Neither a subscriber nor a video object' }),
  debt_sum: Type.With(schemas.rubles, { description: 'Sum of the balances below zero' }),
  plus_sum: Type.With(schemas.rubles, { description: 'Sum of the balances above zero' }),
})

type Kpi = Readonly<Static<typeof kpiSchema>>

/** Counters that took longer are remembered for a while. */
const costlyMs = 50
const rememberedMs = 10_000
const rememberedMax = 500

/**
 * The counters of the list. Balances have no index, so counting debtors reads all accounts of the filter, which takes
 * half a second for a million. Quick counts are made each time. Slow ones are remembered for ten seconds by filter and
 * visible organizations, and callers who ask meanwhile wait for the count in progress. Who has changed an account here
 * sees it in the next count.
 */
export class Kpis {
  readonly #costly = new LRUCache<string, { kpi: Kpi; untilMs: number }>({ max: rememberedMax })
  #underWay = new Map<string, Promise<Kpi>>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  async of(filter: AccountFilter, work: <T>(read: (client: Client) => Promise<T>) => Promise<T>): Promise<Kpi> {
    const name = JSON.stringify(filter)
    const known = this.#costly.get(name)
    if (known && known.untilMs > this.#nowMs()) return known.kpi
    const underWay = this.#underWay
    const present = underWay.get(name)
    if (present) return present
    const startedMs = this.#nowMs()
    const count = work((client) => readKpi(client, filter))
      .then((kpi) => {
        const nowMs = this.#nowMs()
        const isOutdated = underWay !== this.#underWay
        if (!isOutdated && nowMs - startedMs >= costlyMs) this.#costly.set(name, { kpi, untilMs: nowMs + rememberedMs })
        return kpi
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, count)
    return count
  }

  /** An account has changed: what is being counted now is of before. */
  forget(): void {
    this.#costly.clear()
    this.#underWay = new Map()
  }
}

async function readKpi(client: Client, filter: AccountFilter): Promise<Kpi> {
  const sums = statement(
    filter,
    `count(*)::int4 AS total, count(*) FILTER (WHERE ostatok < 0)::int4 AS debtors,
      ${rublesSql('coalesce(sum(ostatok) FILTER (WHERE ostatok < 0), 0)')} AS debt_sum,
      ${rublesSql('coalesce(sum(ostatok) FILTER (WHERE ostatok > 0), 0)')} AS plus_sum`,
  )
  const { rows } = await client.query<Omit<Kpi, 'without_client'>>(sums)
  const { total, debtors, debt_sum, plus_sum } = rows[0]!
  return { total, debtors, without_client: await countWithoutClient(client, filter, total), debt_sum, plus_sum }
}

/** Counted apart from the sums, because a join takes a fifth of the time of a condition for each row. */
async function countWithoutClient(client: Client, filter: AccountFilter, total: number): Promise<number> {
  if (total === 0 || filter.chip === 'without_client') return total
  // An account without subscribers belongs to the default organization.
  if (!isVisible(filter.visible, null)) return 0
  const chosen = filter.chip === null ? [] : [chipConditions[filter.chip]]
  const orphans =
    filter.chip === null && filter.q === ''
      ? patient({ text: `SELECT ${withoutClientCount} AS count`, values: [] })
      : statement({ ...filter, chip: 'without_client' }, 'count(*)::int4 AS count', chosen)
  const { rows } = await client.query<{ count: number }>(orphans)
  return rows[0]!.count
}

function statement(filter: AccountFilter, selected: string, more: readonly string[] = []) {
  const parameters = new Parameters()
  const conditions = [...conditionsOf(filter, parameters), ...more]
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return patient({ text: `SELECT ${selected} FROM admin_accounts AS account${where}`, values: parameters.values })
}
