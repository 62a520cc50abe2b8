import type { Pool } from 'pg'
import type { Effect } from '../../domain/effects.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { isTemplate, type Template, type Values, type Wording, wordingOf } from './catalogue.ts'

/** A message for a subscriber, sent once: a second notice with the same key is ignored. */
export type Notice = {
  readonly subscriberId: SubscriberId
  readonly template: Template
  readonly values: Values
  readonly key: string
}

/** How messages are written. */
export type Style = { readonly language: Language; readonly timeZone: string; readonly lifetimeHours: number }

export type NoticesParts = {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly style: () => Style
  /** There is something to send. */
  readonly written: () => void
  /** Messages that have just been written, for whoever shows them at once. */
  readonly shown?: (messages: readonly ShownMessage[]) => void
}

type NotifyEffect = Extract<Effect, { kind: 'notify' }>
type Answer = Readonly<Record<string, unknown>>
type Waiting = { notice: Notice; outboxId: number; resolve(result: Answer): void; reject(error: unknown): void }

/** A message may be so much later, and a hundred payments have one statement for theirs. */
const collectMs = 50
const rowsAtOnce = 500

/**
 * The day of a charge writes thousands at once. The lifetime of a notice begins with its effect, which may be long ago.
 */
const insert = `INSERT INTO notifications
    (account_id, subscriber_id, kind, key, title, text, created_at, next_try_at, expires_at)
  SELECT abonent.account_id, abonent.id, notice.kind, notice.key, notice.title, notice.text, coalesce(effect.created_at, $2), $2,
    coalesce(effect.created_at, $2) + $3 * interval '1 hour'
  FROM json_to_recordset($1::json) AS notice(subscriber int8, kind text, key text, title text, text text, outbox int8, unless text, n int4)
    JOIN abonents AS abonent ON abonent.id = notice.subscriber
    LEFT JOIN outbox AS effect ON effect.id = notice.outbox
  WHERE notice.unless IS NULL OR NOT EXISTS (SELECT FROM notifications AS reply
    WHERE reply.key = notice.unless AND reply.created_at >= effect.created_at - interval '1 minute')
  ORDER BY notice.n
  ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING RETURNING id, key`

/** A message that is certain to be in the history, for whoever shows it at once in the language of the reader. */
export type ShownMessage = {
  readonly id: number
  readonly subscriberId: SubscriberId
  readonly kind: Template
  readonly wordingIn: (language: Language) => Wording
}

/** Takes the place of the message in the history; the effect that would write it comes a moment later. */
const answered = `INSERT INTO notifications
    (account_id, subscriber_id, kind, key, channel, address, title, text, state, attempts, created_at, sent_at, next_try_at, expires_at)
  SELECT account_id, id, $2, $3, 'sms', sms, $4, $5, 'sent', 1, $6, $6, NULL, $6
  FROM abonents WHERE id = $1 AND NOT EXISTS (SELECT FROM push_devices WHERE subscriber_id = $1)
  ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING`

/** Writes messages into `notifications`, from where the delivery takes them. */
export class Notices {
  readonly #parts: NoticesParts
  #waiting: Waiting[] = []
  /** Replies on their way into the table; an effect with the same content waits for them. */
  readonly #answers = new Set<Promise<unknown>>()
  #isWriting = false
  #isPlanned = false

  constructor(parts: NoticesParts) {
    this.#parts = parts
  }

