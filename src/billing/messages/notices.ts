import type { Pool } from 'pg'
import type { Effect } from '../../domain/effects.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { hiddenFromPlanner } from '../../platform/storage/sql.ts'
import { type Addressee, addressColumns, destinationsFor, type WrittenAddress, writtenAddress } from './addresses.ts'
import { isTemplate, type OwnWordings, type Template, type Values, type Wording, wordingOf } from './catalogue.ts'
import type { Channel } from './message.ts'
import { noAddressSeconds } from './table.ts'
import { readOwnWordings } from './templates.ts'

/** A message for a subscriber. It is written once: a second notice with the same key is ignored. */
export type Notice = {
  readonly subscriberId: SubscriberId
  readonly template: Template
  readonly values: Values
  readonly key: string
}

/** The language and time zone of messages, and how long they are worth sending. */
type Style = { readonly language: Language; readonly timeZone: string; readonly lifetimeHours: number }

export type NoticesParts = {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly style: () => Style
  /** The channels that have a provider. */
  readonly served: ReadonlySet<Channel>
  /** Called after messages were written that have to be sent. */
  readonly onWritten: () => void
}

type NotifyEffect = Extract<Effect, { kind: 'notify' }>
type EffectResult = Readonly<Record<string, unknown>>
type Waiting = { notice: Notice; outboxId: number; resolve(result: EffectResult): void; reject(error: unknown): void }

/** How long a message waits for others, so that the messages of many payments are written by one statement. */
const collectMs = 200
const rowsAtOnce = 500

/**
 * One statement for many notices, because a tariff day writes thousands at once. The lifetime of a notice starts with
 * its effect, which may have waited in the outbox for long. The effects are looked up one by one: joined, they would be
 * found by a hash of the whole outbox, because the planner expects a hundred rows of any JSON.
 *
 * A message is written with its address or with the reason why there is none, because every update of the row writes
 * all of its indexes. The delivery deals with the others: those for several devices, and those that come too late.
 */
const insert = `WITH notice AS MATERIALIZED (
    SELECT given.*, (SELECT created_at FROM outbox WHERE id = given.outbox) AS effect_at
    FROM json_to_recordset($1::json) AS given(subscriber int8, kind text, key text, title text, text text, outbox int8, unless text, n int4,
      channel text, device_id int8, address text, error text)),
  lasting AS (SELECT notice.*, expires_at, CASE WHEN expires_at > $2 THEN error END AS unaddressed
    FROM notice, LATERAL (SELECT coalesce(effect_at, $2::timestamptz) + $3 * interval '1 hour' AS expires_at) AS life)
  INSERT INTO notifications (account_id, subscriber_id, kind, key, title, text, channel, device_id, address, error, created_at, next_try_at,
    expires_at)
  SELECT abonent.account_id, abonent.id, notice.kind, notice.key, notice.title, notice.text, notice.channel, notice.device_id,
    notice.address, notice.unaddressed, coalesce(effect_at, $2),
    CASE WHEN unaddressed IS NULL THEN $2 ELSE least(expires_at, $2 + interval '${noAddressSeconds} seconds') END, expires_at
  FROM lasting AS notice JOIN abonents AS abonent ON abonent.id = notice.subscriber
  WHERE notice.unless IS NULL OR NOT EXISTS (SELECT FROM notifications AS reply
    WHERE reply.key = notice.unless AND reply.created_at >= effect_at - interval '1 minute')
  ORDER BY notice.n
  ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING RETURNING id, key, error IS NULL AS is_due`

/** A message that is committed to the history. It can be worded in the language of its reader. */
export type ShownMessage = {
  readonly id: number
  readonly subscriberId: SubscriberId
  readonly kind: Template
  readonly wordingIn: (language: Language) => Wording
}

