import type { Client } from 'pg'
import type { Log } from '../log.ts'
import { withConnection } from '../storage/connection.ts'
import { migrate, migrateTo } from '../storage/migrate.ts'
import { restoreMark } from '../storage/migrations.ts'
import { relationsOf, type Table, tablesOf } from './catalog.ts'
import { plainSettings, type Told } from './dump.ts'
import type { Manifest } from './manifest.ts'
import { BackupRefusal } from './refusal.ts'
import { RowLoader } from './row-loader.ts'
import type { Entry } from './tar.ts'

type Order = {
  /** Of the role that may make tables. */
  readonly url: string
  readonly manifest: Manifest
  /** The entries of the archive; those that are not of the database are passed over. */
  readonly contents: () => AsyncIterable<Entry>
  readonly log: Log
  readonly tell?: Told
  /** Called when everything is loaded; when it fails, the database is emptied again. */
  readonly beforeEnd?: () => Promise<void>
}

/**
 * Makes the tables in an empty database as they were, and brings them up to this version. When it fails the database is
 * empty again; when it is killed a mark stays, which every start and every other restore understands.
 */
export async function loadDatabase(order: Order): Promise<void> {
  const { url, manifest, log, beforeEnd = async () => {} } = order
  await requireEmptyDatabase(url)
  try {
    await withConnection(url, async (client) => {
      await client.query(emptying)
      await client.query(`CREATE TABLE ${restoreMark} ()`)
    })
    await migrateTo(url, manifest.migrations)
    await withConnection(url, (client) => loadTables(client, order))
    await withConnection(url, async (client) => {
      await beforeEnd()
      await client.query(`DROP TABLE ${restoreMark}`)
    })
    await migrate({ url, log })
  } catch (error) {
    // A server that is away keeps the mark.
    await withConnection(url, (client) => client.query(emptying)).catch((trouble) =>
      log.warn('what was restored could not be taken back', { error: trouble }),
    )
    throw error
  }
}

/** Throws BackupRefusal unless there is nothing, or only what a restore that was killed has left. */
export const requireEmptyDatabase = (url: string): Promise<void> =>
  withConnection(url, async (client) => {
    const found = await relationsOf(client)
    if (found.length > 0 && !found.includes(restoreMark))
      throw new BackupRefusal(
        `The database is not empty: it has ${found.length} tables and the like, such as ${found[0]}. Nothing is overwritten: restore into a database that was newly made.`,
      )
  })

const ofExtension = (catalog: string): string =>
  `EXISTS (SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${catalog}.oid AND deptype = 'e')`

/** Extensions stay: they may have been there before, and do no harm. One that is dropped may take the next along. */
const emptying = `DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY(
    SELECT format('TABLE IF EXISTS %s', oid::regclass) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT ${ofExtension('pg_class')}
    UNION ALL SELECT format('SEQUENCE IF EXISTS %s', oid::regclass) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' AND NOT ${ofExtension('pg_class')}
    UNION ALL SELECT format('FUNCTION IF EXISTS %s', oid::regprocedure) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND NOT ${ofExtension('pg_proc')}
    UNION ALL SELECT format('TYPE IF EXISTS %s', reltype::regtype) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'c' AND NOT ${ofExtension('pg_class')})
  LOOP
    EXECUTE 'DROP ' || one || ' CASCADE';
  END LOOP;
END $$`

/**
 * Fills tables that are as the migrations of the archive make them, in one transaction. Triggers do not fire, because
 * what they wrote is among the rows. Foreign keys and indexes are made anew behind the rows, which is sooner done, and
 * checks every reference.
 */
export async function loadTables(
  client: Client,
  { manifest, contents, tell = () => {} }: Pick<Order, 'manifest' | 'contents' | 'tell'>,
): Promise<void> {
  await client.query(plainSettings)
  await client.query(`SET tollgate.writer = 'on'; SET maintenance_work_mem = '256MB'`)
  const tables = await tablesOf(client)
  requireColumns(manifest, tables)
  const references = await referencesOf(client)
  const indexes = [...(await keysOf(client)), ...(await indexesOf(client))]
  const all = tables.map(({ name }) => `public.${name}`)
  await client.query('BEGIN')
  for (const { drop } of [...references, ...indexes]) await client.query(drop)
  for (const table of all) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  await client.query(`TRUNCATE ${all.join(', ')}`)
  for (const { name, of, bounds } of manifest.partitions)
    await client.query(`CREATE TABLE IF NOT EXISTS public.${name} PARTITION OF public.${of} ${bounds}`)
  const loader = new RowLoader(
    client,
    manifest,
    new Set(tables.filter((table) => table.isPartitioned).map(({ name }) => name)),
  )
  for await (const entry of contents()) tell(await loader.take(entry))
  await loader.end()
  for (const { name, lastValue, isCalled } of manifest.sequences)
    await client.query('SELECT setval($1::regclass, $2::int8, $3::bool)', [`public.${name}`, lastValue, isCalled])
  const total = indexes.length + references.length
  const make = async (definitions: readonly Definition[], before: number) => {
    for (const [index, { name, make: statement }] of definitions.entries()) {
      tell({ what: name, done: before + index, total })
      await client.query(statement)
    }
  }
  await make(indexes, 0)
  // Few rows have most of the references, and their check finds those by an index where it knows that they are few.
  await client.query('ANALYZE')
  await make(references, indexes.length)
  for (const table of all) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  await client.query('COMMIT')
}

/** Nothing of an archive becomes part of a statement but names that its migrations have made. */
function requireColumns({ tables, partitions }: Manifest, made: readonly Table[]): void {
  const known = new Map(made.map((table) => [table.name, table]))
  for (const { name, columns } of tables) {
    const missing = columns.find((column) => !known.get(name)?.columns.includes(column))
    if (missing !== undefined)
      throw new BackupRefusal(`The archive has a column ${name}.${missing}, which none of its migrations makes.`)
  }
  const stray = partitions.find(({ of }) => !known.get(of)?.isPartitioned)
  if (stray) throw new BackupRefusal(`The archive has a partition of ${stray.of}, which has none.`)
}

type Definition = { readonly name: string; readonly drop: string; readonly make: string }

/** Foreign keys of every table. */
const referencesOf = (client: Client): Promise<Definition[]> =>
  constraintsOf(client, `contype = 'f' AND conparentid = 0`)

/** Constraints that have an index; those of partitioned tables stay, as other indexes of them do. */
const keysOf = (client: Client): Promise<Definition[]> =>
  constraintsOf(
    client,
    `contype IN ('p', 'u', 'x') AND EXISTS (SELECT FROM pg_class WHERE oid = conrelid AND relkind = 'r' AND NOT relispartition)`,
  )

async function constraintsOf(client: Client, which: string): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `SELECT conname AS name, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND ${which} ORDER BY conname`,
  )
  return rows
}

/** Those that no constraint has made. Those of partitioned tables stay, because they are not made in one go. */
async function indexesOf(client: Client): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `SELECT relname AS name, format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS make
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relkind = 'i' AND NOT relispartition AND relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x')) ORDER BY relname`,
  )
  return rows
}
