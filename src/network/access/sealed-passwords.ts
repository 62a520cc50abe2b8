import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../../platform/log.ts'
import { SecretOpener } from '../../platform/secrets/opener.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { openedPassword } from './rows.ts'
import type { AccessTable } from './table.ts'

type Parts = { readonly table: AccessTable; readonly secrets: Secrets; readonly log: Log }

/** Gathering this many, or writing them, takes less than a millisecond of the main thread. */
const batchLogins = 500

/**
 * Passwords that are in the access table as they were read, sealed, because there are too many of them to wait for.
 * They are opened one after another in a thread of their own; until then a worker opens what it meets for itself.
 */
export class SealedPasswords {
  readonly #parts: Parts
  readonly #opener: SecretOpener
  readonly #loginIds: number[] = []
  #opening: Promise<void> | null = null
  #isClosed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#opener = new SecretOpener(parts.secrets)
  }

  add(loginId: number): void {
    this.#loginIds.push(loginId)
  }

  /** Resolves when no password is left to be opened. Never rejects: one that could not be opened stays sealed. */
  async open(): Promise<void> {
    if (this.#loginIds.length > 0) this.#opening ??= this.#openAll()
    await this.#opening
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opener.close()
  }

  async #openAll(): Promise<void> {
    try {
      while (this.#loginIds.length > 0 && !this.#isClosed) {
        await this.#openSome(this.#loginIds.splice(-batchLogins))
        await nextTurn()
      }
    } catch (error) {
      if (!this.#isClosed) this.#parts.log.error('Passwords stay sealed in memory; sign-ins open them.', { error })
    } finally {
      this.#opening = null
    }
  }

  async #openSome(loginIds: readonly number[]): Promise<void> {
    const { table, secrets, log } = this.#parts
    const logins = loginIds.flatMap((id) => {
      const sealed = table.sealedPassword(id)
      return sealed === null ? [] : [{ id, sealed }]
    })
    const stored = await this.#opener.open(logins.map(({ sealed }) => sealed))
    for (const [index, { id, sealed }] of logins.entries())
      table.openPassword(id, sealed, stored[index] ?? openedPassword(secrets, log, id, sealed))
  }
}
