import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { silentLog } from '../../src/platform/log.ts'
import { type Database, openDatabase } from '../../src/platform/storage/database.ts'
import { withDatabase } from '../../src/platform/storage/schema-check.ts'
import { atEndOfRoom } from '../runner/end-of-room.ts'
import { cloneOf, takeSpare } from '../runner/spare-databases.ts'
import { migratedTemplate } from '../runner/template.ts'
import { testServer } from './postgres.ts'
import { until } from './until.ts'

/** A machine that runs several tests at once may take long to open a connection; the database is there all the same. */
export const patientLimits = { connectionTimeoutMillis: 30_000, query_timeout: 60_000 }

type Teardown = { teardown(deed: () => unknown): unknown }

/**
 * A server process that answers its first queries costs 30 ms of CPU with all it has to read of the catalogue, and is
 * gone with the test. So there are as few as tests need that do something at once.
 */
export const fewConnections = { general: 3, ledger: 2 }

/** A migrated database of its own, gone when the test is through. */
export async function testDatabase(t: Teardown): Promise<{ url: string; database: Database }> {
  const url = await testDatabaseUrl(t)
  const database = await openDatabase({ url, log: silentLog, pool: fewConnections, limits: patientLimits })
  t.teardown(() => database.close())
  return { url, database }
}

/**
 * A migrated database that the tests of a file use one after the other, each as if it were new: that costs a twentieth
 * of a new one with its connections. The next file of this process has it too, unless something was done to it that is
 * not undone.
 */
export class SharedDatabase {
  readonly url: string
  readonly #database: Database
  readonly #drop: () => Promise<void>
  #isUsed = false

  private constructor(url: string, database: Database, drop: () => Promise<void>) {
    this.url = url
    this.#database = database
    this.#drop = drop
  }

  /** Free for others when `t` is through, which is the file. */
  static async open(t: Teardown): Promise<SharedDatabase> {
    const shared = free.pop() ?? (await SharedDatabase.#make())
    t.teardown(() => shared.#giveBack())
    return shared
  }

  static async #make(): Promise<SharedDatabase> {
    const deeds: (() => unknown)[] = []
    const { url, database } = await testDatabase({ teardown: (deed) => deeds.unshift(deed) })
    await database.ledger.query(keepAsMigrated)
    return new SharedDatabase(url, database, async () => {
      for (const deed of deeds) await deed()
    })
  }

  /** As it was migrated. What the test before has opened on it is closed by now, and its last queries are waited for. */
  async anew(): Promise<Database> {
    const { ledger } = this.#database
    await this.#quiet()
    if (this.#isUsed) await ledger.query('SELECT as_migrated.restore()')
    this.#isUsed = true
    return this.#database
  }

  async #quiet(): Promise<void> {
    const { pool, ledger, accounting } = this.#database
    const isIdle = ({ totalCount, idleCount, waitingCount }: pg.Pool) => totalCount === idleCount && waitingCount === 0
    await until(() => [pool, ledger, accounting].every(isIdle))
  }

  async #giveBack(): Promise<void> {
    const isEmpty = free.length === 0 && (await this.#isEmptied().catch(() => false))
    if (isEmpty) free.push(this)
    else await this.#drop()
  }

  /** False when more than rows has changed. */
  async #isEmptied(): Promise<boolean> {
    await this.#quiet()
    const { rows } = await this.#database.ledger.query('SELECT as_migrated.emptied() AS is')
    return rows[0].is && this.#database.isUp()
  }

  static async dropFree(): Promise<void> {
    for (const shared of free.splice(0)) await shared.#drop()
  }
}

/** What no file of this process uses now. */
const free: SharedDatabase[] = []
atEndOfRoom(SharedDatabase.dropFree)

/**
 * Beside the tables of the program a copy of those that have rows from the start, and a function that brings all of them
 * and their sequences back, past the triggers. What else is changed, such as a trigger, is only noticed. Before the next
 * file the tables are truncated, so that its rows lie as in a new database: a statement without an order answers them as
 * they lie.
 */
