import type { Client } from './sql.ts'

/**
 * SQL for the address of a subscriber as text, from the city to the flat; null when there is none. `home` and `flat`
 * are SQL expressions for the id of the node in the address tree and for the flat.
 */
export const addressSql = (home: string, flat: string): string => `nullif(concat_ws(', ', (WITH RECURSIVE way AS (
    SELECT id, parent_id, name, 1 AS depth FROM homes WHERE id = ${home}
    UNION ALL SELECT homes.id, homes.parent_id, homes.name, depth + 1 FROM homes JOIN way ON homes.id = way.parent_id WHERE depth < 10)
  SELECT string_agg(name, ', ' ORDER BY depth DESC) FROM way), 'кв. ' || nullif(${flat}, '')), '')`

/** SQL for the ids of a city or a street with all houses in it, or of one house, as an array. */
export const homesWithin = (home: string): string => `ARRAY(WITH RECURSIVE below AS (
  SELECT id FROM homes WHERE id = ${home} UNION SELECT homes.id FROM homes JOIN below ON homes.parent_id = below.id)
  SELECT id FROM below)`

/**
 * The same ids as numbers, for a list that is read in an order: only where PostgreSQL knows how many there are does it
 * choose well between walking along the order and looking into each house.
 */
export async function findHomesWithin(client: Client, home: number): Promise<readonly number[]> {
  const text = `SELECT id::float8 AS id FROM unnest(${homesWithin('$1::int8')}) AS found (id)`
  const { rows } = await client.query<{ id: number }>(text, [home])
  return rows.map(({ id }) => id)
}
