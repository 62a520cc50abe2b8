import { constants, zstdCompressSync } from 'node:zlib'
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { withConnection } from '../storage/connection.ts'
import { appliedMigrations, migrationsTable } from '../storage/migrations.ts'
import { neededKeys } from '../storage/secret-keys.ts'
import { hasTable, partitionsOf, sequencesOf, type Table, tablesOf } from './catalog.ts'
import type { DumpedTable, Manifest } from './manifest.ts'
import { BackupRefusal } from './refusal.ts'
import type { Entry } from './tar.ts'

export type DumpedDatabase = Pick<
  Manifest,
  'postgres' | 'migrations' | 'tables' | 'partitions' | 'sequences' | 'secretKeys'
>

/** How far it is, in bytes of the tables; `total` is an estimate. */
export type Told = (progress: { readonly what: string; readonly done: number; readonly total: number }) => void

/** So much of a table is an entry: it is compressed in memory, and a damaged one says where the file is damaged. */
const entryBytes = 4 * 2 ** 20
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

const entryOf = (table: string, number: number): string =>
  `database/${table}/${String(number).padStart(6, '0')}.copy.zst`

/** The table whose rows an entry has; null: it has something else. */
export const tableOf = (name: string): string | null =>
  /^database\/([a-z_][a-z0-9_]*)\/[0-9]{6}\.copy\.zst$/.exec(name)?.[1] ?? null

/** Values are written as every server reads them, whatever role and database prefer. */
export const plainSettings = `SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET client_encoding = 'UTF8'; SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres';
  SET bytea_output = 'hex'; SET extra_float_digits = 1; SET max_parallel_workers_per_gather = 0`

/**
 * Hands over every table as entries of an archive, all of one moment: the snapshot of one transaction, beside which the
 * program goes on writing. Resolves with what the manifest says of them.
 */
export const dumpDatabase = (
  url: string,
  add: (entry: Entry) => Promise<void>,
  tell: Told = () => {},
): Promise<DumpedDatabase> =>
  withConnection(url, async (client) => {
    await client.query(plainSettings)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const migrations = (await hasTable(client, migrationsTable)) ? await appliedMigrations(client) : []
    if (migrations.length === 0) throw new BackupRefusal('There is nothing to back up: the database is empty.')
    const tables = await tablesOf(client)
    const partitions = await partitionsOf(client)
    const secretKeys = (await hasTable(client, 'secret_keys')) ? await neededKeys(client) : []
    const dumped: DumpedTable[] = []
    const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
    let done = 0
    for (const table of tables) {
      const told = (bytes: number) => tell({ what: table.name, done: done + Math.min(bytes, table.bytes), total })
      dumped.push(await dumpTable(client, table, add, told))
      done += table.bytes
    }
    const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
    await client.query('COMMIT')
    // A sequence is of no transaction. Read last, it is behind none of the numbers that the tables have.
    const sequences = await sequencesOf(client)
    if ((await appliedMigrations(client)).join() !== migrations.join())
      throw new BackupRefusal('The tables were changed by an upgrade meanwhile: make the backup again.')
    return { postgres: rows[0]!.version, migrations, tables: dumped, partitions, sequences, secretKeys }
  })

async function dumpTable(
  client: Client,
  { name, columns }: Table,
  add: (entry: Entry) => Promise<void>,
  tell: (bytes: number) => void,
): Promise<DumpedTable> {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  // Of a partitioned table only a query can be copied.
  const copy = client.query(copyTo(`COPY (SELECT ${list} FROM public.${client.escapeIdentifier(name)}) TO STDOUT`))
  let waiting: Buffer[] = []
  let size = 0
  let bytes = 0
  let number = 0
  const flush = async () => {
    const content = zstdCompressSync(Buffer.concat(waiting), compression)
    waiting = []
    size = 0
    await add({ name: entryOf(name, ++number), content })
  }
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    waiting.push(chunk)
    size += chunk.length
    bytes += chunk.length
    if (size < entryBytes) continue
    await flush()
    tell(bytes)
  }
  if (size > 0) await flush()
  // The server tells the count of rows behind them, and before it answers anything else.
  await client.query('')
  return { name, columns: [...columns], rows: copy.rowCount, bytes }
}
