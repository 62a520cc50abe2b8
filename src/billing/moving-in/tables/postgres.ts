import type { Client } from 'pg'
import { withConnection } from '../../../platform/storage/connection.ts'
import { Tables, type Wanted } from './tables.ts'

/** Reads the wanted tables of a PostgreSQL database that others use, all as they are at one moment. */
export const readPostgres = (url: string, wanted: Wanted): Promise<Tables> =>
  withConnection(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const tables = new Tables()
    for (const [table, columns] of Object.entries(wanted)) await readTable(client, table, columns, tables)
    await client.query('COMMIT')
    return tables
  })

/** By the search path of whoever signs in. A column that an older version does not have stays out. */
async function readTable(client: Client, table: string, columns: readonly string[], tables: Tables): Promise<void> {
  const { rows: found } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
      AND lower(attname) = ANY($2) ORDER BY attnum`,
    [`"${table}"`, columns],
  )
  if (found.length === 0) return
  const list = found.map(
    ({ name }) => `${client.escapeIdentifier(name)}::text AS ${client.escapeIdentifier(name.toLowerCase())}`,
  )
  const kept = tables.add(table)
  const hasId = columns.includes('id') && found.some(({ name }) => name.toLowerCase() === 'id')
  const { rows } = await client.query(
    `SELECT ${list.join(', ')} FROM ${client.escapeIdentifier(table)} AS source${hasId ? ' ORDER BY source.id' : ''}`,
  )
  for (const row of rows) kept.push(row)
}
