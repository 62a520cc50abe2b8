import type { Pool } from 'pg'
import { systemAuthor } from '../../../domain/author.ts'
import { type NasId, nasId } from '../../../domain/ids.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import type { Nas } from '../../../platform/storage/entities/network.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { writing } from '../../../platform/storage/transactions.ts'
import { asUnavailable, codeOf } from '../../../platform/storage/unavailability.ts'
import type { NasHeard, NasLearned } from '../worker/messages.ts'

export type NasMemoryParts = {
  /** Exempt from the triggers that would read the NAS anew and forget what it has just taught. */
  readonly pool: Pool
  /** The pool by which `interims` are stored. */
  readonly interimsPool: Pool
  readonly timeZone: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Until what could not be stored is tried again. */
const retryMs = 2_000
/**
 * How long interims are gathered before they are stored: each time all nodes read all NAS anew, and after an
 * installation every NAS teaches them.
 */
const gatherMs = 1_000
/** The code of PostgreSQL when somebody else holds the record for longer than a connection of the ledger waits. */
const lockedCode = '55P03'

/**
 * Stores what NAS have taught and told, one after the other. What the database is away for, or too busy, is tried again
 * until it is stored, because a NAS does not repeat it: the program knows it by then.
 */
export class NasMemory {
  readonly #parts: NasMemoryParts
  /** The newest fact of each kind and NAS. */
  readonly #waiting = new Map<string, () => Promise<void>>()
  readonly #interims = new Map<NasId, boolean>()
  #cancelGathering: (() => void) | null = null
  #storing: Promise<void> | null = null
  #cancelRetry: (() => void) | null = null
  #isStopped = false

  constructor(parts: NasMemoryParts) {
    this.#parts = parts
  }

  learned(learned: NasLearned): void {
    const { pool, timeZone } = this.#parts
    this.#keep(`learned ${learned.nasId}`, () => keepLearned(pool, timeZone, learned))
  }

  heard(heard: NasHeard): void {
    const what = heard.kind === 'proved' && heard.usesNext ? 'proved next' : heard.kind
    this.#keep(`${what} ${heard.nasId}`, () => keepHeard(this.#parts.pool, heard))
  }

  interims(nas: NasId, sendsInterims: boolean): void {
    this.#interims.set(nas, sendsInterims)
    this.#cancelGathering ??= this.#parts.clock.after(gatherMs, () => this.#keepInterims())
  }

  /** To be called when the records have been read anew: their NAS teach again what the records do not say. */
  forget(): void {
    this.#waiting.clear()
    this.#interims.clear()
  }

  async stop(): Promise<void> {
    this.#cancelGathering?.()
    this.#keepInterims()
    this.#isStopped = true
    this.#cancelRetry?.()
    await this.#storing
    if (this.#waiting.size > 0)
      this.#parts.log.warn('what NAS taught or told could not be stored', {
        detail: [...this.#waiting.keys()].join(', '),
      })
  }

  #keepInterims(): void {
    this.#cancelGathering = null
    if (this.#interims.size > 0) this.#keep('interims', () => this.#storeInterims())
  }

  async #storeInterims(): Promise<void> {
    const told = [...this.#interims]
    await this.#parts.interimsPool.query(
      `UPDATE nas SET learned_interims = told.sends FROM unnest($1::int8[], $2::bool[]) AS told (id, sends)
        WHERE nas.id = told.id`,
      [told.map(([nas]) => nas), told.map(([, sends]) => sends)],
    )
    for (const [nas, sends] of told) if (this.#interims.get(nas) === sends) this.#interims.delete(nas)
  }

  #keep(key: string, store: () => Promise<void>): void {
    this.#waiting.set(key, store)
    if (!this.#cancelRetry) this.#wake()
  }

  #wake(): void {
    this.#cancelRetry = null
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null
    })
  }

  /** Never rejects. A Map shows its loop what is added meanwhile. */
  async #storeAll(): Promise<void> {
    const { clock, log } = this.#parts
    for (const [key, store] of this.#waiting) {
      try {
        await store()
      } catch (error) {
        if (asUnavailable(error) || codeOf(error) === lockedCode) {
          log.debug('what a NAS taught or told cannot be stored now', { detail: key, error })
          if (!this.#isStopped) this.#cancelRetry = clock.after(retryMs, () => this.#wake())
          return
        }
        log.error('what a NAS taught or told could not be stored', { detail: key, error })
      }
      if (this.#waiting.get(key) === store) this.#waiting.delete(key)
    }
  }
}

/** Stores what was learned, and in the audit that it was: operators see it, and a restart need not learn it again. */
function keepLearned(pool: Pool, timeZone: () => string, learned: NasLearned): Promise<void> {
  const { messageAuthenticator, proxyState } = learned
  const id = nasId(learned.nasId)
  return writing({ database: { pool }, timeZone }, async (client) => {
    const { rows } = await client.query<RowOf<typeof Nas, 'learned_message_authenticator' | 'learned_proxy_state'>>(
      'SELECT learned_message_authenticator, learned_proxy_state FROM nas WHERE id = $1 FOR UPDATE',
      [id],
    )
    const [before] = rows
    if (!before) return
    const diff: Diff = {
      learned_message_authenticator: [before.learned_message_authenticator, messageAuthenticator],
      learned_proxy_state: [before.learned_proxy_state, proxyState],
    }
    // An earlier try whose answer was lost may have stored it.
    if (Object.values(diff).every(([was, is]) => was === is)) return
    await client.query('UPDATE nas SET learned_message_authenticator = $2, learned_proxy_state = $3 WHERE id = $1', [
      id,
      messageAuthenticator,
      proxyState,
    ])
    const row = { table: 'NAS', id: String(id), action: 'change', diff, organizationId: null } as const
    await writeAudit(client, { author: systemAuthor('radius'), ...row })
  })
}

/** What its packets tell beside their question. */
async function keepHeard(pool: Pool, heard: NasHeard): Promise<void> {
  const { nasId: id, atMs } = heard
  if (heard.kind === 'asked') await pool.query('UPDATE nas SET asked_ip = $2 WHERE id = $1', [id, heard.address])
  else {
    const column = heard.usesNext ? 'secret_next_seen_at' : 'secret_seen_at'
    await pool.query(`UPDATE nas SET ${column} = $2 WHERE id = $1`, [id, new Date(atMs)])
  }
}
