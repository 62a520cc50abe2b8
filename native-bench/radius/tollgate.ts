import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { timetable } from '../../src/billing/jobs/timetable.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { newDataDir } from '../../test/support/data-folder.ts'
import { RunningProgram } from '../../test/support/program.ts'
import { blockedEvery, type Crowd, passwordNumberSql, passwords, secret, speedMbit } from './subscribers.ts'
import type { Secrets } from '../../src/platform/secrets/secrets.ts'
import { secretsIn } from '../../test/support/secrets.ts'

/** What would run at the start because it never has. */
const jobs = Object.keys(timetable({ get: undefined as never }))

/** A RADIUS server under load. */
export type Server = {
  readonly authPort: number
  /** 0: does no accounting. */
  readonly acctPort: number
  /** Their processor time is the server's. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}

export type Tollgate = Server & {
  readonly program: RunningProgram
  readonly database: pg.Client
  /** From the start of the process until it says that it is ready. */
  readonly startSeconds: number
}

/**
 * The program as an operator starts it, with a PostgreSQL that is safe against power loss and subscribers put there in
 * bulk.
 */
export async function startTollgate(
  crowd: Crowd,
  workers: number,
  settings: Record<string, string> = {},
): Promise<Tollgate> {
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  const database = new pg.Client({ connectionString: server.url })
  const program = new RunningProgram(
    { DATABASE_URL: server.url, TOLLGATE_RADIUS_WORKERS: String(workers), ...settings },
    dataDir,
  )
  const stop = async () => {
    await database.end().catch(() => {})
    await program.stop()
    await server.stop()
    program.remove()
  }
  try {
    compileAddon()
    await migrate({ url: server.url, log: silentLog })
    await database.connect()
    await fill(database, secretsIn(dataDir), crowd)
    const startedMs = performance.now()
    await program.launch()
    const startSeconds = (performance.now() - startedMs) / 1000
    await program.signIn()
    const slow = program.log.find(({ message }) => message.includes('packet by packet'))
    if (slow) process.stderr.write(`Tollgate: ${slow.message} ${slow.reason}\n`)
    const { authPort, acctPort } = program.address
    return { authPort, acctPort, pids: [program.pid, postmasterPid(dataDir)], program, database, startSeconds, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** As an install does; sources that changed since would leave the program without it. */
export function compileAddon(): void {
  execFileSync(process.execPath, ['bin/compile-udp.js'], { stdio: 'ignore' })
}

export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

/** The bulk way of lists.ts: no triggers, because what they would do is put there too or of no use here. */
export async function fill(database: pg.Client, secrets: Pick<Secrets, 'seal'>, { users, nas }: Crowd): Promise<void> {
  const ids = `generate_series(1, ${users}) AS n`
  const isBlocked = `n % ${blockedEvery} = 0`
  await database.query('SET session_replication_role = replica')
  await database.query(
    `INSERT INTO nas (name, ip, secret, nas_type) SELECT 'nas ' || host(ip), ip, $2, 'mikrotik' FROM unnest($1::inet[]) AS ip`,
    [nas, secrets.seal(secret)],
  )
  await database.query(
    `INSERT INTO tarifs (id, name, price, speed_mbit) VALUES (1000, 'Home', 6000000000000, ${speedMbit})`,
  )
  await database.query(`INSERT INTO admin_accounts (id) SELECT n FROM ${ids}`)
  const restoreIndexes = await dropIndexes(database, 'abonents')
  await database.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date, enabled)
    SELECT n, 'subscriber ' || n, 'b' || n, n, 1, 1000, '2020-01-01', NOT ${isBlocked} FROM ${ids}`)
  await restoreIndexes()
  await database.query(`INSERT INTO abonents_block (abonent_id, b_admin) SELECT n, true FROM ${ids} WHERE ${isBlocked}`)
  await database.query(
    `INSERT INTO users (id, abonent_id, login, password, ip, enabled)
     SELECT n, n, 'user' || n, ($1::text[])[1 + ${passwordNumberSql('n')}], inet '10.0.0.0' + n, NOT ${isBlocked} FROM ${ids}`,
    [passwords.map((password) => secrets.seal(password))],
  )
  await database.query('SET session_replication_role = DEFAULT')
  for (const table of ['tarifs', 'admin_accounts', 'abonents', 'users', 'nas'])
    await database.query(`SELECT setval(pg_get_serial_sequence($1, 'id'), (SELECT max(id) FROM ${table}))`, [table])
  // Everything has just run: else the start would charge everybody, and the load would run beside that.
  await database.query(
    `INSERT INTO job_runs (name, started_at, ended_at, ok) SELECT name, now(), now(), true FROM unnest($1::text[]) AS name`,
    [jobs],
  )
  await database.query('VACUUM ANALYZE')
}

/** Those for searching by parts of texts take a minute for a million rows put in one by one, and seconds at once. */
async function dropIndexes(database: pg.Client, table: string): Promise<() => Promise<void>> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = $1 AND indexname NOT LIKE '%\\_pkey'`,
    [table],
  )
  for (const { name } of rows) await database.query(`DROP INDEX ${name}`)
  return async () => {
    await database.query("SET maintenance_work_mem = '1GB'")
    for (const { definition } of rows) await database.query(definition)
    await database.query('RESET maintenance_work_mem')
  }
}
