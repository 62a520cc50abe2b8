import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freeTcpPort } from '../../test/support/free-port.ts'
import { Desk, deskSources, haproxyConfig, isReady } from '../../test/support/haproxy.ts'
import { FakeNas } from '../../test/support/nas.ts'
import type { RunningProgram } from '../../test/support/program.ts'
import { ruble } from '../../test/support/provider.ts'
import { alone, type Figure, figureAtMost } from '../figures.ts'
import { needPackages } from '../packages.ts'
import { becomes, type Fleet, usersFrom, within } from './fleet.ts'

type Pair = { readonly a: RunningProgram; readonly b: RunningProgram }

const usersBegin = 16_001
const patienceMs = 60_000
/** It answers nothing, so the node that has asked it last asks again. */
const silentNas = '127.0.0.102'
const gapSeconds = { killed: 1, frozen: 3 }
const outboxSeconds = 6
const jobSeconds = 15
/** It is due every minute. */
const job = 'roll_up_reports'

/**
 * Four cash desks pay without a pause through HAProxy by deploy/haproxy.cfg, each payment under a key that is sent again
 * until it is answered, while B is frozen, goes on, and is killed with an effect and a job in its hands. `withJob`: up to
 * a minute passes until the job is due.
 */
export async function measureBalanced(
  fleet: Fleet,
  { a, b }: Pair,
  { withJob }: { withJob: boolean },
): Promise<Figure[]> {
  const balancer = await Balancer.start([a, b])
  const nas = await FakeNas.start({ ip: silentNas, answer: () => 'silence' })
  const accounts = usersFrom(usersBegin, deskSources.length)
  const desks = deskSources.map(
    (from, n) => new Desk({ front: balancer.front, from, session: a.session, account: accounts[n]! }),
  )
  const paying = Promise.all(desks.map((desk) => desk.pay()))
  try {
    await paid(desks, 5)
    const frozenAtMs = performance.now()
    b.signal('SIGSTOP')
    await paid(desks, 20)
    const frozenSeconds = longestGap(desks, frozenAtMs)
    b.signal('SIGCONT')
    await becomes(patienceMs, 'B is ready again', () => isReady(b.address.http))

    const hands = await fillHands(a, b, nas, withJob)
    const killedAtMs = performance.now()
    await b.kill()
    await hands.letGo()
    const outbox = hands.untilEffect(killedAtMs)
    const jobDone = withJob ? untilJob(fleet, killedAtMs) : null
    await paid(desks, 20)
    const killedSeconds = longestGap(desks, killedAtMs)
    const figures = [
      alone('B frozen behind HAProxy: longest wait of a payment', 's', frozenSeconds, figureAtMost(gapSeconds.frozen)),
      alone('B killed behind HAProxy: longest wait of a payment', 's', killedSeconds, figureAtMost(gapSeconds.killed)),
      alone('B killed: its effect is carried out by A after', 's', await outbox, figureAtMost(outboxSeconds)),
      ...(jobDone ? [alone('B killed: its job is done by A after', 's', await jobDone, figureAtMost(jobSeconds))] : []),
    ]
    for (const desk of desks) desk.isOver = true
    await within(patienceMs, 'The last payments', paying)
    const failures = desks.flatMap((desk) => desk.failures).length
    return [
      ...figures,
      alone(
        'payments behind HAProxy that are lost or doubled',
        'payments',
        await unequal(fleet, desks),
        figureAtMost(0),
      ),
      alone('payments that had to be sent again', 'requests', failures),
    ]
  } finally {
    b.signal('SIGCONT')
    for (const desk of desks) desk.isOver = true
    await nas.close()
    balancer.end()
  }
}

/** Every desk has so many more answers. */
async function paid(desks: readonly Desk[], more: number): Promise<void> {
  const before = desks.map(({ answered }) => answered.length)
  const are = async () => desks.every(({ answered }, n) => answered.length >= before[n]! + more)
  await becomes(patienceMs, 'Every cash desk is answered', are, 10)
}

const longestGap = (desks: readonly Desk[], sinceMs: number): number =>
  Math.max(...desks.map((desk) => desk.longestGapMs(sinceMs))) / 1000

