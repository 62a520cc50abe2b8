import type { Client } from 'pg'
import { migrationsTable } from '../storage/migrations.ts'
import type { Manifest } from './manifest.ts'

/**
 * What an archive does not carry: the log of nodes counts by transactions of its own server and is of use for seconds,
 * and the migrations are applied anew.
 */
const leftOut = ['node_log', migrationsTable]

/** A table of the schema `public`, with what it inherits from nothing: partitions belong to their table. */
export type Table = {
  readonly name: string
  /** All that can be written; generated ones follow from them. */
  readonly columns: readonly string[]
  readonly isPartitioned: boolean
  /** An estimate, of the table without its indexes. */
  readonly bytes: number
}

const ours = `relnamespace = 'public'::regnamespace AND NOT EXISTS
  (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')`

export async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT relname AS name, relkind = 'p' AS "isPartitioned",
      coalesce((SELECT sum(pg_table_size(relid))::float8 FROM pg_partition_tree(pg_class.oid)), pg_table_size(oid)::float8) AS bytes,
      ARRAY(SELECT attname::text FROM pg_attribute
        WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
      FROM pg_class WHERE ${ours} AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL($1::text[]) ORDER BY relname`,
    [leftOut],
  )
  return rows
}

export async function partitionsOf(client: Client): Promise<Manifest['partitions']> {
  const { rows } = await client.query<Manifest['partitions'][number]>(
    `SELECT pg_class.relname AS name, parent.relname AS of, pg_get_expr(pg_class.relpartbound, pg_class.oid) AS bounds
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid JOIN pg_class AS parent ON parent.oid = inhparent
      WHERE pg_class.relispartition AND pg_class.relkind = 'r' AND pg_class.relnamespace = 'public'::regnamespace ORDER BY 2, 1`,
  )
  return rows
}

export async function sequencesOf(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE ${ours} AND relkind = 'S' ORDER BY relname`,
  )
  const found: Manifest['sequences'] = []
  for (const { name } of rows) {
    const { rows: values } = await client.query<{ lastValue: string; isCalled: boolean }>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM public.${client.escapeIdentifier(name)}`,
    )
    found.push({ name, ...values[0]! })
  }
  return found
}

export async function hasTable(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `public.${name}`,
  ])
  return rows[0]!.there
}

/** The names of what lies in the schema `public` and is of no extension: tables, views, sequences. */
export async function relationsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE ${ours} AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') ORDER BY relname`,
  )
  return rows.map(({ name }) => name)
}
