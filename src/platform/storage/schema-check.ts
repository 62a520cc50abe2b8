import { randomBytes } from 'node:crypto'
import { silentLog } from '../log.ts'
import { withConnection } from './connection.ts'
import { migrate } from './migrate.ts'
import { migrationsTable } from './migrations.ts'

/**
 * Makes two empty databases on this server, one by the migrations and one from the entities, and answers every line in
 * which their columns, constraints and indexes differ. Needs the right to create databases.
 */
export async function checkSchema(connectionUrl: string): Promise<string[]> {
  const suffix = randomBytes(6).toString('hex')
  const names = [`tollgate_check_m_${suffix}`, `tollgate_check_e_${suffix}`]
  const [migrated, expected] = names.map((name) => withDatabase(connectionUrl, name)) as [string, string]
  return await withConnection(connectionUrl, async (admin) => {
    try {
      for (const name of names) await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`)
      await migrate({ url: migrated, log: silentLog })
      await createFromEntities(expected)
      return await compareSchemas(migrated, expected)
    } finally {
      for (const name of names) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    }
  })
}

/** Columns, constraints and indexes that only one of two databases has. */
export async function compareSchemas(migratedUrl: string, expectedUrl: string): Promise<string[]> {
  const migrated = await describe(migratedUrl)
  const expected = await describe(expectedUrl)
  return [
    ...[...migrated].filter((line) => !expected.has(line)).map((line) => `only in the migrations: ${line}`),
    ...[...expected].filter((line) => !migrated.has(line)).map((line) => `only in the entities: ${line}`),
  ].sort()
}

export function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

async function createFromEntities(url: string): Promise<void> {
  // MikroORM comes with it, for which neither the list of commands nor every test must wait.
  const { connectionTo, openMikroOrm } = await import('./orm.ts')
  const orm = await openMikroOrm(connectionTo(url))
  try {
    await orm.schema.create()
  } finally {
    await orm.close(true)
  }
}

/** PostgreSQL spells each definition itself, so two spellings of one thing are equal. */
const description = `
SELECT format('%I.%I %s%s%s%s', relname, attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN ' NOT NULL' END,
  ' DEFAULT ' || pg_get_expr(adbin, adrelid), CASE attidentity WHEN 'd' THEN ' IDENTITY' WHEN 'a' THEN ' IDENTITY ALWAYS' END) AS line
FROM pg_attribute JOIN tables ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT format('%I: %s %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
FROM pg_constraint JOIN tables ON conrelid = tables.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x')
UNION ALL
-- An index of a partitioned table is written as one of the table itself.
SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index JOIN tables ON indrelid = tables.oid
-- Made only where the server lets us have pg_trgm, so no entity has them.
WHERE pg_get_indexdef(indexrelid) NOT LIKE '%gin\\_trgm\\_ops%'`

/** Partitions are made while the program runs, and are as their table is. */
const tables = `WITH tables AS (
  SELECT oid, relname FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition
    AND relname <> '${migrationsTable}')`

const describe = (url: string): Promise<Set<string>> =>
  withConnection(url, async (client) => {
    const { rows } = await client.query<{ line: string }>(`${tables}${description}`)
    return new Set(rows.map(({ line }) => line))
  })