/** What B has begun and cannot end when it is killed: a Disconnect that no NAS answers, and a job that waits for a lock. */
async function fillHands(a: RunningProgram, b: RunningProgram, nas: FakeNas, withJob: boolean) {
  const { name, ip, secret, coaPort } = nas.entry
  const made = await a.rest('POST', '/rest_api/v2/Nas/', { name, ip, secret, coa_port: coaPort })
  if (made.status !== 201) throw new Error(`The NAS was refused: ${JSON.stringify(made.body)}`)
  const lock = withJob ? await holdJob(a, b) : null
  const [debtor] = usersFrom(usersBegin + deskSources.length + 1, 1)
  const before = nas.seen.length
  await b.rest('POST', '/rest_api/v2/FinanceOperations/', { account: debtor, op_type: 9, op_summa: ruble })
  await becomes(patienceMs, 'B asks the NAS', async () => nas.seen.length > before, 5)
  const isOf = (text: (type: number) => string | null) => text(1) === `user${debtor}`
  return {
    letGo: async () => {
      await lock?.end()
    },
    /** Seconds until A asks the same NAS the same. */
    untilEffect: async (sinceMs: number) => {
      const seen = nas.seen.length
      const find = () => nas.seen.slice(seen).find(({ text }) => isOf(text))
      await becomes(patienceMs, 'A asks the NAS', async () => find() !== undefined, 5)
      return (find()!.at - sinceMs) / 1000
    },
  }
}

/**
 * B is at work on the job, and A has found that out when the job was due: it looks again by itself. Ended, the
 * connection lets go of the table for which the job waits.
 */
async function holdJob(a: RunningProgram, b: RunningProgram): Promise<pg.Client> {
  const nextAt = async () => {
    const { body } = await a.rest('GET', '/admin/jobs/')
    return new Date(body.jobs.find((one: { name: string }) => one.name === job).next_at).getTime()
  }
  // B is not to be the first by its clock.
  let dueMs = await nextAt()
  while (dueMs - Date.now() < beforeDueMs) {
    await pause(1_000)
    dueMs = await nextAt()
  }
  await pause(dueMs - Date.now() - beforeDueMs)
  const client = new pg.Client({ connectionString: a.databaseUrl! })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE report_parts IN ACCESS EXCLUSIVE MODE')
  b.rest('POST', `/admin/jobs/${job}/run/`).catch(() => {})
  await becomes(patienceMs, 'A finds the job running', async () => (await nextAt()) > dueMs, 100)
  return client
}

const beforeDueMs = 3_000

/** Seconds until the job has been done. */
async function untilJob({ database }: Fleet, sinceMs: number): Promise<number> {
  const text = 'SELECT FROM job_runs WHERE name = $1 AND ok AND ended_at > $2'
  const since = new Date(performance.timeOrigin + sinceMs)
  const isDone = async () => ((await database.query(text, [job, since])).rowCount ?? 0) > 0
  await becomes(patienceMs, 'A does the job', isDone, 50)
  return (performance.now() - sinceMs) / 1000
}

/** Keys that are not one operation, the one that was answered. */
async function unequal({ database }: Fleet, desks: readonly Desk[]): Promise<number> {
  const answered = new Map(desks.flatMap((desk) => desk.answered).map(({ key, operation }) => [key, operation]))
  const { rows } = await database.query<{ key: string; id: number }>(
    'SELECT descr AS key, op_id::float8 AS id FROM finance_operations WHERE descr LIKE ANY($1)',
    [deskSources.map((from) => `${from}-%`)],
  )
  const wrong = rows.filter(({ key, id }) => answered.get(key) !== id).length
  return wrong + [...answered.keys()].filter((key) => !rows.some((row) => row.key === key)).length
}

/** HAProxy before two nodes. */
class Balancer {
  readonly front: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(front: string, child: ChildProcess, folder: string) {
    this.front = front
    this.#child = child
    this.#folder = folder
  }

  /** Throws Missing where there is no HAProxy. */
  static async start(nodes: readonly [RunningProgram, RunningProgram]): Promise<Balancer> {
    const program = '/usr/sbin/haproxy'
    needPackages(program, 'haproxy')
    const [port, postgres] = [await freeTcpPort(), await freeTcpPort()]
    const [first, second] = nodes.map(({ address }) => Number(new URL(address.http).port))
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-haproxy-'))
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, haproxyConfig({ front: port, nodes: [first!, second!], postgres }))
    const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' })
    const balancer = new Balancer(`http://127.0.0.1:${port}`, child, folder)
    try {
      await becomes(patienceMs, 'HAProxy has a node', () => isReady(balancer.front))
      return balancer
    } catch (error) {
      balancer.end()
      throw error
    }
  }

  end(): void {
    this.#child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
