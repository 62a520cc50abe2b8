import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '../../../src/platform/log.ts'
import { workingUrlOf } from '../../../src/platform/postgres/working-role.ts'
import { migrate } from '../../../src/platform/storage/migrate.ts'
import { Phone } from '../../support/phone.ts'
import { type Client, linePassword, signUp } from '../../support/provider.ts'
import { Book, type Violation } from '../book.ts'
import { http, shortly, within } from '../door.ts'
import { contractOf } from '../doors/clients.ts'
import { Gateways } from '../doors/gateways.ts'
import { askEverybody, judgeEnd, runDueJobs, until, waitForQuiet } from '../end.ts'
import { doFaults, type DoneFault } from '../faults.ts'
import { judgeLog } from '../judge-process.ts'
import { judgeAccess } from '../judge-sessions.ts'
import { followRecords, openEnds, plugIn, settingsOf, startLoad, verifyLedger } from '../provider.ts'
import { Stage } from '../stage.ts'
import { readTables } from '../tables.ts'
import { fleetFaultsOf } from './faults.ts'
import { Fleet } from './fleet.ts'
import { judgeAddresses, judgeBalancesSaid, judgeEffects, judgeJobs, judgeSilence } from './judges.ts'
import type { FleetPlan } from './plan.ts'
import { ServerPair } from './server-pair.ts'
import { allSeen, beginToWatch } from './witness.ts'

export type FleetSize = {
  readonly clients: number
  readonly nas: number
  /** How long after the quiet every node must know all; null: as long as it takes. */
  readonly settleMs: number | null
}

export type FleetOutcome = {
  readonly stage: Stage
  readonly fleet: Fleet
  readonly faults: readonly DoneFault[]
  readonly violations: readonly Violation[]
  readonly quietAfterMs: number
}

/** Sessions are judged as silent after three of them. */
const interimSeconds = 5
const silenceMs = 3 * interimSeconds * 1000
/** Addresses for blocks of several nodes. */
const network = '10.77.0.0/22'
/** Asked for their balances at each node. */
const phonesMax = 6

