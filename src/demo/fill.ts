import { openParts, type ProgramOrder } from '../app/program.ts'
import { Stops } from '../app/stops.ts'
import { closeDays } from '../network/radius/traffic/closing.ts'
import { LocalDays } from '../network/radius/traffic/local-days.ts'
import { TrafficStore } from '../network/radius/traffic/traffic-store.ts'
import { ensureFirstStaff } from '../platform/staff/staff-table.ts'
import { ensureWorkingRole } from '../platform/postgres/working-role.ts'
import { withConnection } from '../platform/storage/connection.ts'
import { type Database, openDatabase } from '../platform/storage/database.ts'
import { migrate } from '../platform/storage/migrate.ts'
import { openSecrets } from '../platform/storage/secret-keys.ts'
import { Dice } from './dice.ts'
import { HistoryClock } from './history/clock.ts'
import { allPastCommands, zone } from './history/past-commands.ts'
import { insertProblems, insertShifts, insertTickets } from './history/desk.ts'
import { insertCoa, insertRefusals } from './history/network-log.ts'
import { replay, tellHistory } from './history/replay.ts'
import { countTraffic, insertSessions, type Online, pastSessions } from './history/sessions.ts'
import { insertWebhooks } from './history/webhooks.ts'
import type { Person } from './people.ts'
import { insertProvider } from './provider.ts'

/** Days that are still in steps begin two days before today; all that is older is closed in one go. */
const openDaysBefore = 3

const nobody: Online = new Map()

/** The comment of the schema while it is being filled. */
const unfinished = 'The demo is being filled.'

const remark = (ownerUrl: string, text: string) =>
  withConnection(ownerUrl, (client) => client.query(`COMMENT ON SCHEMA public IS ${client.escapeLiteral(text)}`))

/** Whether the program ended before a database was filled. */
const isCutOff = (ownerUrl: string) =>
  withConnection(ownerUrl, async (client) => {
    const { rows } = await client.query(`SELECT obj_description('public'::regnamespace, 'pg_namespace') = $1 AS is`, [
      unfinished,
    ])
    return rows[0].is === true
  })

async function empty(ownerUrl: string, databaseUrl: string): Promise<void> {
  await withConnection(ownerUrl, (client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'))
  if (databaseUrl !== ownerUrl) await ensureWorkingRole(ownerUrl)
}

/**
 * Fills an empty database with a provider that has worked for a quarter. Rows that an operator or a NAS would have
 * written are written as they are; money and access are moved by the actors of the accounts, and traffic is counted by
 * its counter, in a program without open doors whose clock goes through the quarter. Says who is online by now; when
 * there are subscribers already, nothing is changed. What was cut off in the middle is thrown away and begun anew.
 */
export async function fillDemo(order: ProgramOrder, people: readonly Person[], now: Date): Promise<Online> {
  const { config, log, databaseUrl, ownerUrl = databaseUrl, databaseLimits: limits } = order
  const stops = new Stops()
  if (await isCutOff(ownerUrl)) await empty(ownerUrl, databaseUrl)
  await migrate({ url: ownerUrl, log })
  const database = await openDatabase({ url: databaseUrl, log, ...(limits && { limits }) })
  stops.add(() => database.close())
  try {
    const { rows } = await database.pool.query('SELECT 1 FROM abonents LIMIT 1')
    if (rows.length > 0) return nobody
    await remark(ownerUrl, unfinished)
    const startedMs = performance.now()
    const dice = new Dice(2026)
    const { provider, past, online } = await insertRows(database, order, people, dice, now)
    const clock = new HistoryClock(now)
    const parts = await openParts({ config, log, clock, database, onStop: stops.add })
    countTraffic(parts.traffic.counter, past)
    await parts.traffic.counter.flush()
    await closeDays(parts.traffic, now, new AbortController().signal)
    await replay(allPastCommands(provider, now, dice), { ...parts, clock })
    clock.set(now)
    await insertShifts(database.pool, provider, now)
    await tellHistory({ ...parts, pool: database.pool, now })
    await remark(ownerUrl, '')
    log.info('demo provider filled', { tookMs: Math.round(performance.now() - startedMs) })
    return online
  } finally {
    await stops.stop()
  }
}

/** What is neither money nor access. */
async function insertRows(
  database: Database,
  { config, log }: Pick<ProgramOrder, 'config' | 'log'>,
  people: readonly Person[],
  dice: Dice,
  now: Date,
) {
  const { pool } = database
  const secrets = await openSecrets(database.url, config, (sql) => database.holdLock(sql))
  const { username, password } = config.firstStaff
  await ensureFirstStaff(pool, { username, password: password ?? undefined, seal: (text) => secrets.seal(text) })
  const provider = await insertProvider(pool, secrets, people, now)
  const { past, online } = pastSessions(provider, now, dice)
  await insertSessions(pool, past)
  await beginTraffic(database, now)
  await insertRefusals(pool, provider, now, dice)
  await insertCoa(pool, provider, now, dice, log)
  await insertTickets(pool, provider, now, dice)
  await insertProblems(pool, provider.clients, dice)
  await insertWebhooks(pool, secrets, provider, now)
  return { provider, past, online }
}

/** The counter is told of past sessions itself, and so does not look for them in their rows. */
async function beginTraffic({ pool }: Database, now: Date): Promise<void> {
  const store = new TrafficStore(pool)
  const { rows } = await pool.query('SELECT coalesce(max(id), 0) + 1 AS next FROM radius_sessions')
  await store.write({ series: [], marks: [], late: [], scannedFrom: Number(rows[0].next) })
  await store.openDay(new LocalDays(zone).dayAt(now.getTime() / 1000) - openDaysBefore)
}
