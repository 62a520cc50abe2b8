import type { NasId } from '../../../domain/ids.ts'
import { formatIpv4 } from '../wire/address.ts'
import type { SessionClass } from '../worker/session-class.ts'
import type { AccountingRecord } from './accounting-record.ts'
import type { SessionChange } from './session-changes.ts'
import type { LoginOwner } from './stored-change.ts'

/** What memory knows of logins and their addresses. */
export type LoginMemory = {
  /** Reads a Class attribute that we have signed; null for any other. */
  readonly readClass?: (className: string | null) => SessionClass | null
  /** The owner of the login that a NAS means by a User-Name. */
  readonly ownerOf?: (login: string, nas: NasId) => LoginOwner | null
  readonly ownerOfId?: (loginId: number) => LoginOwner | null
  /** The pool address that the login holds or was offered. */
  readonly leaseOf?: (loginId: number, callingStationId: string | null) => string | null
}

type Told = Pick<AccountingRecord, 'login' | 'nasId' | 'className' | 'callingStationId'>

/** Finds the owner of the session that a packet is about, and the address it was offered, as far as memory knows. */
export class SessionOwners {
  readonly #memory: LoginMemory

  constructor(memory: LoginMemory) {
    this.#memory = memory
  }

  /** The owner by Class, which tells more than User-Name (`anonymous`), or else by the name as a sign-in finds it. */
  of({ login, nasId, className }: Pick<Told, 'login' | 'nasId' | 'className'>): LoginOwner | null {
    const { readClass, ownerOf, ownerOfId } = this.#memory
    const named = readClass?.(className)
    return (named && ownerOfId?.(named.loginId)) ?? ownerOf?.(login, nasId) ?? null
  }

  /**
   * Completes a change that may become a session and names no address with the one that was offered. It is stored,
   * because only that survives the program.
   */
  completeOffer(change: SessionChange): void {
    if (change.ip === null && change.creates && change.offeredIp === undefined) change.offeredIp = this.#offerOf(change)
  }

  /** The record with the address that was offered, for the time when it leaves the spool and memory knows another. */
  withOffer(record: AccountingRecord): AccountingRecord {
    record.offeredIp = record.ip === null ? this.#offerOf(record) : null
    return record
  }

  /** The address that was offered, by the Class of the session, or else the one that the login holds now. */
  #offerOf(told: Told): string | null {
    const { readClass, leaseOf } = this.#memory
    const named = readClass?.(told.className)
    if (named) return named.address < 0 ? null : formatIpv4(named.address)
    const owner = this.of(told)
    return owner && (leaseOf?.(owner.userId, told.callingStationId) ?? null)
  }
}