/** As `runChaos`, with several nodes behind a balancer on a PostgreSQL with a standby. */
export async function runFleet(plan: FleetPlan, size: FleetSize, say: (words: string) => void): Promise<FleetOutcome> {
  const ends: (() => unknown)[] = []
  const teardown = (end: () => unknown) => ends.push(end)
  try {
    return await run(plan, size, say, teardown)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

type Teardown = (end: () => unknown) => unknown

async function run(plan: FleetPlan, size: FleetSize, say: (words: string) => void, teardown: Teardown) {
  const book = new Book()
  const gateways = await Gateways.start()
  teardown(() => gateways.stop())
  const pair = await ServerPair.start(plan.replication)
  teardown(() => pair.stop())
  const fleet = await openFleet(plan, { pair, gateways, book }, teardown)
  const pool = new pg.Pool({ connectionString: pair.url, max: 2 })
  pool.on('error', () => {})
  teardown(() => pool.end())
  await beginToWatch(pool)
  const { stage, phone } = await furnish(plan, size, { fleet, book }, teardown)
  pair.onLoss = (loss) => book.losses.push(loss)
  pair.spooledSince = () => oldestOf(spoolsOf(fleet))

  say(`the load begins: ${plan.nodes} nodes, ${size.clients} subscribers, ${size.nas} NAS, ${plan.replication} standby`)
  const load = startLoad(stage, gateways, phone)
  const done = doFaults(plan, () => stage.nowMs, fleetFaultsOf({ pair, fleet, nas: stage.nas }))
  done.catch(() => {})
  await shortly(plan.loadMs - stage.nowMs)
  const faults = await done
  stage.isOver = true

  say('the load is over and everything is repaired')
  const overMs = stage.nowMs
  await untilAnswered(Promise.all(load), gateways, book)
  const open = openEnds(
    pool,
    fleet.nodes.map(({ life }) => life.program.dataDir),
  )
  await runDueJobs(stage)
  await waitForQuiet({ stage, pool, open })
  const quietAfterMs = stage.nowMs - overMs
  await judgeEnd({
    stage,
    pool,
    open,
    verifyLedger: () => verifyLedger(pair.url),
    nodes: fleet.nodes.map(({ http }) => http),
    judgeEverywhere: () => judgeNodes({ stage, fleet, pool, phone }, size.settleMs),
  })
  const seen = await allSeen(pool)
  const tables = await readTables(pool)
  const code = await fleet.stop()
  if (code !== null) book.violate('a program did not end well', code)
  const sessions = stage.nas.flatMap((one) => one.sessions)
  const kinds = new Set<string>(plan.faults.map(({ kind }) => kind))
  const violations = [
    ...book.violations,
    ...judgeJobs(seen),
    ...judgeEffects(seen, book.losses),
    ...judgeSilence(sessions, seen, silenceMs, book.losses),
    ...judgeAddresses(tables.sessions, sessions, book.losses),
    ...fleet.nodes.flatMap(({ life }) => judgeLog(life.log, kinds)),
  ]
  return { stage, fleet, faults, violations, quietAfterMs }
}

/** What a gateway would repeat for days is given up: an order that is lost is never paid. */
async function untilAnswered(load: Promise<unknown>, gateways: Gateways, book: Book): Promise<void> {
  if (await within(60_000, load)) return
  gateways.giveUp()
  if (!(await within(60_000, load)))
    book.violate('a part of the load was never answered', 'two minutes after the end of the load')
}

async function openFleet(
  plan: FleetPlan,
  { pair, gateways, book }: { pair: ServerPair; gateways: Gateways; book: Book },
  teardown: Teardown,
): Promise<Fleet> {
  await migrate({ url: pair.url, log: silentLog })
  const fleet = await Fleet.open({
    count: plan.nodes,
    databaseUrlAt: (port) => workingUrlOf(pair.urlAt(port)),
    databasePort: () => pair.port,
    env: settingsOf(gateways, { RADIUS_INTERIM_INTERVAL: String(interimSeconds) }),
    book,
  })
  teardown(() => fleet.remove())
  teardown(() => fleet.close())
  teardown(() => fleet.stop())
  return await fleet.start()
}

async function furnish(
  plan: FleetPlan,
  size: FleetSize,
  { fleet, book }: { fleet: Fleet; book: Book },
  teardown: Teardown,
): Promise<{ stage: Stage; phone: Phone }> {
  // Not through the balancer, which gives up a node that a busy machine keeps from answering.
  const { program } = fleet.nodes[0]!.life
  await program.makeCashDesk()
  const pool = await program.create('IpPull', { name: 'chaos', network, enabled: true })
  const servers = fleet.nodes.map(({ radius }) => radius)
  const nas = await plugIn(plan, size.nas, { program, servers }, teardown)
  const clients = await signUp(program, size.clients, { pool: pool.id })
  const stage = new Stage({ seed: plan.seed, program: fleet, clients, nas, book })
  followRecords(stage)
  return { stage, phone: await Phone.of(fleet.address.http) }
}

const spoolsOf = ({ nodes }: Fleet): string[] =>
  nodes.flatMap(({ life }) => globSync(join(life.program.dataDir, 'spool', '*.spool')))

/** When the oldest of these files was made, by `performance.now()`. One may be gone by now, which says the same as none. */
const oldestOf = (files: readonly string[]): number =>
  Math.min(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? Number.POSITIVE_INFINITY)) -
  performance.timeOrigin

type Judged = { readonly stage: Stage; readonly fleet: Fleet; readonly pool: pg.Pool; readonly phone: Phone }

/** Each node by itself: it decides as the tables do, and says the balances that they have. */
async function judgeNodes(judged: Judged, settleMs: number | null): Promise<Violation[]> {
  if (settleMs !== null) {
    await shortly(settleMs)
    return await nodeViolations(judged)
  }
  const phones: Phones = new Map()
  let found: Violation[] = []
  await until(async () => {
    found = await nodeViolations(judged, phones)
    return found.length === 0
  })
  return found
}

async function nodeViolations({ stage, fleet, pool, phone }: Judged, phones: Phones = new Map()): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const [index, { name, http: base }] of fleet.nodes.entries()) {
    for (const nas of stage.nas) nas.moveTo(index, true)
    const said = await balancesAt(base, phone, stage.clients.slice(0, phonesMax), phones)
    const answers = await askEverybody(stage)
    const { lines, balances } = await readTables(pool)
    const found = [...judgeAccess(answers, lines), ...judgeBalancesSaid(said, balances)]
    const ready = found.length > 0 ? (await http(`${base}/readyz`))?.text : undefined
    for (const { what, record } of found) violations.push({ what, record: { node: name, ready, record } })
  }
  return violations
}

/** By node and login. Each signs in once, because sign-ins are limited and the judge may ask many times. */
type Phones = Map<string, Phone>

async function balancesAt(
  base: string,
  first: Phone,
  clients: readonly Client[],
  phones: Phones,
): Promise<Map<number, string>> {
  const said = new Map<number, string>()
  for (const client of clients) {
    const name = `${base} ${client.login}`
    const phone = phones.get(name) ?? first.another(base)
    if (phone.access === '') await phone.signIn(contractOf(client), linePassword)
    if (phone.access !== '') phones.set(name, phone)
    const { status, body } = await phone.get('/account/status')
    said.set(client.account, status === 200 ? body.balance : `no answer (${status})`)
    if (status === 401) phones.delete(name)
  }
  return said
}
