import type { AccountingRecord } from './accounting-record.ts'
import { mayBeSameNas, mergedNas } from './nas-identity.ts'
import { presumedEnds } from './session-terms.ts'
import type { SessionKey } from './live-session.ts'

/** What is to be stored about sessions, in the order of arrival. */
export type SessionEntry =
  | { kind: 'packet'; record: AccountingRecord }
  /** An end that no packet reported: Disconnect-ACK, Lost-Carrier, Replaced. */
  | { kind: 'ending'; ending: SessionEnding }

export type SessionEnding = SessionKey & {
  atMs: number
  reason: string
  /**
   * When the session was heard of last, by the clock of the database, as was known when it was found to be silent: if
   * it has been heard of since, it does not end. Null: it ends in any case.
   */
  silentSinceMs: number | null
}

/** Everything that a group of packets says about one session: one row to insert or to update. */
export type SessionChange = Omit<
  AccountingRecord,
  'status' | 'mark' | 'offeredIp' | 'inputMayWrap' | 'outputMayWrap'
> & {
  /** The address that the sign-in offered, where accounting names none; undefined: nobody has asked. */
  offeredIp: string | null | undefined
  /** The mark of its Start; null when the group has none. */
  start: string | null
  startedAtMs: number
  endedAtMs: number | null
  endReason: string | null
  /** The group contains a Stop, so the NAS itself has reported the end. */
  stopped: boolean
  /** False for an ending of ours alone, which creates no session. */
  creates: boolean
  /** As in SessionEnding; null for everything else. */
  silentSinceMs: number | null
}

/** A NAS has started or is about to stop. */
export type NasReboot = Pick<AccountingRecord, 'nasId' | 'nasIdentity' | 'nasIp' | 'atMs' | 'receivedAtMs' | 'mark'>

/** Steps are stored one after another; within a wave every session appears once. */
export type StorageStep =
  | { kind: 'changes'; changes: SessionChange[] }
  /** Accounting-On or -Off: every session of the NAS that began before has ended. */
  | ({ kind: 'reboot' } & NasReboot)

/**
 * Folds entries into as few steps as keep their order: packets of one session become one change, a Start after its end
 * goes into the next wave, and nothing crosses an Accounting-On.
 */
export function planSteps(entries: Iterable<SessionEntry>): StorageStep[] {
  const steps: StorageStep[] = []
  let waves: Map<string, SessionChange>[] = []
  let waveOf = new Map<string, number>()
  const flush = () => {
    for (const wave of waves) steps.push({ kind: 'changes', changes: [...wave.values()] })
    waves = []
    waveOf = new Map()
  }
  for (const entry of entries) {
    if (entry.kind === 'packet') {
      const { status, nasId, nasIdentity, nasIp, atMs, receivedAtMs, mark } = entry.record
      if (status === null) continue
      if (status === 'on' || status === 'off') {
        flush()
        steps.push({ kind: 'reboot', nasId, nasIdentity, nasIp, atMs, receivedAtMs, mark })
        continue
      }
    }
    const change = entry.kind === 'packet' ? changeOf(entry.record) : changeOfEnding(entry.ending)
    const key = `${change.nasId}\0${change.acctSessionId}\0${change.login}`
    let wave = waveOf.get(key) ?? 0
    const pending = waves[wave]?.get(key)
    if (pending && !merge(pending, change)) wave++
    else if (pending) continue
    waves[wave] ??= new Map()
    waves[wave]!.set(key, change)
    waveOf.set(key, wave)
  }
  flush()
  return steps
}

/**
 * The fields are copied one by one, because a rest copy would cost as much as everything else that is done with a
 * record.
 */
function changeOf(record: AccountingRecord): SessionChange {
  const stopped = record.status === 'stop'
  const isStart = record.status === 'start'
  return {
    nasId: record.nasId,
    nasIdentity: record.nasIdentity,
    nasIp: record.nasIp,
    acctSessionId: record.acctSessionId,
    login: record.login,
    atMs: record.atMs,
    delayed: record.delayed,
    receivedAtMs: record.receivedAtMs,
    start: isStart ? record.mark : null,
    startedAtMs: isStart ? record.atMs : beganAtMs(record),
    endedAtMs: stopped ? record.atMs : null,
    endReason: stopped ? record.terminateCause : null,
    stopped,
    creates: true,
    silentSinceMs: null,
    ip: record.ip,
    offeredIp: record.offeredIp,
    ipv6Prefix: record.ipv6Prefix,
    delegatedIpv6Prefix: record.delegatedIpv6Prefix,
    mac: record.mac,
    callingStationId: record.callingStationId,
    calledStationId: record.calledStationId,
    nasPort: record.nasPort,
    nasPortId: record.nasPortId,
    className: record.className,
    sessionTime: record.sessionTime,
    inputOctets: record.inputOctets,
    outputOctets: record.outputOctets,
    inputPackets: record.inputPackets,
    outputPackets: record.outputPackets,
    terminateCause: record.terminateCause,
  }
}

