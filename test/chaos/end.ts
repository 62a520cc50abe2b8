import type { Pool } from 'pg'
import { attributes } from '../../src/network/radius/wire/attribute-types.ts'
import { violations as wrongRows } from '../support/invariants.ts'
import { linePassword } from '../support/provider.ts'
import { http, shortly, within } from './door.ts'
import { stationOf } from './doors/lines.ts'
import { judgeBalances, judgeMovements, judgeOwnOperations } from './judge-money.ts'
import { judgeRest } from './judge-process.ts'
import type { Violation } from './book.ts'
import { judgeAccess, judgeBlocked, judgeMemory, judgeOperator, judgeSessions } from './judge-sessions.ts'
import type { Stage } from './stage.ts'
import { readTables, type SessionRow } from './tables.ts'

type OpenEnds = () => Promise<{ outbox: readonly unknown[]; spool: readonly string[] }>

const patienceMs = 120_000

export const systemPassword = 'chaos-of-the-system-api'

/** In this order each finds what the one before has left to it. */
const dueJobs = ['billing_worker', 'check_expired_promises', 'process_blocks'] as const

/**
 * Bounded. What is due by the clock is done now; by themselves the jobs might run, and cut lines, in the middle of the
 * judging.
 */
export async function runDueJobs({ base }: Stage): Promise<void> {
  const order = { method: 'POST', headers: systemHeaders }
  for (const job of dueJobs)
    await until(async () => {
      const answer = await http(`${base}/system_api/jobs/${job}/run/`, order, patienceMs)
      return answer?.status === 200 && JSON.parse(answer.text).status === 'ok'
    })
}

/**
 * Bounded. First the NAS go on telling of their sessions, so that those that ought not to be are cut; then they fall
 * silent, and what was told is worked through.
 */
export async function waitForQuiet({ stage, pool, open }: { stage: Stage; pool: Pool; open: OpenEnds }): Promise<void> {
  const obedient = stage.nas.filter(({ parts }) => !parts.isDeaf)
  await until(async () => {
    const { rows } = await pool.query('SELECT login FROM users WHERE NOT enabled')
    return !rows.some(({ login }) => obedient.some((nas) => nas.liveOf(login)))
  })
  const inQuiet = Promise.all(stage.nas.map((nas) => nas.quiet())).then(() =>
    Promise.all(stage.nas.map((nas) => nas.tellOnce())),
  )
  await within(patienceMs, inQuiet)
  await until(async () => {
    const { outbox, spool } = await open()
    return outbox.length === 0 && spool.length === 0
  })
}

export async function until(is: () => Promise<boolean>): Promise<void> {
  const beganMs = performance.now()
  while (performance.now() - beganMs < patienceMs) {
    if (await is().catch(() => false)) return
    await shortly(100)
  }
}

type EndParts = {
  stage: Stage
  pool: Pool
  open: OpenEnds
  verifyLedger: () => Promise<string | null>
  /** The HTTP addresses of several; default: of the stage. */
  nodes?: readonly string[]
  /** Whether RADIUS decides as the tables do. Default: of one program, whenever it comes to that. */
  judgeEverywhere?: () => Promise<readonly Violation[]>
}

const systemHeaders = { 'X-System-Password': systemPassword }

/** Everything is repaired and quiet: what the world knows is held against what the program says and keeps. */
export async function judgeEnd(parts: EndParts): Promise<void> {
  const { stage, pool, open, verifyLedger, nodes, judgeEverywhere = () => accessViolations(stage, pool) } = parts
  const { book, nas } = stage
  const tables = await readTables(pool)
  book.settle(tables.kept)
  const { outbox, spool } = await open()
  const unanswered = nas.reduce((sum, one) => sum + one.unanswered, 0)
  const obedient = nas.filter(({ parts }) => !parts.isDeaf).flatMap((one) => one.live)
  book.violations.push(
    ...judgeRest({ outbox, spool, unanswered }),
    ...judgeMovements(book.movements, tables.operations),
    ...judgeBalances(book.movements, tables.operations, tables.balances),
    ...judgeOwnOperations(book.promises, tables.operations, tables.lines),
    ...judgeSessions(
      nas.flatMap(({ sessions }) => sessions),
      tables.sessions,
      book.losses,
    ),
    ...(await memoryViolations(nodes ?? [stage.base], tables.sessions)),
    ...judgeBlocked(obedient, tables.lines),
    ...judgeOperator(book.operatorBlocks, tables.lines),
    ...(await judgeEverywhere()),
    ...(await wrongRows(pool, 'settled')).map((record) => ({ what: 'the tables contradict themselves', record })),
  )
  const fault = await verifyLedger()
  if (fault !== null) book.violate('verify_ledger fails', fault)
}

async function memoryViolations(nodes: readonly string[], rows: readonly SessionRow[]): Promise<Violation[]> {
  const found = nodes.map(async (base) => {
    const listed = await http(`${base}/system_api/sessions/?limit=5000`, { headers: systemHeaders })
    type Listed = { sessions: { nas_ip: string; acct_session_id: string; login: string }[] }
    const live = (JSON.parse(listed?.text ?? '{"sessions":[]}') as Listed).sessions
    const inMemory = live.map((one) => ({ nasIp: one.nas_ip, sessionId: one.acct_session_id, login: one.login }))
    return judgeMemory(inMemory, rows).map(({ what, record }) => ({ what, record: { base, record } }))
  })
  return (await Promise.all(found)).flat()
}

/** The program is told of rows by notices, which may still be under way when all else is quiet: bounded, as that is. */
async function accessViolations(stage: Stage, pool: Pool): Promise<Violation[]> {
  let found: Violation[] = []
  await until(async () => {
    found = judgeAccess(await askEverybody(stage), (await readTables(pool)).lines)
    return found.length === 0
  })
  return found
}

/** What RADIUS says to a line with the right password and with a wrong one; `reason`: of a refusal of the right one. */
export type AccessAnswer = { readonly right: string; readonly wrong: string; readonly reason?: string }

/** Of every line, from the station it is known by. */
export async function askEverybody({ nas, clients }: Stage): Promise<Map<string, AccessAnswer>> {
  const answers = new Map<string, AccessAnswer>()
  for (const [index, client] of clients.entries()) {
    const asker = nas[index % nas.length]!
    const station = stationOf(client)
    const right = await asker.ask(client.login, linePassword, index % 2 === 0 ? 'pap' : 'chap', station, 20)
    const wrong = await asker.ask(client.login, 'not this one', index % 2 === 0 ? 'chap' : 'pap', station, 20)
    const reason = right.answer?.text(attributes.replyMessage)
    answers.set(client.login, { right: right.verdict, wrong: wrong.verdict, ...(reason && { reason }) })
  }
  return answers
}