  /** The handler of the outbox. An effect is done when its message is a row; rejects while the database is away. */
  take(effect: NotifyEffect, outboxId: number): Promise<Answer> {
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
      this.#plan()
    })
  }

  /** Answers how many of them are new. Rejects while the database is away. */
  async tell(notices: readonly Notice[]): Promise<number> {
    let count = 0
    for (let from = 0; from < notices.length; from += rowsAtOnce) {
      const page = notices.slice(from, from + rowsAtOnce)
      count += (await this.#write(page.map((notice) => ({ notice, outboxId: null })))).size
    }
    if (count > 0) this.#parts.written()
    return count
  }

  /** Answers how many of these subscribers had no message yet about this end of a promise. `amount` in rubles. */
  tellOfPromises(
    template: PromiseTemplate,
    promises: readonly { readonly subscriberId: SubscriberId; readonly amount: string; readonly until: Date }[],
  ): Promise<number> {
    return this.tell(
      promises.map(({ subscriberId, amount, until }) => ({
        subscriberId,
        template,
        values: { amount, until: until.toISOString() },
        key: promiseKey(template, subscriberId, until),
      })),
    )
  }

  /**
   * The text of a message that is given as the reply to an SMS: besides that only a device gets it. Ask as soon as its
   * commit is known.
   */
  async answer(subscriberId: SubscriberId, template: 'promise_activated', values: Values): Promise<string> {
    const { pool, clock, log, style } = this.#parts
    const { language, timeZone } = style()
    const { title, text } = wordingOf(template, values, language, timeZone)
    const key = answerKey(template, subscriberId, values)
    const writing = pool
      .query(answered, [subscriberId, template, key, title, text, clock.now()])
      .catch((error: unknown) => log.warn('A reply by SMS is sent once more as a message.', { error }))
      .finally(() => this.#answers.delete(writing))
    this.#answers.add(writing)
    await writing
    return text
  }

  #plan(): void {
    if (this.#isPlanned || this.#isWriting || this.#waiting.length === 0) return
    this.#isPlanned = true
    this.#parts.clock.after(collectMs, () => {
      this.#isPlanned = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isWriting = true
    const batch = this.#waiting.splice(0, rowsAtOnce)
    try {
      await Promise.all(this.#answers)
      const ids = await this.#write(batch)
      for (const { notice, resolve } of batch)
        resolve({ told: ids.has(notice.key), message: ids.get(notice.key) ?? null })
      if (ids.size > 0) this.#parts.written()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#isWriting = false
      this.#plan()
    }
  }

  /** The new rows by key. */
  async #write(batch: readonly { notice: Notice; outboxId: number | null }[]): Promise<ReadonlyMap<string, number>> {
    const { pool, clock, style } = this.#parts
    const { language, timeZone, lifetimeHours } = style()
    const rows = batch.map(({ notice: { subscriberId, template, values, key }, outboxId }, n) => ({
      subscriber: subscriberId,
      kind: template,
      key,
      ...wordingOf(template, values, language, timeZone),
      outbox: outboxId,
      unless: outboxId === null ? null : answerKey(template, subscriberId, values),
      n,
    }))
    const values = [JSON.stringify(rows), clock.now(), lifetimeHours]
    const made = await pool.query<MadeRow>({ name: 'notices', text: insert, values })
    const ids = new Map(made.rows.map(({ id, key }) => [key, Number(id)]))
    const notices = new Map(batch.map(({ notice }) => [notice.key, notice]))
    this.#parts.shown?.([...ids].map(([key, id]) => shownOf(id, notices.get(key)!, timeZone)))
    return ids
  }
}

type MadeRow = { id: string; key: string }

const shownOf = (id: number, { subscriberId, template, values }: Notice, timeZone: string): ShownMessage => ({
  id,
  subscriberId,
  kind: template,
  wordingIn: (language) => wordingOf(template, values, language, timeZone),
})

/**
 * There is one message about the end of a promise: by the job of the day or by the effect of the end, whichever comes
 * first.
 */
function keyOf({ subscriberId, template, values: { why, until } }: NotifyEffect, outboxId: number): string {
  if (template === 'promise_ended' && why === 'expired' && until)
    return promiseKey('promise_expired', subscriberId, until)
  return `outbox:${outboxId}`
}

/** The key of a reply to an SMS that has the content of an effect's message. */
const answerKey = (template: Template, subscriber: SubscriberId, { until }: Values): string =>
  `answer:${template}:${subscriber}:${until ?? ''}`

type PromiseTemplate = 'promise_expiring' | 'promise_expired'

/** One promise of a subscriber is known by its end. */
const promiseKey = (template: PromiseTemplate, subscriber: SubscriberId, until: Date | string): string =>
  `${template}:${subscriber}:${new Date(until).toISOString()}`
