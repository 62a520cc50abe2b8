import type { AccountChange } from '../accounts/account-change.ts'
import type { Effect } from '../../domain/effects.ts'
import type { EventOf } from '../../domain/events.ts'
import { defaultOrganization } from '../../domain/ids.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import type { TransactionScope } from '../../platform/storage/transactions.ts'
import { type DeliveryFate, Delivering } from './delivering.ts'
import { Gathering } from './gathering.ts'
import { ledgerEvents } from './ledger-events.ts'
import { type SessionEvent, sessionEvent } from './session-events.ts'
import { readWanting, Wants } from './wants.ts'

export type WebhooksParts = TransactionScope & {
  readonly http: OutgoingHttp
  readonly secrets: { open(sealed: string): string }
  readonly clock: Clock
  readonly log: Log
  readonly observe: (fate: DeliveryFate) => void
  readonly timeoutMs?: number
}

/**
 * Tells programs of the provider what happens, by requests signed as Standard Webhooks says: at least once, and of one
 * subscriber in order. While no endpoint wants an event, nothing is written for it.
 */
export class Webhooks {
  readonly #parts: WebhooksParts
  readonly #wants = new Wants()
  readonly #gathering: Gathering
  readonly #delivering: Delivering
  #isStarted = false
  #reading: Promise<void> | null = null

  constructor(parts: WebhooksParts) {
    this.#parts = parts
    const { database, timeZone, clock, log, secrets } = parts
    const scope = { database, timeZone }
    this.#gathering = new Gathering({ scope, clock, log, made: () => this.#delivering.wake() })
    this.#delivering = new Delivering({
      ...parts,
      scope,
      secrets: { open: (sealed) => secrets.open(sealed) },
      endpoints: () => this.#wants.endpoints,
    })
  }

  /** Rejects while the database is away. */
  async start(): Promise<void> {
    this.#wants.endpoints = await readWanting(this.#parts.database.pool)
    this.#isStarted = true
    this.wake()
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    await this.#gathering.stop()
    await this.#delivering.stop()
  }

  /** The events of a change that somebody wants to be told, to be stored with its commit. */
  readonly eventsOf = (change: AccountChange, now: Date): readonly Effect[] => ledgerEvents(this.#wants, change, now)

  accountCommitted({ effects }: EventOf<'accountCommitted'>): void {
    if (this.#isStarted && effects.some(({ effect }) => effect.kind === 'webhook')) this.#gathering.wake()
  }

  sessionStarted({ session, isForeign }: EventOf<'sessionStarted'>): void {
    if (!isForeign) this.#tell('session.started', session)
  }

  sessionStopped({ session, isForeign }: EventOf<'sessionStopped'>): void {
    if (!isForeign) this.#tell('session.ended', session)
  }

  /** A notification of the database. Those of other subjects are none of ours. */
  noticed(payload: string): void {
    if (!payload.startsWith('{"webhooks":') || !this.#isStarted) return
    if (payload === '{"webhooks":"endpoints"}') void this.changed()
    else this.#gathering.wake()
  }

  /** Endpoints have been written. Resolves when the next event is told as they want it. */
  async changed(): Promise<void> {
    // A reading that has begun may not see them.
    await this.#reading
    this.#reading = readWanting(this.#parts.database.pool)
      .then((endpoints) => {
        this.#wants.endpoints = endpoints
        this.wake()
      })
      .catch((error: unknown) => this.#parts.log.warn('The endpoints of webhooks cannot be read now.', { error }))
    await this.#reading
  }

  /** Events may wait to be told, and deliveries may be due. */
  wake(): void {
    if (!this.#isStarted) return
    this.#gathering.wake()
    this.#delivering.wake()
  }

  #tell(event: SessionEvent, session: EventOf<'sessionStarted'>['session']): void {
    if (this.#wants.has(event, session.organizationId ?? defaultOrganization))
      this.#gathering.take(sessionEvent(event, session))
  }
}