const keepAsMigrated = `
CREATE SCHEMA as_migrated;
CREATE FUNCTION as_migrated.used(schema regnamespace) RETURNS SETOF name STABLE LANGUAGE sql AS $$
  SELECT relname FROM pg_class WHERE relnamespace = schema AND relkind = 'r' AND pg_relation_size(oid) > 0 $$;
DO $$ DECLARE used name; BEGIN
  FOR used IN SELECT as_migrated.used('public') LOOP
    EXECUTE format('CREATE TABLE as_migrated.%1$I AS TABLE public.%1$I', used);
  END LOOP;
END $$;
CREATE MATERIALIZED VIEW as_migrated.sequences AS
  SELECT seqrelid::regclass AS id, seqstart AS start, pg_sequence_last_value(seqrelid) AS value FROM pg_sequence;
CREATE FUNCTION as_migrated.restore() RETURNS void SET session_replication_role = replica LANGUAGE plpgsql AS $$
DECLARE
  used name;
  columns text;
BEGIN
  FOR used IN SELECT as_migrated.used('public') LOOP
    EXECUTE format('DELETE FROM public.%I', used);
  END LOOP;
  FOR used IN SELECT as_migrated.used('as_migrated') LOOP
    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
      WHERE attrelid = format('public.%I', used)::regclass AND attnum > 0 AND attgenerated = '' AND NOT attisdropped;
    EXECUTE format('INSERT INTO public.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM as_migrated.%1$I', used, columns);
  END LOOP;
  PERFORM setval(id, coalesce(value, start), value IS NOT NULL) FROM as_migrated.sequences
    WHERE pg_sequence_last_value(id) IS DISTINCT FROM value;
END $$;
CREATE SEQUENCE as_migrated.changes;
CREATE FUNCTION as_migrated.emptied() RETURNS boolean SET session_replication_role = replica LANGUAGE plpgsql AS $$ BEGIN
  IF pg_sequence_last_value('as_migrated.changes') IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE (SELECT format('TRUNCATE %s CASCADE', string_agg(format('public.%I', used), ', '))
    FROM as_migrated.used('public') AS used);
  RETURN true;
END $$;
CREATE FUNCTION as_migrated.notice() RETURNS event_trigger SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'pg_temp') THEN
    PERFORM nextval('as_migrated.changes');
  END IF;
END $$;
CREATE EVENT TRIGGER as_migrated_notice ON ddl_command_end EXECUTE FUNCTION as_migrated.notice()`

type Wanted = {
  /** False: it is empty. */
  readonly migrated?: boolean
  /** Of another one, to which nobody is connected. */
  readonly copyOf?: string
}

/** The same for a test that opens the database itself. */
export async function testDatabaseUrl(t: Teardown, { migrated = true, copyOf }: Wanted = {}): Promise<string> {
  const server = await testServer()
  const name = `tollgate_test_${randomBytes(6).toString('hex')}`
  await withAdmin(server, async (admin) => {
    if (migrated && !copyOf && (await takeSpare(admin, name))) return
    await admin.query(cloneOf(copyOf ?? (migrated ? await migratedTemplate(server) : 'template0'), name))
  })
  t.teardown(() => withAdmin(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
  return withDatabase(server, name)
}

/** @types/pg does not know what pg has for its sockets. */
type AdminClient = pg.Client & { ref(): void; unref(): void }

let admin: { readonly server: string; readonly client: Promise<AdminClient>; users: number } | null = null

/**
 * One connection makes and drops all databases of this process, because to open one costs as much CPU as to drop a
 * database. It keeps the process from ending only while it is used.
 */
async function withAdmin<T>(server: string, deed: (admin: pg.Client) => Promise<T>): Promise<T> {
  if (admin?.server !== server) admin = { server, client: openAdmin(server), users: 0 }
  const own = admin
  const client = await own.client
  if (own.users++ === 0) client.ref()
  try {
    return await deed(client)
  } finally {
    if (--own.users === 0) client.unref()
  }
}

async function openAdmin(server: string): Promise<AdminClient> {
  const client = new pg.Client({ connectionString: server }) as AdminClient
  // The server of a file alone ends with it.
  client.on('error', () => {
    admin = null
  })
  await client.connect()
  return client
}

/** Connections to a database of a test, closed when the test is through. */
export const testPool = (t: Teardown, url: string, max: number): pg.Pool =>
  endedWith(t, new pg.Pool({ connectionString: url, max }))

/**
 * The promise of `end` does not wait for the connections to leave, so the server may tell one that it is dropping the
 * database.
 */
export function endedWith<P extends pg.Pool>(t: Teardown, pool: P): P {
  pool.on('error', (error) => {
    if (!pool.ending) throw error
  })
  t.teardown(() => pool.end())
  return pool
}
