import type { Pool, PoolClient } from 'pg'
import { emailForm, readPhone } from '../../../domain/contacts.ts'
import type { Language } from '../../../domain/language.ts'
import { quietUntil } from '../../../domain/quiet-hours.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Channel } from '../message.ts'
import { recipientsAtOnce, writeBatch } from './batch.ts'
import { type Audience, type Mailing, MailingTable, type NewMailing, type OpenMailing } from './mailing-table.ts'
import { type Reach, type ReachAsked, readReach } from './reach.ts'

/** The language and zone of messages, how long they are worth sending, and when mailings are quiet. */
export type MailingStyle = {
  readonly language: Language
  readonly timeZone: string
  readonly lifetimeHours: number
  readonly quietHours: string
}

/** How far a mailing is, whenever that changes. */
export type MailingProgress = Pick<Mailing, 'id' | 'state'>

export type MailingsParts = {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly style: () => MailingStyle
  /** The channels that have a provider. */
  readonly served: ReadonlySet<Channel>
  /** Called after messages were written that have to be sent. */
  readonly onWritten: () => void
}

/** So many messages that nobody has tried to send are written ahead, so that a stop leaves few. */
const aheadMax = 2 * recipientsAtOnce
/** While a provider is away, so many wait to be tried again before the others are left for later. */
const waitingMax = 20_000
const lookMs = 1_000
/** Begun by another program on the same database, or after a time that was named. */
const idleLookMs = 15_000

/**
 * Messages to many subscribers. Each mailing is a row with its progress, and a row for each recipient, so that it goes
 * on after a restart where it was, and nobody gets it twice:
 *
 *     gathering ─► sending: a batch of messages is written whenever few of those before are left ─► done
 *        │            └─► stopped by somebody
 *        └─► cut_off: the program ended before the audience was known
 */
export class Mailings {
  readonly table: MailingTable
  readonly #parts: MailingsParts
  readonly #listeners: ((progress: MailingProgress) => void)[] = []
  /** None of them rejects. */
  readonly #gathering = new Set<Promise<void>>()
  #looking: Promise<number> | null = null
  #again = false
  #isStopping = false
  #cancelLook: () => void = () => {}

  constructor(parts: MailingsParts) {
    this.#parts = parts
    this.table = new MailingTable(parts.pool)
  }

  /** Calls the listener whenever a mailing is further than before, about once a second. It must not throw. */
  onProgress(listener: (progress: MailingProgress) => void): void {
    this.#listeners.push(listener)
  }

  /** When the quiet hours of now end; null: mailings may send. */
  quietUntil(): Date | null {
    const { quietHours, timeZone } = this.#parts.style()
    return quietUntil(this.#parts.clock.now(), quietHours, timeZone)
  }

  /** Whom a mailing would reach, by the channels that have a provider. */
  reach(client: Pool | PoolClient, asked: Pick<ReachAsked, 'channel' | 'audience' | 'patient'>): Promise<Reach> {
    const { served, style } = this.#parts
    return readReach(client, { ...asked, served, language: style().language })
  }

  /** Records a mailing. Null: its key was taken. */
  begin(client: Pick<PoolClient, 'query'>, order: Omit<NewMailing, 'startsAt'> & { readonly startsAt: Date | null }) {
    return this.table.begin(client, { ...order, startsAt: order.startsAt ?? this.#parts.clock.now() })
  }

  /** Fixes the audience of a mailing that has begun, and sends. Nobody has to wait for it. */
  gather(id: number, audience: Audience): void {
    const { log, clock, style } = this.#parts
    const gathering = this.table
      .gather(id, audience, style().timeZone)
      .then(
        (isGathered) => {
          if (isGathered) this.#tell({ id, state: 'sending' })
        },
        async (error: unknown) => {
          log.error('The recipients of a mailing could not be gathered.', { mailing: id, error })
          await this.table.cutOff(id, clock.now())
          this.#tell({ id, state: 'cut_off' })
        },
      )
      .catch((error: unknown) => log.warn('The end of a mailing was not written.', { mailing: id, error }))
      .finally(() => {
        this.#gathering.delete(gathering)
        this.wake()
      })
    this.#gathering.add(gathering)
  }

  /** Nobody else gets a message of it. False: it is not under way. */
  async halt(client: Pick<PoolClient, 'query'>, id: number): Promise<boolean> {
    return await this.table.stop(client, id, this.#parts.clock.now())
  }

  /** One message to an address, to see how it looks, also in quiet hours. */
  async test(order: TestOrder): Promise<TestOutcome> {
    const { pool, clock, served, style, onWritten } = this.#parts
    const channel = order.to.includes('@') ? 'email' : 'sms'
    const address = channel === 'sms' ? readPhone(order.to) : emailForm.test(order.to) ? order.to : null
    if (address === null) return { kind: 'refused', code: 'not_address' }
    if (!served.has(channel)) return { kind: 'refused', code: 'no_provider' }
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO notifications (kind, channel, address, title, text, created_at, next_try_at, expires_at)
        VALUES ('mailing_test', $1, $2, $3, $4, $5, $5, $5::timestamptz + $6 * interval '1 hour') RETURNING id`,
      [channel, address, order.title, order.text, clock.now(), style().lifetimeHours],
    )
    onWritten()
    return { kind: 'written', id: Number(rows[0]!.id) }
  }

  /** Looks whether something is to be written, also of what an earlier run has left. */
  wake(): void {
    this.#again = true
    if (this.#looking || this.#isStopping) return
    this.#cancelLook()
    this.#looking = this.#look().catch((error: unknown) => {
      this.#parts.log.warn('Mailings cannot be looked through now.', { error })
      return idleLookMs
    })
    void this.#looking.then((waitMs) => {
      this.#looking = null
      if (this.#isStopping) return
      if (this.#again) this.wake()
      else this.#cancelLook = this.#parts.clock.after(waitMs, () => this.wake())
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#again = false
    this.#cancelLook()
    await this.#looking
    await Promise.all(this.#gathering)
  }

  /** Resolves with how long nothing more has to be looked at. */
  async #look(): Promise<number> {
    const { clock } = this.#parts
    this.#again = false
    await this.table.giveUpGathering(clock.now())
    const due = (await this.table.open()).filter(({ startsAt }) => startsAt <= clock.now())
    for (const mailing of due) await this.#advance(mailing)
    return due.length > 0 ? lookMs : idleLookMs
  }

  /** Writes as much of a mailing as may wait, or ends it. */
  async #advance({ id, left }: OpenMailing): Promise<void> {
    const { pool, clock, served, style, onWritten } = this.#parts
    for (let rest = left; rest > 0 && !this.#isStopping && this.quietUntil() === null; ) {
      const { waiting, untried } = await this.table.countWaiting(id, waitingMax)
      if (waiting === waitingMax || untried > aheadMax - recipientsAtOnce) break
      const { language, lifetimeHours } = style()
      const count = await writeBatch({ pool, served, language, lifetimeHours, now: clock.now() }, id)
      if (count === 0) break
      rest -= count
      onWritten()
    }
    if (await this.table.finish(id, clock.now())) this.#tell({ id, state: 'done' })
    else if (this.quietUntil() === null) this.#tell({ id, state: 'sending' })
  }

  #tell(progress: MailingProgress): void {
    for (const listener of this.#listeners) listener(progress)
  }
}

export type TestOrder = { readonly to: string; readonly title: string; readonly text: string }

export type TestOutcome =
  | { readonly kind: 'written'; readonly id: number }
  | { readonly kind: 'refused'; readonly code: 'not_address' | 'no_provider' }
