import type { Events, Session } from '../../../domain/events.ts'
import { type NasId, organizationId, subscriberId } from '../../../domain/ids.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import { growingCache } from '../../../platform/growing-cache.ts'
import { isSameStation } from '../../access/station.ts'
import { gardenOf } from '../worker/session-class.ts'
import type { OctetCounter } from './octet-counter.ts'
import { isSameNas, mayBeSameNas, mergedNas, nameOfNas } from './nas-identity.ts'
import type { RebootScope } from './heard-nas.ts'
import type { NasReboot, SessionChange } from './session-changes.ts'
import type { SessionOwners } from './session-owners.ts'
import { beganAgain, endReasons, futureFrom, sessionTerms } from './session-terms.ts'
import type { LiveSession, NewSession, SessionKey, SessionListener } from './live-session.ts'
import type { SessionTable } from './session-table.ts'
import type { LoginOwner, StoredChange, StoredId } from './stored-change.ts'

type TrackerParts = {
  sessions: SessionTable
  events: Events
  listener: SessionListener
  nasIp: (nas: NasId) => string
  /** As HeardNas.scopeOf. */
  rebootScope: (reboot: NasReboot) => RebootScope
  owners: SessionOwners
  clock: Clock
  /** Asks the NAS to end a session; for one that lives on although somebody else has its address by now. */
  disconnect: (session: LiveSession) => Promise<unknown>
  octets: OctetCounter
  /** Ends a session that another session of the same login and station has replaced. */
  end: (session: LiveSession, atMs: number) => void
}

/**
 * What became of a change: the answer of the database, or while it is unavailable what can be concluded from memory.
 */
type Verdict = Omit<StoredChange, 'index'>

/** As AccountingStore. */
type LiveRows = {
  readonly findLive: (sessions: readonly LiveSession[]) => Promise<ReadonlyMap<LiveSession, StoredId>>
  readonly loadLive: (ids: readonly number[]) => Promise<readonly NewSession[]>
}

/** How many ends are remembered for packets that arrive late while the database is unavailable. */
const endedMax = 65_536

/** Keeps the live sessions in memory up to date with what is durable, and notifies listeners of every change. */
export class SessionTracker {
  readonly #parts: TrackerParts
  #provisionalIds = 0
  /** Rows of sessions that are not in memory and may live: what became of them the database has yet to say. */
  readonly #doubtful = new Set<number>()
  /** By the name of a session, when the last one with this name ended. */
  readonly #ended = growingCache<string, number>(endedMax)

  constructor(parts: TrackerParts) {
    this.#parts = parts
  }

  /** Called at the start for every session that was loaded from the database. */
  sessionLoaded(slot: number): void {
    this.#parts.octets.began(slot)
    this.#parts.listener.sessionStarted(this.#parts.sessions.at(slot))
  }

  /**
   * The id of the row that a change belongs to, when memory is sure of it and only counters or an end have to be
   * written.
   */
  knownId(change: SessionChange): number | null {
    const { sessions } = this.#parts
    if (change.start !== null || change.silentSinceMs !== null) return null
    const slot = sessions.find(change)
    if (slot < 0 || sessions.idAt(slot) <= 0 || sessions.nodeAt(slot) !== null) return null
    if (mergedNas(sessions.nasIdentityAt(slot), change.nasIdentity) !== sessions.nasIdentityAt(slot)) return null
    if (isNew(change.nasIp, sessions.nasIpAt(slot))) return null
    const startedAtMs = sessions.startedAtMsAt(slot)
    // The packet is late and belongs to an earlier session of this name. But when it was received before the session
    // began, our clock has been set back, and it belongs to this session.
    if (change.atMs < startedAtMs && change.receivedAtMs >= startedAtMs) return null
    if (isNew(change.ip, sessions.ipAt(slot))) return null
    if (isNew(change.ipv6Prefix, sessions.ipv6PrefixAt(slot))) return null
    if (isNew(change.delegatedIpv6Prefix, sessions.delegatedIpv6PrefixAt(slot))) return null
    // The session was authorized again without ending, as Termination-Action allows.
    if (isNew(gardenOf(change.className), sessions.inGardenAt(slot))) return null
    return sessions.idAt(slot)
  }