/** A NAS whose clock was set while a session went on may report a duration below zero, which is one of 136 years. */
const sessionSecondsMax = 10 * 365 * 86_400

const beganAtMs = ({ atMs, sessionTime }: AccountingRecord): number =>
  sessionTime > sessionSecondsMax ? atMs : atMs - sessionTime * 1000

function changeOfEnding(ending: SessionEnding): SessionChange {
  const { nasId, nasIdentity, acctSessionId, login, atMs, reason, silentSinceMs } = ending
  return {
    nasId,
    nasIdentity,
    nasIp: null,
    acctSessionId,
    login,
    atMs,
    delayed: false,
    // An ending of ours does not change when the last packet was received.
    receivedAtMs: 0,
    start: null,
    startedAtMs: atMs,
    endedAtMs: atMs,
    endReason: reason,
    stopped: false,
    creates: false,
    silentSinceMs,
    ip: null,
    offeredIp: null,
    ipv6Prefix: null,
    delegatedIpv6Prefix: null,
    mac: null,
    callingStationId: null,
    calledStationId: null,
    nasPort: null,
    nasPortId: null,
    className: null,
    sessionTime: 0,
    inputOctets: 0n,
    outputOctets: 0n,
    inputPackets: 0,
    outputPackets: 0,
    terminateCause: null,
  }
}

/**
 * Merges a later change into a pending one; false when it may be about another session with the same name.
 */
function merge(pending: SessionChange, later: SessionChange): boolean {
  if (!mayBeSameNas(pending.nasIdentity, later.nasIdentity)) return false
  // A session about which there is anything else is not silent.
  if (later.silentSinceMs !== null) return true
  if (pending.silentSinceMs !== null) {
    Object.assign(pending, later)
    return true
  }
  if (later.start !== null && later.start !== pending.start) {
    if (pending.start !== null || pending.endedAtMs !== null) return false
    pending.start = later.start
    pending.delayed = later.delayed
    pending.startedAtMs = later.startedAtMs
  }
  if (later.endedAtMs !== null && (pending.endedAtMs === null || (later.stopped && isPresumed(pending.endReason)))) {
    pending.endedAtMs = later.endedAtMs
    pending.endReason = later.endReason
  }
  pending.nasIdentity = mergedNas(pending.nasIdentity, later.nasIdentity)
  pending.nasIp = later.nasIp ?? pending.nasIp
  pending.stopped ||= later.stopped
  pending.creates ||= later.creates
  pending.atMs = Math.max(pending.atMs, later.atMs)
  pending.receivedAtMs = Math.max(pending.receivedAtMs, later.receivedAtMs)
  pending.sessionTime = Math.max(pending.sessionTime, later.sessionTime)
  pending.inputPackets = Math.max(pending.inputPackets, later.inputPackets)
  pending.outputPackets = Math.max(pending.outputPackets, later.outputPackets)
  if (later.inputOctets > pending.inputOctets) pending.inputOctets = later.inputOctets
  if (later.outputOctets > pending.outputOctets) pending.outputOctets = later.outputOctets
  pending.ip = later.ip ?? pending.ip
  pending.offeredIp ??= later.offeredIp
  pending.ipv6Prefix = later.ipv6Prefix ?? pending.ipv6Prefix
  pending.delegatedIpv6Prefix = later.delegatedIpv6Prefix ?? pending.delegatedIpv6Prefix
  pending.mac = later.mac ?? pending.mac
  pending.callingStationId = later.callingStationId ?? pending.callingStationId
  pending.calledStationId = later.calledStationId ?? pending.calledStationId
  pending.nasPort = later.nasPort ?? pending.nasPort
  pending.nasPortId = later.nasPortId ?? pending.nasPortId
  pending.className = later.className ?? pending.className
  pending.terminateCause = later.terminateCause ?? pending.terminateCause
  return true
}

const isPresumed = (reason: string | null): boolean => reason !== null && presumedEnds.includes(reason)
