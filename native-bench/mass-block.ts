import { setTimeout as pause } from 'node:timers/promises'
import { alone, type Figure, figureAtMost, ratioAtMost } from './figures.ts'
import { QuickNas } from './quick-nas.ts'
import { load } from './radius/load.ts'
import { addressOf, nasAddresses, secret } from './radius/subscribers.ts'
import { startTollgate, type Tollgate } from './radius/tollgate.ts'

export type MassBlockOptions = { blocked: number; quietSeconds: number }

const nasCount = 20
/** Sign-ins a second, of others than those who are blocked. */
const askedPerSecond = 1_000
/** Of these NAS one datagram in fifty does not arrive. */
const lossyNas = 5
const patienceMs = 90_000
/**
 * Blocked before anything is measured: what a program has just begun to do, it compiles meanwhile on the cores of the
 * others.
 */
const rehearsed = 3_000

/**
 * Many subscribers get into debt at once, each with a live session on one of twenty NAS, and process_blocks blocks them
 * all, while others sign in at a steady rate. Every NAS is asked to cut every login, the one with the session first; a
 * quarter of them lose packets.
 */
export async function measureMassBlock({ blocked, quietSeconds }: MassBlockOptions): Promise<Figure[]> {
  const addresses = nasAddresses(nasCount)
  const asked = 10_000
  const tollgate = await startTollgate({ users: asked + blocked + rehearsed, nas: addresses }, 2)
  const allNas = await Promise.all(
    addresses.map((ip, index) => QuickNas.start(ip, secret, index < lossyNas ? 50 : Number.POSITIVE_INFINITY)),
  )
  try {
    await tollgate.program.stop()
    await prepare(tollgate, asked, blocked + rehearsed, addresses, allNas)
    await tollgate.program.start()
    // The start has work of its own, and what runs often is compiled in its first seconds.
    const signIns = {
      port: tollgate.program.address.authPort,
      method: 'pap' as const,
      nas: addresses[0]!,
      users: asked,
      rate: askedPerSecond,
    }
    await load({ ...signIns, seconds: 3 })
    await rehearse(tollgate, asked + blocked)
    const quiet = await load({ ...signIns, seconds: quietSeconds })
    const heard = () => allNas.reduce((sum, nas) => sum + nas.heard, 0)
    const heardBefore = heard()
    const startedMs = performance.now()
    await intoDebt(tollgate, asked, asked + blocked)
    const job = tollgate.program.rest('POST', '/admin/jobs/process_blocks/run/').catch(() => null)
    const cut = untilCut(allNas, rehearsed + blocked, startedMs)
    const finished = cut.then(() => untilFinished(tollgate, startedMs))
    const busy = await load({ ...signIns, seconds: Math.max(quietSeconds, Math.ceil(blocked / 1000) + 2) })
    const [cutSeconds, finishedSeconds] = [await cut, await finished]
    await job
    const { rows } = await tollgate.database.query<{ live: number }>(
      'SELECT count(*)::int4 AS live FROM radius_sessions WHERE ended_at IS NULL',
    )
    const what = `${blocked.toLocaleString('en')} blocked at once, ${nasCount} NAS`
    const signIn = (share: 'p50' | 'p99', target: Figure['target']): Figure => ({
      what: `${what}: sign-in ${share} meanwhile`,
      unit: 'µs',
      ours: busy.latency[share],
      peer: 'quiet',
      theirs: quiet.latency[share],
      target: target ?? null,
    })
    return [
      signIn('p50', null),
      signIn('p99', ratioAtMost(2)),
      alone(`${what}: sign-ins lost`, 'requests', busy.lost, figureAtMost(0)),
      alone(`${what}: until every session was asked to end`, 's', cutSeconds),
      alone(`${what}: until every NAS had answered`, 's', finishedSeconds),
      alone(`${what}: sessions still live`, 'sessions', rows[0]!.live, figureAtMost(0)),
      alone(`${what}: fastest at one NAS`, 'requests/s', Math.max(...allNas.map(({ fastest }) => fastest))),
      alone(`${what}: Disconnect-Requests`, 'datagrams', heard() - heardBefore),
    ]
  } finally {
    for (const nas of allNas) nas.close()
    await tollgate.stop()
  }
}

/** Behind the back of the program: process_blocks finds them. */
async function intoDebt({ database }: Tollgate, above: number, upTo: number): Promise<void> {
  await database.query('SET session_replication_role = replica')
  await database.query(
    'UPDATE admin_accounts SET credit = 10000000000, ostatok = -10000000000 WHERE id > $1 AND id <= $2',
    [above, upTo],
  )
  await database.query('SET session_replication_role = DEFAULT')
}

/** Those above are blocked, and every NAS answers. */
async function rehearse(tollgate: Tollgate, above: number): Promise<void> {
  await intoDebt(tollgate, above, above + rehearsed)
  await tollgate.program.rest('POST', '/admin/jobs/process_blocks/run/')
  await untilFinished(tollgate, performance.now())
}

/** Sessions of those who will be blocked, over all NAS; each NAS is told of at the port it has here. */
async function prepare(
  { database }: Tollgate,
  asked: number,
  blocked: number,
  addresses: readonly string[],
  allNas: readonly QuickNas[],
): Promise<void> {
  await database.query(
    'UPDATE nas SET coa_port = given.port FROM unnest($1::inet[], $2::int4[]) AS given(ip, port) WHERE nas.ip = given.ip',
    [addresses, allNas.map(({ port }) => port)],
  )
  // Those whom the load expects to be refused by the operator are not to be counted here.
  await database.query('DELETE FROM abonents_block WHERE abonent_id > $1', [asked])
  await database.query('UPDATE abonents SET enabled = true WHERE id > $1', [asked])
  await database.query('UPDATE users SET enabled = true WHERE id > $1', [asked])
  await database.query(
    `INSERT INTO radius_sessions (login, user_id, abonent_id, organization_id, nas_id, nas_ip, acct_session_id, framed_ip, started_at, updated_at)
     SELECT 'user' || n, n, n, 1, nas.id, nas.ip, to_hex(n), inet '${addressOf(0)}' + n, now(), now()
     FROM generate_series($1::int4 + 1, $1 + $2::int4) AS n JOIN (SELECT id, ip, row_number() OVER (ORDER BY id) - 1 AS place FROM nas) AS nas
       ON nas.place = n % ${nasCount}`,
    [asked, blocked],
  )
  await database.query('VACUUM ANALYZE')
}

async function untilCut(allNas: readonly QuickNas[], wanted: number, startedMs: number): Promise<number> {
  const cut = () => allNas.reduce((sum, nas) => sum + nas.cut.size, 0)
  while (cut() < wanted) {
    if (performance.now() - startedMs > patienceMs) throw new Error(`${cut()} of ${wanted} sessions were asked to end.`)
    await pause(10)
  }
  return (performance.now() - startedMs) / 1000
}

/** Every effect is marked done. */
async function untilFinished({ database }: Tollgate, startedMs: number): Promise<number> {
  for (;;) {
    const { rows } = await database.query<{ open: number }>(
      `SELECT count(*)::int4 AS open FROM outbox WHERE done_at IS NULL AND kind = 'disconnect'`,
    )
    if (rows[0]!.open === 0) return (performance.now() - startedMs) / 1000
    if (performance.now() - startedMs > patienceMs)
      throw new Error(`${rows[0]!.open} blocks wait for an answer of a NAS.`)
    await pause(250)
  }
}