  /** The live session of that name. */
  liveId(change: SessionChange): number | null {
    const slot = this.#parts.sessions.find(change)
    return slot < 0 ? null : this.#parts.sessions.idAt(slot)
  }

  /** The owner of a session that memory does not know yet; null leaves the decision to the database. */
  ownerOfNew(change: SessionChange): LoginOwner | null {
    const isKnown = this.#parts.sessions.find(change) >= 0
    return isKnown ? null : this.#parts.owners.of(change)
  }

  /** Applies a change after its commit. `stored` is null for a change of a session that was known in memory. */
  apply(change: SessionChange, stored: StoredChange | null): void {
    const { sessions, octets } = this.#parts
    const slot = sessions.find(change)
    if (stored?.late) octets.countLate(stored.userId!, stored.late, change.atMs)
    if (stored === null) {
      if (slot >= 0) this.#update(slot, change, change.endedAtMs === null, change.endReason)
      return
    }
    this.#applyVerdict(slot, change, stored)
  }

  /**
   * Applies a change while the database is unavailable, by what is known in memory and with provisional ids. Whether a
   * silent session has ended, only the database knows.
   */
  applyProvisionally(change: SessionChange): void {
    if (change.silentSinceMs !== null) return
    const { sessions } = this.#parts
    const slot = sessions.find(change)
    if (slot >= 0) this.#doubt(slot, () => this.#applyUnjudged(slot, change))
    else this.#applyUnjudged(slot, change)
  }

  /** The database may judge otherwise than `apply`, which may end the session. */
  #doubt(slot: number, apply: () => void): void {
    const id = this.#parts.sessions.idAt(slot)
    apply()
    if (id > 0 && this.#parts.sessions.idAt(slot) !== id) this.#doubtful.add(id)
  }

