import type { Violation } from '../book.ts'
import { type Loss, mayRecordBeLost } from '../losses.ts'
import type { NasSession } from '../nas.ts'
import type { SessionRow } from '../tables.ts'
import type { Seen } from './witness.ts'

/** Only one node at a time works on a job: a run that was cut off for another one comes to nothing. */
export const judgeJobs = (seen: readonly Seen[]): Violation[] =>
  seen
    .filter(
      ({ what, row, before }) =>
        what === 'job_runs' && before?.ok === false && before.ended_at === null && row.ok === true,
    )
    .map((record) => ({ what: 'a job was at work twice', record }))

/**
 * An effect is carried out by nodes to which its row belonged, once by each between two of its starts, and taken only
 * from one that is gone; by another node where that is lost with a server, as long as it had begun by then. Once more by the same node is right where the row was marked as done and only the mark was
 * lost with a server: the row is there again as an effect that is still to be done.
 */
export function judgeEffects(seen: readonly Seen[], losses: readonly Loss[] = []): Violation[] {
  const violations: Violation[] = []
  const owners = ownersOf(seen)
  const marked = new Set<unknown>()
  const done = new Map<string, Seen>()
  for (const one of seen) {
    if (one.what === 'outbox') {
      if (isTaken(one) && one.wasAlive)
        violations.push({ what: 'an effect was taken from a node that was alive', record: one })
      if (one.row.done_at) marked.add(one.row.id)
    }
    const { outbox_id, request, nas_id, session_id, login } = one.row
    if (one.what !== 'coa_requests' || outbox_id === null) continue
    const ofRow = owners.get(outbox_id)
    if (ofRow && !ofRow.has(one.node) && !mayTakingBeLost(one, losses))
      violations.push({ what: 'an effect was carried out by a node that it did not belong to', record: one })
    const deed = JSON.stringify([one.node, one.epoch, outbox_id, request, nas_id, session_id, login])
    const before = done.get(deed)
    if (before && !isOfOneRound(before, one) && (marked.has(outbox_id) || !isLossBetween(before, one, losses)))
      violations.push({ what: 'an effect was carried out twice by one node', record: [before, one] })
    done.set(deed, one)
  }
  return violations
}

/**
 * Sessions that the database does not have yet are answered without their ids, and several of one login are asked for
 * together, while an effect is repeated only after all its answers are stored.
 */
const isOfOneRound = (one: Seen, other: Seen): boolean =>
  other.row.session_id === null && Date.parse(String(other.row.sent_at)) < one.at.getTime()

/** What was taken from a node that is gone belongs to that one again where the taking is lost with a server. */
const mayTakingBeLost = ({ row }: Seen, losses: readonly Loss[]): boolean => {
  const sentMs = Date.parse(String(row.sent_at)) - performance.timeOrigin
  return losses.some(({ sinceMs, untilMs }) => sentMs >= sinceMs && sentMs < untilMs)
}

const isTaken = ({ row, before }: Seen): boolean => before !== null && before.node !== row.node

function ownersOf(seen: readonly Seen[]): ReadonlyMap<unknown, ReadonlySet<unknown>> {
  const owners = new Map<unknown, Set<unknown>>()
  for (const { what, row } of seen)
    if (what === 'outbox') owners.set(row.id, (owners.get(row.id) ?? new Set()).add(row.node))
  return owners
}

/** Whether something that was written between the two may be lost. */
const isLossBetween = (one: Seen, other: Seen, losses: readonly Loss[]): boolean =>
  losses.some(({ sinceMs, untilMs }) => msOf(one) < untilMs && msOf(other) > sinceMs)

/** By `performance.now()`. */
const msOf = ({ at }: Seen): number => at.getTime() - performance.timeOrigin

/** A session that some node heard within `silenceMs`, and whose row is left of it, is not silent. */
export function judgeSilence(
  sessions: readonly NasSession[],
  seen: readonly Seen[],
  silenceMs: number,
  losses: readonly Loss[] = [],
): Violation[] {
  return seen.flatMap((one) => {
    if (one.what !== 'radius_sessions') return []
    const { acct_session_id, login } = one.row
    const atMs = msOf(one)
    const session = sessions.find((other) => other.sessionId === acct_session_id && other.login === login)
    const heard = session?.heard.findLast((answer) => answer.answeredMs < atMs && !mayRecordBeLost(answer, losses))
    if (!heard || atMs - heard.answeredMs >= silenceMs) return []
    const record = { ...one, agoMs: atMs - heard.answeredMs, heard: session!.heard }
    return [{ what: 'a session was closed that was heard of', record }]
  })
}

/**
 * An address is in one session at a time, of those that are open in the end. One whose first record may be lost was
 * known to nobody until its next one, and its address went to somebody else. One that has ended at its NAS, and whose
 * end may be lost, is open here until it is silent, while its address was free from its end on.
 */
export function judgeAddresses(
  rows: readonly SessionRow[],
  sessions: readonly NasSession[] = [],
  losses: readonly Loss[] = [],
): Violation[] {
  const held = new Map<string, SessionRow>()
  const isDoubtful = ({ heard, isLive }: NasSession) =>
    [...heard.slice(0, 1), ...(isLive ? [] : heard.slice(-1))].some((record) => mayRecordBeLost(record, losses))
  const atNas = ({ sessionId, login }: SessionRow) =>
    sessions.filter((one) => one.sessionId === sessionId && one.login === login)
  return rows.flatMap((row) => {
    if (!row.isOpen || row.ip === null || atNas(row).some(isDoubtful)) return []
    const other = held.get(row.ip)
    held.set(row.ip, row)
    const record = () => [other!, row].map((one) => ({ ...one, atNas: atNas(one) }))
    return other ? [{ what: 'an address is in two live sessions', record: record() }] : []
  })
}

/** What a node says of a balance against the tables: its actors follow the commits of all nodes. */
export const judgeBalancesSaid = (
  said: ReadonlyMap<number, string>,
  balances: ReadonlyMap<number, bigint>,
): Violation[] =>
  [...said]
    .filter(([account, text]) => text !== inRubles(balances.get(account) ?? 0n))
    .map(([account, text]) => ({
      what: 'a node says another balance than the tables',
      record: { account, text, balance: balances.get(account) },
    }))

const unitsPerKopeck = 100_000_000n

function inRubles(units: bigint): string {
  const kopecks = units / unitsPerKopeck
  const size = kopecks < 0n ? -kopecks : kopecks
  return `${kopecks < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}