/** Records a reply as a message that was sent, so that the effect that follows does not write the message again. */
const insertReply = `INSERT INTO notifications
    (account_id, subscriber_id, kind, key, channel, address, title, text, state, attempts, created_at, sent_at, next_try_at, expires_at)
  SELECT account_id, id, $2, $3, 'sms', sms, $4, $5, 'sent', 1, $6, $6, NULL, $6
  FROM abonents WHERE id = $1 AND NOT EXISTS (SELECT FROM push_devices WHERE subscriber_id = $1)
  ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING`

/** Writes messages into `notifications`, from where the delivery takes them. */
export class Notices {
  readonly #parts: NoticesParts
  readonly #shownListeners: ((messages: readonly ShownMessage[]) => void)[] = []
  #waiting: Waiting[] = []
  /** Replies that are being written. A notice with the same content waits for them. */
  readonly #replies = new Set<Promise<unknown>>()
  #isWriting = false
  #isScheduled = false

  constructor(parts: NoticesParts) {
    this.#parts = parts
  }

  /**
   * Calls the listener with messages as soon as they are committed to the history, whatever their channel. The listener
   * must not throw.
   */
  onShown(listener: (messages: readonly ShownMessage[]) => void): void {
    this.#shownListeners.push(listener)
  }

  /**
   * Handles an effect of the outbox: resolves when its message is written, and rejects while the database is
   * unavailable.
   */
  handle(effect: NotifyEffect, outboxId: number): Promise<EffectResult> {
    const { subscriberId, template, values } = effect
    if (!isTemplate(template)) {
      this.#parts.log.error('A message has no wording and is not sent.', { template, outboxId })
      return Promise.resolve({ told: false, reason: 'The catalogue has no such message.' })
    }
    // Specification 6: the notice about a payment covers the promise that it has closed.
    if (template === 'promise_ended' && values.why === 'payment') {
      return Promise.resolve({ told: false, reason: 'The credit notice tells it.' })
    }
    const notice = { subscriberId, template, values, key: keyOf(effect, outboxId) }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ notice, outboxId, resolve, reject })
      this.#schedule()
    })
  }

  /** Writes notices and returns how many of them are new. Rejects while the database is unavailable. */
  async add(notices: readonly Notice[]): Promise<number> {
    let count = 0
    for (let from = 0; from < notices.length; from += rowsAtOnce) {
      const page = notices.slice(from, from + rowsAtOnce)
      count += (await this.#write(page.map((notice) => ({ notice, outboxId: null })))).size
    }
    return count
  }

  /** Writes notices about the end of promises, one per end, and returns how many are new. `amount` in rubles. */
  addForPromises(
    template: PromiseTemplate,
    promises: readonly { readonly subscriberId: SubscriberId; readonly amount: string; readonly until: Date }[],
  ): Promise<number> {
    return this.add(
      promises.map(({ subscriberId, amount, until }) => ({
        subscriberId,
        template,
        values: { amount, until: until.toISOString() },
        key: promiseKey(template, subscriberId, until),
      })),
    )
  }

  /**
   * Returns the text of a message that the caller sends as the reply to an SMS, and records it as sent, so that only a
   * device gets the message besides. To be called as soon as the commit is known, before the effect is handled.
   */
  async reply(subscriberId: SubscriberId, template: 'promise_activated', values: Values): Promise<string> {
    const { pool, clock, log, style } = this.#parts
    const { language, timeZone } = style()
    const own = await readOwnWordings(pool).catch((error: unknown): OwnWordings => {
      log.warn('A reply by SMS is worded as shipped.', { error })
      return new Map()
    })
    const { title, text } = wordingOf(template, values, language, { timeZone, own })
    const key = replyKey(template, subscriberId, values)
    const writing = pool
      .query(insertReply, [subscriberId, template, key, title, text, clock.now()])
      .catch((error: unknown) => log.warn('A reply by SMS is sent once more as a message.', { error }))
      .finally(() => this.#replies.delete(writing))
    this.#replies.add(writing)
    await writing
    return text
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting || this.#waiting.length === 0) return
    this.#isScheduled = true
    this.#parts.clock.after(this.#waiting.length < rowsAtOnce ? collectMs : 0, () => {
      this.#isScheduled = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isWriting = true
    const batch = this.#waiting.splice(0, rowsAtOnce)
    try {
      await Promise.all(this.#replies)
      const ids = await this.#write(batch)
      for (const { notice, resolve } of batch)
        resolve({ told: ids.has(notice.key), message: ids.get(notice.key) ?? null })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#isWriting = false
      this.#schedule()
    }
  }

  /** Returns the ids of the new rows by key. */
  async #write(batch: readonly { notice: Notice; outboxId: number | null }[]): Promise<ReadonlyMap<string, number>> {
    const { pool, clock, style } = this.#parts
    const { language, timeZone, lifetimeHours } = style()
    const addresses = await this.#addressesOf(batch.map(({ notice }) => notice.subscriberId))
    const wording = { timeZone, own: await readOwnWordings(pool) }
    const rows = batch.map(({ notice: { subscriberId, template, values, key }, outboxId }, n) => ({
      ...addresses.get(subscriberId),
      subscriber: subscriberId,
      kind: template,
      key,
      ...wordingOf(template, values, language, wording),
      outbox: outboxId,
      unless: outboxId === null ? null : replyKey(template, subscriberId, values),
      n,
    }))
    const values = [JSON.stringify(rows), clock.now(), lifetimeHours]
    const inserted = await pool.query<{ id: string; key: string; is_due: boolean }>({
      name: 'notices',
      text: insert,
      values,
    })
    const ids = new Map(inserted.rows.map(({ id, key }) => [key, Number(id)]))
    const notices = new Map(batch.map(({ notice }) => [notice.key, notice]))
    const shown = [...ids].map(([key, id]): ShownMessage => {
      const { subscriberId, template, values } = notices.get(key)!
      return { id, subscriberId, kind: template, wordingIn: (other) => wordingOf(template, values, other, wording) }
    })
    for (const listener of this.#shownListeners) listener(shown)
    if (inserted.rows.some(({ is_due }) => is_due)) this.#parts.onWritten()
    return ids
  }

  /**
   * What is written with a message to each of the subscribers: its address, why it has none, or nothing when it goes to
   * several devices and the delivery will copy it for them.
   */
  async #addressesOf(subscribers: readonly SubscriberId[]): Promise<ReadonlyMap<number, AddressOrError>> {
    const { pool, served } = this.#parts
    const { rows } = await pool.query<Addressee & { id: string }>({
      name: 'notices:addresses',
      text: `SELECT id, ${addressColumns('abonent.id')} FROM abonents AS abonent WHERE id = ANY(${hiddenFromPlanner('$1')})`,
      values: [subscribers],
    })
    return new Map(rows.map(({ id, ...addressee }) => [Number(id), addressOrError(destinationsFor(addressee, served))]))
  }
}

type AddressOrError = WrittenAddress & { readonly error?: string }

const addressOrError = (found: ReturnType<typeof destinationsFor>): AddressOrError =>
  'reason' in found ? { error: found.reason } : writtenAddress(found.destinations)

/**
 * The reminder job and the effect of the end share a key, so that a client gets one message about the end of a promise.
 */
function keyOf({ subscriberId, template, values: { why, until } }: NotifyEffect, outboxId: number): string {
  if (template === 'promise_ended' && why === 'expired' && until)
    return promiseKey('promise_expired', subscriberId, until)
  return `outbox:${outboxId}`
}

/** The key of an SMS reply with the same content as the message of an effect. */
const replyKey = (template: Template, subscriber: SubscriberId, { until }: Values): string =>
  `answer:${template}:${subscriber}:${until ?? ''}`

type PromiseTemplate = 'promise_expiring' | 'promise_expired'

/** A promise of a subscriber is identified by its end. */
const promiseKey = (template: PromiseTemplate, subscriber: SubscriberId, until: Date | string): string =>
  `${template}:${subscriber}:${new Date(until).toISOString()}`