  #applyUnjudged(slot: number, change: SessionChange): void {
    const { sessions, owners } = this.#parts
    const live = change.endedAtMs === null
    const isRepeated = change.delayed && slot >= 0 && sessions.at(slot).sessionTime === 0
    const isNewLife =
      slot >= 0 && change.start !== null && !isRepeated && beganAgain(change.startedAtMs, sessions.startedAtMsAt(slot))
    if (slot >= 0 && !isNewLife) {
      this.#update(slot, change, live, change.endReason)
      return
    }
    if (!change.creates) return
    owners.completeOffer(change)
    const endedAtMs = this.#ended.get(nameOf(change))
    const roundingMs = change.delayed ? sessionTerms.roundingMs : 0
    const mayBeLate = change.start === null || change.startedAtMs < (endedAtMs ?? 0) + roundingMs
    if (endedAtMs !== undefined && mayBeLate) return
    const owner = owners.of(change)
    this.#applyVerdict(slot, change, {
      id: --this.#provisionalIds,
      added: true,
      live,
      startedAtMs: change.startedAtMs,
      endReason: change.endReason,
      userId: owner?.userId ?? null,
      subscriberId: owner?.subscriberId ?? null,
      organizationId: owner?.organizationId ?? null,
      userLogin: owner?.login ?? null,
      details: null,
      late: null,
    })
  }

  /** Applies a drained change, in memory since it was spooled but for its stored id and the end of a silent session. */
  confirm(change: SessionChange, stored: StoredChange | null): void {
    const { sessions } = this.#parts
    if (!stored) return
    const slot = sessions.find(change)
    if (slot >= 0 && sessions.idAt(slot) === stored.id) {
      this.#takeOver(slot, change, stored)
      if (change.silentSinceMs !== null && !stored.live) this.#update(slot, change, false, stored.endReason)
    }
    if (!stored.live) this.#doubtful.delete(stored.id)
    else if (slot < 0) this.#doubtful.add(stored.id)
    else if (sessions.idAt(slot) !== stored.id && isSameLife(sessions.startedAtMsAt(slot), stored.startedAtMs))
      this.#learn(slot, stored)
  }

  /**
   * After the drain, when the database has judged everything: finds the rows of the sessions that still have
   * provisional ids, and takes up those that live on although memory has ended them or did not know them. A session
   * without a row came from a late packet of a session that had ended long before.
   */
  async confirmRest(rows: LiveRows): Promise<void> {
    if (this.#provisionalIds !== 0) {
      const rest = [...this.#parts.sessions.all()].filter((session) => Number(session.id) < 0)
      const found = await rows.findLive(rest)
      for (const session of rest) {
        const stored = found.get(session)
        if (stored) this.#learn(session.slot, stored)
        else this.#stop(session.slot, session.updatedAt.getTime(), null)
      }
      this.#provisionalIds = 0
    }
    if (this.#doubtful.size === 0) return
    for (const session of await rows.loadLive([...this.#doubtful]))
      if (this.#parts.sessions.find(session) < 0) this.#takeUp(session)
    this.#doubtful.clear()
  }

  #takeUp(loaded: NewSession): void {
    const { sessions, events, listener, octets, clock, disconnect } = this.#parts
    const slot = sessions.add(loaded)
    octets.began(slot)
    const session = sessions.at(slot)
    const holdsAddress = listener.sessionStarted(session)
    events.publish({ kind: 'sessionStarted', at: clock.now(), session })
    if (!holdsAddress) void disconnect(session)
  }

  /** As AccountingStore.endSessionsOfNas, after it. */
  endSessionsOfNas(reboot: NasReboot, nowMs: number): void {
    this.#endSessionsOfNas(reboot, nowMs, (_, end) => end())
  }

  /** The same while the database is unavailable. */
  endSessionsOfNasProvisionally(reboot: NasReboot): void {
    const nowMs = this.#parts.clock.now().getTime()
    this.#endSessionsOfNas(reboot, nowMs, (slot, end) => this.#doubt(slot, end))
  }

  #endSessionsOfNas(reboot: NasReboot, nowMs: number, around: (slot: number, end: () => void) => void): void {
    const { nasId, nasIdentity, atMs, receivedAtMs } = reboot
    const { isOneNas, source } = this.#parts.rebootScope(reboot)
    for (const session of this.#parts.sessions.ofNas(nasId, nasIdentity, isOneNas ? mayBeSameNas : isSameNas)) {
      if (source !== null && session.nasIp !== source) continue
      const startedAtMs = session.startedAt.getTime()
      const isOfFuture = startedAtMs > futureFrom(session.node === null ? receivedAtMs : nowMs)
      if (startedAtMs > atMs && !isOfFuture) continue
      const reason = isOfFuture ? endReasons.lostCarrier : endReasons.nasReboot
      around(session.slot, () => this.#stop(session.slot, atMs, reason))
    }
  }

  #applyVerdict(known: number, change: SessionChange, verdict: Verdict): void {
    const { sessions, events, clock } = this.#parts
    let slot = known
    if (verdict.added && slot >= 0) {
      // Either the name was used again and the database has ended the earlier session, or the row of this session was
      // deleted.
      this.#stop(slot, change.startedAtMs, endReasons.replaced)
      slot = -1
    }
    if (slot >= 0) {
      // The change is late and belongs to an earlier session of this name.
      if (sessions.idAt(slot) !== verdict.id) return
      this.#takeOver(slot, change, verdict)
      if (verdict.live) this.#learn(slot, verdict)
      this.#update(slot, change, verdict.live, verdict.endReason)
      return
    }
    if (verdict.live) {
      this.#begin(change, verdict)
      return
    }
    if (!verdict.added) return
    // A Stop without its Start: the session was never live here.
    this.#countWhole(change, verdict)
    this.#rememberEnd(change, change.endedAtMs ?? change.atMs)
    events.publish({
      kind: 'sessionStopped',
      at: clock.now(),
      session: endedSession(change, verdict, change.nasIp ?? this.#parts.nasIp(change.nasId)),
    })
  }

  #begin(change: SessionChange, verdict: Verdict): void {
    const { sessions, events, listener, nasIp, clock } = this.#parts
    const slot = sessions.add(newSession(change, verdict, change.nasIp ?? nasIp(change.nasId)))
    this.#parts.octets.began(slot)
    if (verdict.added) this.#countWhole(change, verdict)
    const session = sessions.at(slot)
    const holdsAddress = listener.sessionStarted(session)
    events.publish({ kind: 'sessionStarted', at: clock.now(), session })
    // A Start is left to those who gave it the address. Of a report it was unknown that the session lives.
    const wasUnknown = !verdict.added || change.start === null
    if (wasUnknown && !holdsAddress) void this.#parts.disconnect(session)
    // The Stop of an older live session of the same login and station was lost. Newer ones stay, because packets may
    // arrive late.
    if (session.callingStationId === null || change.start === null) return
    for (const other of sessions.liveOf(session.userLogin))
      if (
        other.slot !== slot &&
        isSameStation(other.callingStationId, session.callingStationId) &&
        other.startedAt.getTime() <= session.startedAt.getTime()
      )
        this.#parts.end(other, change.startedAtMs)
  }

  /** A live session goes on, or ends. */
  #update(slot: number, change: SessionChange, live: boolean, endReason: string | null): void {
    const { sessions, events, listener, clock } = this.#parts
    this.#count(slot, change)
    if (!live) {
      this.#stop(slot, change.endedAtMs ?? change.atMs, endReason)
      return
    }
    sessions.setNas(slot, mergedNas(sessions.nasIdentityAt(slot), change.nasIdentity), change.nasIp)
    const { ip, ipv6Prefix, delegatedIpv6Prefix } = change
    if (isNew(ip, sessions.ipAt(slot)) || isNew(ipv6Prefix, sessions.ipv6PrefixAt(slot))) {
      const before = sessions.at(slot)
      sessions.learn(slot, { ip, ipv6Prefix })
      listener.sessionMoved(before, sessions.at(slot))
    }
    if (isNew(delegatedIpv6Prefix, sessions.delegatedIpv6PrefixAt(slot))) sessions.learn(slot, { delegatedIpv6Prefix })
    sessions.setInGarden(slot, gardenOf(change.className))
    events.publish({ kind: 'sessionUpdated', at: clock.now(), session: sessions.at(slot) })
  }

  /** The octets of a session of which nothing has been known. */
  #countWhole(change: SessionChange, { userId, startedAtMs }: Verdict): void {
    this.#parts.octets.count(userId, startedAtMs, change.atMs, change.inputOctets, change.outputOctets)
  }

  #count(slot: number, change: SessionChange): void {
    const { sessions, octets } = this.#parts
    const { inputOctets, outputOctets, numbers } = sessions.view
    const [fromMs, input, output] = [numbers.reportedAtMs[slot]!, inputOctets[slot]!, outputOctets[slot]!]
    sessions.count(slot, change, change.receivedAtMs)
    const [moreInput, moreOutput] = [inputOctets[slot]! - input, outputOctets[slot]! - output]
    octets.count(sessions.userIdAt(slot), fromMs, change.atMs, moreInput, moreOutput)
  }

  /**
   * The session was another node's until this change, which therefore counts from what its row had. An ending of ours
   * was received by nobody.
   */
  #takeOver(slot: number, change: SessionChange, { late, details }: Pick<Verdict, 'late' | 'details'>): void {
    const { sessions, octets } = this.#parts
    if (late && details)
      sessions.count(slot, { ...details, sessionTime: change.sessionTime, atMs: change.atMs }, change.receivedAtMs)
    if (sessions.nodeAt(slot) === null || change.receivedAtMs === 0) return
    sessions.setNode(slot, null)
    octets.began(slot)
  }

  #learn(slot: number, verdict: StoredId): void {
    const { sessions, listener, octets } = this.#parts
    const before = sessions.at(slot)
    octets.ended(slot)
    sessions.learn(slot, verdict)
    octets.began(slot)
    const after = sessions.at(slot)
    if (before.userId !== after.userId || before.userLogin !== after.userLogin) listener.sessionMoved(before, after)
  }

  #stop(slot: number, atMs: number, endReason: string | null): void {
    const { sessions, events, listener, octets, clock } = this.#parts
    const session = sessions.at(slot)
    const endedAtMs = Math.max(atMs, session.startedAt.getTime())
    this.#rememberEnd(session, endedAtMs)
    octets.ended(slot)
    sessions.remove(slot)
    listener.sessionStopped(session)
    events.publish({
      kind: 'sessionStopped',
      at: clock.now(),
      session: { ...session, endedAt: new Date(endedAtMs), endReason },
    })
  }

  #rememberEnd(name: SessionKey, endedAtMs: number): void {
    this.#ended.set(nameOf(name), endedAtMs)
  }
}

