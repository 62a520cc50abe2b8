import { hash } from 'node:crypto'
import type { StaffUser } from '../../domain/staff-user.ts'
import type { Clock } from '../actors/clock.ts'
import { growingCache } from '../growing-cache.ts'
import type { Log } from '../log.ts'
import { CredentialCache, type Read } from './credential-cache.ts'
import type { Queries } from './staff-table.ts'

/** A session of a staff user. Only the client knows the key itself. */
export type Session = {
  /** SHA-256 of the key in hex, which identifies the session in memory and in the table. */
  readonly keyHash: string
  readonly staff: StaffUser
  readonly csrfToken: string
  readonly role: string
  readonly hasSecondFactor: boolean
}

export type CredentialParts = { readonly database: Queries; readonly clock: Clock; readonly log: Log }

/** Keys that identify a staff user to us: rows of a table that stores only their SHA-256. */
export abstract class StaffCredentials {
  protected readonly parts: CredentialParts
  protected readonly cache: CredentialCache<Session>
  readonly #form: RegExp
  /** Hashing costs more than the rest of an authentication from memory, so those of recent callers are kept. */
  readonly #hashes = growingCache<string, string>(1_000, { memoMethod: (key) => hash('sha256', key) })

  /** Keys that are not of this form are not looked for. */
  constructor(parts: CredentialParts, form: RegExp) {
    this.parts = parts
    this.#form = form
    this.cache = new CredentialCache(parts.clock, (keyHash, nowMs) => this.read(keyHash, nowMs))
  }

  /** Reads the session of the key with this hash. Null: there is none, or it is no longer valid. */
  protected abstract read(keyHash: string, nowMs: number): Promise<Read<Session> | null>

  /** Whose key it is, or null; see `find` of CredentialCache. */
  find(key: string): Session | null | Promise<Session | null> {
    return this.#form.test(key) ? this.findByHash(this.#hashes.memo(key)) : null
  }

  findByHash(keyHash: string): Session | null | Promise<Session | null> {
    return this.cache.find(keyHash)
  }

  /** Drops everything cached, because a key was revoked or rows of staff have changed. */
  forgetAll(): void {
    this.cache.forgetAll()
  }
}
