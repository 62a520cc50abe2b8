import Type, { type Static } from 'typebox'
import { growingCache } from '../../../platform/growing-cache.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { Parameters } from '../../../platform/storage/parameters.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { type AccountFilter, chipConditions, conditionsOf, type Sort, withoutClientCount } from './filter.ts'
import { orderByColumn, orderOf } from './keys.ts'
import { type Page, patient } from './statements.ts'

/** Counters over all accounts of a filter that the caller may see, not only those of a page. */
export const kpiSchema = Type.Object({
  total: schemas.integer,
  debtors: Type.Integer({ description: 'Balance below zero' }),
  without_client: Type.Integer({ description: 'Neither a subscriber nor a video object' }),
  debt_sum: Type.With(schemas.rubles, { description: 'Sum of the balances below zero' }),
  plus_sum: Type.With(schemas.rubles, { description: 'Sum of the balances above zero' }),
})

type Kpi = Readonly<Static<typeof kpiSchema>>

/** A page of the list whose counters are wanted. */
type Asked = { readonly filter: AccountFilter; readonly sort: Sort; readonly page: Page }

/** The counters, and the ids of the page where they were found on the way. */
type Counted = { readonly kpi: Kpi; readonly keys: readonly string[] | null }

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
  readonly #costly = growingCache<string, { kpi: Kpi; untilMs: number }>(rememberedMax)
  #underWay = new Map<string, Promise<Kpi>>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  async of(asked: Asked, work: <T>(read: (client: Client) => Promise<T>) => Promise<T>): Promise<Counted> {
    const name = JSON.stringify(asked.filter)
    const known = this.#costly.get(name)
    if (known && known.untilMs > this.#nowMs()) return { kpi: known.kpi, keys: null }
    const underWay = this.#underWay
    const present = underWay.get(name)
    if (present) return { kpi: await present, keys: null }
    const startedMs = this.#nowMs()
    const count = work((client) => readCounted(client, asked)).finally(() => underWay.delete(name))
    const kpi = count.then(({ kpi }) => {
      const nowMs = this.#nowMs()
      const isOutdated = underWay !== this.#underWay
      if (!isOutdated && nowMs - startedMs >= costlyMs) this.#costly.set(name, { kpi, untilMs: nowMs + rememberedMs })
      return kpi
    })
    underWay.set(name, kpi)
    await kpi
    return count
  }

  /** An account has changed: what is being counted now is of before. */
  forget(): void {
    this.#costly.clear()
    this.#underWay = new Map()
  }
}

const sums = `count(*)::int4 AS total, count(*) FILTER (WHERE ostatok < 0)::int4 AS debtors,
  ${rublesSql('coalesce(sum(ostatok) FILTER (WHERE ostatok < 0), 0)')} AS debt_sum,
  ${rublesSql('coalesce(sum(ostatok) FILTER (WHERE ostatok > 0), 0)')} AS plus_sum`

type Sums = Omit<Kpi, 'without_client'>

async function readCounted(client: Client, { filter, sort, page }: Asked): Promise<Counted> {
  const statement = isFoundDearly(filter, sort) ? withPage(filter, sort, page) : countedBy(filter, sums)
  const { rows } = await client.query<Sums & { keys?: string[] }>(statement)
  const { total, debtors, debt_sum, plus_sum, keys = null } = rows[0]!
  const without_client = await countWithoutClient(client, filter, total)
  return { kpi: { total, debtors, without_client, debt_sum, plus_sum }, keys }
}

/**
 * Whether the accounts of a list are found with more effort than they are added up, and are not most of all, so that
 * the page is taken of what was found. The order of names is that of other rows.
 */
export const isFoundDearly = (filter: AccountFilter, sort: Sort): boolean =>
  (filter.q !== '' || !isVisible(filter.visible, null)) && orderOf(filter, sort).by !== 'name'

function withPage(filter: AccountFilter, sort: Sort, { limit, offset }: Page) {
  const parameters = new Parameters()
  const found = `SELECT id, ostatok, "limit", create_date FROM admin_accounts AS account${whereOf(filter, parameters)}`
  const page = `SELECT account.id FROM found AS account ORDER BY ${orderByColumn(orderOf(filter, sort))}
    LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`
  const text = `WITH found AS MATERIALIZED (${found}) SELECT ${sums}, ARRAY(${page}) AS keys FROM found`
  return patient({ text, values: parameters.values })
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
      : countedBy({ ...filter, chip: 'without_client' }, 'count(*)::int4 AS count', chosen)
  const { rows } = await client.query<{ count: number }>(orphans)
  return rows[0]!.count
}

function countedBy(filter: AccountFilter, selected: string, more: readonly string[] = []) {
  const parameters = new Parameters()
  const text = `SELECT ${selected} FROM admin_accounts AS account${whereOf(filter, parameters, more)}`
  return patient({ text, values: parameters.values })
}

function whereOf(filter: AccountFilter, parameters: Parameters, more: readonly string[] = []): string {
  const conditions = [...conditionsOf(filter, parameters), ...more]
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}