const isSameLife = (startedAtMs: number, otherMs: number): boolean => Math.abs(startedAtMs - otherMs) < 1000

const nameOf = ({ nasId, nasIdentity, acctSessionId, login }: SessionKey): string =>
  `${nasId}\0${acctSessionId}\0${login}\0${nameOfNas(nasIdentity)}`

/** Whether a packet tells something that is not known yet; null: it tells nothing. */
const isNew = <T>(told: T | null, known: T | null): boolean => told !== null && told !== known

function newSession(change: SessionChange, verdict: Verdict, nasIp: string): NewSession {
  return {
    id: verdict.id,
    nasId: change.nasId,
    nasIp,
    nasIdentity: change.nasIdentity,
    acctSessionId: change.acctSessionId,
    login: change.login,
    userId: verdict.userId,
    subscriberId: verdict.subscriberId,
    organizationId: verdict.organizationId,
    userLogin: verdict.userLogin,
    ip: change.ip,
    offeredIp: change.offeredIp ?? null,
    ipv6Prefix: change.ipv6Prefix,
    delegatedIpv6Prefix: change.delegatedIpv6Prefix,
    mac: change.mac,
    callingStationId: change.callingStationId,
    nasPort: change.nasPort,
    inGarden: gardenOf(change.className),
    inputOctets: change.inputOctets,
    outputOctets: change.outputOctets,
    ...verdict.details,
    startedAtMs: verdict.startedAtMs,
    receivedAtMs: change.receivedAtMs,
    reportedAtMs: change.atMs,
    sessionTime: change.sessionTime,
  }
}

/** A session that had already ended when it became known. */
function endedSession(change: SessionChange, verdict: Verdict, nasIp: string): Session {
  return {
    id: String(verdict.id),
    login: change.login,
    subscriberId: verdict.subscriberId === null ? null : subscriberId(verdict.subscriberId),
    organizationId: verdict.organizationId === null ? null : organizationId(verdict.organizationId),
    nasId: change.nasId,
    nasIp,
    nasIdentity: change.nasIdentity,
    acctSessionId: change.acctSessionId,
    ip: change.ip,
    ipv6Prefix: change.ipv6Prefix,
    mac: change.mac,
    startedAt: new Date(verdict.startedAtMs),
    updatedAt: new Date(change.receivedAtMs),
    sessionTime: change.sessionTime,
    inputOctets: change.inputOctets,
    outputOctets: change.outputOctets,
    endedAt: new Date(change.endedAtMs ?? change.atMs),
    endReason: verdict.endReason,
  }
}
