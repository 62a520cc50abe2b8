import { join } from 'node:path'
import pg from 'pg'
import { freeTcpPort, freeUdpPort } from '../support/free-port.ts'
import { DatabaseTime } from '../support/database-time.ts'
import { ownServer } from '../support/own-server.ts'
import { Phone } from '../support/phone.ts'
import { signUp } from '../support/provider.ts'
import { workingUrlOf } from '../../src/platform/postgres/working-role.ts'
import { silentLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { attack } from './attack/attacker.ts'
import { Book, type Violation } from './book.ts'
import { spoolDisk } from './disk.ts'
import { type Outage, shortly, within } from './door.ts'
import { Gateways } from './doors/gateways.ts'
import { judgeEnd, runDueJobs, waitForQuiet } from './end.ts'
import { type DoneFault, doFaults, faultsOf } from './faults.ts'
import { judgeWaits, type Siege } from './judge-waits.ts'
import { judgeLeak, judgeLog, type Memory } from './judge-process.ts'
import { Life } from './life.ts'
import type { Plan } from './plan.ts'
import { followRecords, guarded, openEnds, plugIn, settingsOf, startLoad, verifyLedger } from './provider.ts'
import { Stage } from './stage.ts'

export type Outcome = {
  readonly stage: Stage
  readonly faults: readonly DoneFault[]
  readonly violations: readonly Violation[]
  readonly starts: number
  /** Starts that came to nothing because the database was away. */
  readonly vainStarts: number
  /** Until the program was ready, of those that came to something. */
  readonly slowestStartMs: number
  readonly disk: string
  /** Null: the time between was too short to judge by. */
  readonly memory: { readonly warm: Memory; readonly end: Memory } | null
  readonly siege: Siege | null
  /** From the end of the load to the moment nothing was left to be done. */
  readonly quietAfterMs: number
}

export type Size = {
  readonly clients: number
  readonly nas: number
  /** How long the attacker has the program to himself at a time when all faults are done. 0: nothing is timed. */
  readonly siegeMs: number
}

/** A process is warm when it has been used for so long, and two looks at its memory are so far apart. */
const warmAfterMs = 8_000
const apartMs = 18_000
/** Connections are opened again, and what has piled up is stored. */
const aftermathMs = 4_000
/** An odd number of times, so that one of them is in the middle. */
const siegeTurns = 3

/**
 * The whole run: a provider with its program, load and faults, the repair, and the judgement. Stops all it has started.
 */
export async function runChaos(plan: Plan, size: Size, say: (words: string) => void): Promise<Outcome> {
  const ends: (() => unknown)[] = []
  const teardown = (end: () => unknown) => ends.push(end)
  try {
    return await run(plan, size, say, teardown)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function run(
  plan: Plan,
  size: Size,
  say: (words: string) => void,
  teardown: (end: () => unknown) => unknown,
): Promise<Outcome> {
  const postgres = await ownServer({ teardown })
  // The program works as no superuser, who could not migrate.
  await migrate({ url: postgres.url, log: silentLog })
  const time = await DatabaseTime.open(postgres.url)
  await time.set(plan.firstShiftMs)
  const book = new Book()
  const gateways = await Gateways.start()
  teardown(() => gateways.stop())
  const [authPort, acctPort] = [await freeUdpPort(), await freeUdpPort()]
  const life = new Life(
    {
      DATABASE_URL: workingUrlOf(postgres.url),
      TOLLGATE_HTTP_PORT: String(await freeTcpPort()),
      TOLLGATE_RADIUS_AUTH_PORT: String(authPort),
      TOLLGATE_RADIUS_ACCT_PORT: String(acctPort),
      ...settingsOf(gateways),
    },
    book,
  )
  const { program } = life
  teardown(() => life.remove())
  const disk = spoolDisk(join(program.dataDir, 'spool'))
  teardown(() => disk.remove())
  teardown(() => life.stop())
  await life.start()
  await program.makeCashDesk()
  const nas = await plugIn(plan, size.nas, { program, servers: [{ authPort, acctPort }] }, teardown)
  const clients = await signUp(program, size.clients)
  const stage = new Stage({ seed: plan.seed, program, clients, nas, book })
  followRecords(stage)
  const phone = await Phone.of(program.address.http)
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
  pool.on('error', () => {})
  teardown(() => pool.end())

  say(`the load begins: ${size.clients} subscribers, ${size.nas} NAS, spool on ${disk.kind}`)
  const load = [...startLoad(stage, gateways, phone), ...guarded(attack(stage), book)]
  const warm = warmMemory(plan, life, stage)
  const done = doFaults(plan, () => stage.nowMs, faultsOf({ postgres, time, life, nas, disk }))
  // Looked at when the load is over.
  done.catch(() => {})
  await shortly(plan.loadMs - stage.nowMs)
  const faults = await done
  const siege = size.siegeMs > 0 ? await besiege(stage, size.siegeMs) : null
  stage.isOver = true

  say('the load is over and everything is repaired')
  const overMs = stage.nowMs
  const finished = await within(120_000, Promise.all(load))
  if (!finished) book.violate('a part of the load was never answered', 'two minutes after the end of the load')
  const open = openEnds(pool, [program.dataDir])
  await runDueJobs(stage)
  await waitForQuiet({ stage, pool, open })
  const quietAfterMs = stage.nowMs - overMs
  await judgeEnd({ stage, pool, open, verifyLedger: () => verifyLedger(postgres.url) })
  const before = await warm
  const end =
    before && before.starts === life.starts && stage.nowMs - before.atMs >= apartMs ? await life.memory() : null
  const code = await life.stop()
  if (code !== 0) book.violate('the program did not end well', code)
  const kinds = new Set<string>(plan.faults.map(({ kind }) => kind))
  const violations = [
    ...book.violations,
    ...(before && end ? judgeLeak(before.memory, end) : []),
    ...judgeLog(life.log, kinds),
    ...(siege ? judgeWaits(book.waits, siege) : []),
  ]
  const memory = before && end ? { warm: before.memory, end } : null
  return {
    stage,
    faults,
    violations,
    starts: life.starts,
    vainStarts: life.vainStarts.length,
    slowestStartMs: life.slowestStartMs,
    disk: disk.kind,
    memory,
    siege,
    quietAfterMs,
  }
}

/** What the faults have left behind is worked through; then the attacker rests and has his time, in turn. */
async function besiege(stage: Stage, turnMs: number): Promise<Siege> {
  const turn = async (isResting: boolean) => {
    stage.isAttackerResting = isResting
    // What has begun in the turn before comes to its end.
    await shortly(isResting ? aftermathMs : 0)
    const fromMs = stage.nowMs
    await shortly(turnMs)
    return { fromMs, toMs: stage.nowMs }
  }
  const [rests, attacks]: [Outage[], Outage[]] = [[], []]
  for (let number = 0; number < siegeTurns; number++) {
    rests.push(await turn(true))
    attacks.push(await turn(false))
  }
  return { rests, attacks }
}

/** Once nobody kills the program any more, and it is warm. Null: the load is over before. */
async function warmMemory(plan: Plan, life: Life, stage: Stage) {
  while (stage.nowMs < plan.settledAtMs || life.upForMs < warmAfterMs) {
    if (stage.nowMs + apartMs > plan.loadMs) return null
    await shortly(100)
  }
  const { starts } = life
  const memory = await life.memory()
  return memory && { memory, starts, atMs: stage.nowMs }
}
