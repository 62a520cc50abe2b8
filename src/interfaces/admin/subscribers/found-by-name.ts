import type { Client } from '../../../platform/storage/sql.ts'
import type { Place } from '../cursors.ts'
import type { ListFilters } from '../list-filters.ts'
import { clientsSql, type orderOf, searchParts } from './list-filters.ts'

type Asked = {
  readonly q: string | undefined
  readonly order: ReturnType<typeof orderOf>
  readonly after: Place | undefined
  readonly limit: number
  /** The filters of the list, which are told twice. */
  readonly narrowed: () => ListFilters
  readonly idsOf: (filters: ListFilters) => Promise<readonly number[] | null>
  readonly patient: <Query extends object>(query: Query) => Query
}

/** So many of those whose name has the words are looked at, whatever else the list is filtered by. */
const lookedAtMax = 2_000

/**
 * The ids of those among whom the page of a search by name is: those whose name has the words, found in the index of
 * names alone in its order, and all others that the search finds. To look at the row of each subscriber who comes
 * before takes ten times as long where very many have the words. Null: they are not found this way.
 */
export async function idsByName(client: Client, asked: Asked): Promise<readonly number[] | null> {
  const { q, order, after, limit, narrowed, idsOf, patient } = asked
  const search = order.isByName ? searchParts(q) : null
  if (search === null) return null
  const others = narrowed()
  others.where(search.elsewhere(others))
  others.where(`NOT (${search.byName(others)})`)
  const elsewhere = await idsOf(others)
  if (elsewhere === null) return null
  const filters = narrowed()
  const begins = after ? order.afterSql(filters, after) : 'true'
  const text = `SELECT client.id::float8 AS id FROM (SELECT client.id AS named FROM abonents AS client
      WHERE ${search.byName(filters)} AND ${begins} ORDER BY ${order.sql} LIMIT ${lookedAtMax}) AS found
    JOIN ${clientsSql} ON client.id = found.named WHERE ${filters.conditions} ORDER BY ${order.sql} LIMIT ${limit}`
  const { rows } = await client.query<{ id: number }>(patient({ text, values: [...filters.values] }))
  return rows.length < limit ? null : [...elsewhere, ...rows.map(({ id }) => id)]
}
