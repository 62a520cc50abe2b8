import type { Events } from '../../../domain/events.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { NewSession, SessionListener } from './live-session.ts'
import type { ToldSession } from './node-sessions.ts'
import type { OctetCounter } from './octet-counter.ts'
import type { SessionTable } from './session-table.ts'

type ForeignParts = {
  readonly sessions: SessionTable
  readonly events: Events
  readonly listener: SessionListener
  readonly octets: OctetCounter
  readonly clock: Clock
}

/**
 * Makes sessions in memory what their rows are, after another node has written them: they count for simultaneous use,
 * hold addresses and can be disconnected, while their counters stay with the node that hears of them. A row says all of
 * its session, so rows that are played late, twice or in another order do no harm. Nothing of this node may be under
 * way between the reading of the rows and their play.
 */
export class ForeignSessions {
  readonly #parts: ForeignParts

  constructor(parts: ForeignParts) {
    this.#parts = parts
  }

  /** Applies the ends first, so that a name that is used again is free. */
  play(told: readonly ToldSession[]): void {
    for (const one of told) if (one.endedAtMs !== null) this.#end(one, one.endedAtMs)
    for (const { endedAtMs, session } of told) if (endedAtMs === null) this.#live(session)
    for (const { session, lateIds } of told)
      if (session.userId !== null && lateIds.length > 0) this.#parts.octets.left(session.userId, lateIds)
  }

  /** Removes sessions whose rows are gone, as after a failover to a server that never had them. */
  forget(ids: ReadonlySet<number>): void {
    const { sessions, clock } = this.#parts
    const { slots, numbers } = sessions.view
    for (let slot = 0; slot < slots; slot++)
      // One of this node continues in a new row with its next report.
      if (numbers.node[slot] !== 0 && ids.has(numbers.id[slot]!)) this.#stop(slot, clock.now().getTime(), null)
  }

  #end({ session: told, endReason }: ToldSession, endedAtMs: number): void {
    const { sessions } = this.#parts
    const slot = sessions.find(told)
    if (slot < 0 || sessions.idAt(slot) !== told.id) return
    this.#count(slot, told)
    this.#stop(slot, endedAtMs, endReason)
  }

  #live(told: NewSession): void {
    const { sessions, octets } = this.#parts
    const slot = sessions.find(told)
    if (slot < 0) {
      this.#begin(told)
      return
    }
    if (sessions.idAt(slot) !== told.id) {
      // The name has been used again, and whoever did so has ended the session before.
      if (sessions.idAt(slot) > told.id) return
      this.#stop(slot, told.startedAtMs, null)
      this.#begin(told)
      return
    }
    const { node = null } = told
    if (sessions.nodeAt(slot) !== node) {
      // What is counted of it belongs to the node that hears of it.
      octets.ended(slot)
      sessions.setNode(slot, node)
      octets.began(slot)
    }
    this.#count(slot, told)
    this.#move(slot, told)
  }

  #begin(told: NewSession): void {
    const { sessions, events, listener, octets, clock } = this.#parts
    const slot = sessions.add(told)
    octets.began(slot)
    const session = sessions.at(slot)
    listener.sessionStarted(session)
    events.publish({ kind: 'sessionStarted', at: clock.now(), session, isForeign: true })
  }

  #move(slot: number, told: NewSession): void {
    const { sessions, events, listener, clock } = this.#parts
    const before = sessions.at(slot)
    sessions.setNas(slot, told.nasIdentity, told.nasIp)
    sessions.setInGarden(slot, told.inGarden)
    sessions.learn(slot, told)
    const after = sessions.at(slot)
    listener.sessionMoved(before, after)
    events.publish({ kind: 'sessionUpdated', at: clock.now(), session: after, isForeign: true })
  }

  #stop(slot: number, atMs: number, endReason: string | null): void {
    const { sessions, events, listener, octets, clock } = this.#parts
    const session = sessions.at(slot)
    const endedAt = new Date(Math.max(atMs, session.startedAt.getTime()))
    octets.ended(slot)
    sessions.remove(slot)
    listener.sessionStopped(session)
    const ended = { ...session, endedAt, endReason }
    events.publish({ kind: 'sessionStopped', at: clock.now(), session: ended, isForeign: true })
  }

  #count(slot: number, told: NewSession): void {
    this.#parts.sessions.count(slot, { ...told, atMs: told.reportedAtMs }, told.receivedAtMs)
  }
}
