import type { Log } from '../../platform/log.ts'
import { formatIpv4, parseIpv4 } from '../radius/wire/address.ts'
import type { AddressPools } from './pools.ts'
import { stationHashOf } from './station.ts'
import type { AccessTable } from './table.ts'

/** The part of a live session that matters here (LiveSession in radius/accounting/session-table.ts). */
export type CountedSession = {
  userId: number | null
  callingStationId: string | null
  ip: string | null
  offeredIp?: string | null
  /** The other node that heard of it last; left out or null: this one. */
  node?: number | null
}

/** Counts the live sessions of each login in the access table, and holds their addresses in the pools. */
export class CountedSessions {
  readonly #table: AccessTable
  readonly #pools: AddressPools
  readonly #log: Log

  constructor(table: AccessTable, pools: AddressPools, log: Log) {
    this.#table = table
    this.#pools = pools
    this.#log = log
  }

  /** Counts a session and has it hold its address. False when the address is leased to another login. */
  sessionStarted(session: CountedSession): boolean {
    const { userId } = session
    if (userId === null) return true
    const station = stationHashOf(session.callingStationId)
    if (!this.#table.addSession(userId, station)) return true
    const holds = this.#pools.hold(userId, this.#leaseStation(userId, station), addressOf(session), !session.node)
    if (!holds) {
      this.#log.warn('A session has an address that is leased to another login.', {
        loginId: userId,
        ip: session.ip,
      })
    }
    return holds
  }

  sessionMoved(before: CountedSession, after: CountedSession): void {
    if (before.userId === after.userId && before.ip === after.ip) return
    // The new address comes first, so that an address that stays the same is never free in between.
    this.sessionStarted(after)
    this.sessionStopped(before)
  }

  sessionStopped(session: CountedSession): void {
    const { userId } = session
    if (userId === null) return
    const station = stationHashOf(session.callingStationId)
    this.#pools.leave(userId, this.#leaseStation(userId, station), addressOf(session))
    this.#table.removeSession(userId, station)
  }

  /** The pool address that the login holds or was offered. */
  leaseOf(loginId: number, callingStationId: string | null): string | null {
    const station = this.#leaseStation(loginId, stationHashOf(callingStationId))
    const address = this.#pools.leaseOf(loginId, station)
    return address < 0 ? null : formatIpv4(address)
  }

  /** The address of a login that may have only one session is leased without regard to the station. */
  #leaseStation(loginId: number, station: number): number {
    return (this.#table.get(loginId)?.simultaneousUse ?? 1) > 1 ? station : 0
  }
}

const addressOf = ({ ip, offeredIp }: CountedSession): number => parseIpv4(ip ?? offeredIp ?? '') ?? -1
