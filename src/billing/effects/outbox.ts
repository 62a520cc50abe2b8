import type { Pool } from 'pg'
import type { Effect, EffectHandlers, EffectResult, OrderedEffect, StoredEffect } from '../../domain/effects.ts'
import type { EventOf } from '../../domain/events.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import { OutboxOrders } from './outbox-orders.ts'

export type OutboxParts = {
  pool: Pool
  clock: Clock
  log: Log
  inWorkMax?: number
}

const pageRows = 1000
/** What is done and not marked would be done again after a crash; marking costs a commit. */
const collectMs = 50
const retryMs = 1000
/** An order waits so long for its row: a database that is frozen does not hold up what must happen. */
const orderPatienceMs = 250
/** Looks for rows nobody told us about: a commit whose outcome was unknown, another program on the same database. */
const sweepEveryMs = 30_000

/**
 * Carries out what the ledger has committed, and what was ordered, at least once.
 *
 * A row is written with the change that wants it, taken from `accountCommitted` at once, and marked done with its result. A row
 * not marked, for whatever reason, is found at the next start or by the sweep. Kinds without a handler are left alone. What no
 * commit wants is ordered here.
 */
export class Outbox {
  readonly #parts: OutboxParts
  #handlers: EffectHandlers = {}
  readonly #inWorkMax: number
  readonly #orders: OutboxOrders
  /** Taken and not yet marked. */
  readonly #inWork = new Set<number>()
  /** Rows left in the table because too many were in work. */
  #leftBehind = false
  #finished: { id: number; result: EffectResult }[] = []
  #markPlanned = false
  #marking: Promise<void> | null = null
  #sweeping: Promise<void> | null = null
  #cancelSweep: () => void = () => {}
  #stopping = false
  readonly counts = { taken: 0, done: 0, failed: 0 }

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#inWorkMax = parts.inWorkMax ?? 20_000
    this.#orders = new OutboxOrders({ ...parts, kept: (id) => this.#inWork.delete(id) })
  }

  accountCommitted({ effects }: Pick<EventOf<'accountCommitted'>, 'effects'>): void {
    for (const stored of effects) this.#take(stored)
  }

  get inWork(): number {
    return this.#inWork.size
  }

  /** Takes up what an earlier run left, and from now on what commits want. Rejects while the database is away. */
  async start(handlers: EffectHandlers): Promise<void> {
    this.#handlers = handlers
    await this.#orders.start()
    await this.#loadPending()
    this.#planSweep(sweepEveryMs)
  }

  /** Takes nothing more, and marks what has been finished. Stop the handlers first. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelSweep()
    // What handlers finished just now comes to its end in this turn of the event loop.
    await new Promise(setImmediate)
    await this.#sweeping
    await this.#marking
    await this.#orders.stop()
    await this.#mark()
  }

  /**
   * Carries out an effect that no commit of the ledger has written. Its row comes first, so that a restart finds it; while the database
   * is away it is carried out at once, and the row is written when that can be. Null: not finished, to be done again after the start.
   */
  async order(effect: OrderedEffect): Promise<EffectResult | null> {
    const row = this.#orders.take(effect)
    if (row) {
      // From here on the sweep leaves it to us.
      this.#inWork.add(row.id)
      await Promise.race([row.tried, this.#patience()])
    } else this.#parts.log.warn('An effect is carried out without a row of the outbox.', { kind: effect.kind })
    const work = this.#stopping ? null : this.#handle(effect, row?.id ?? null)
    if (!work) {
      if (row) this.#inWork.delete(row.id)
      return null
    }
    this.counts.taken++
    return await this.#follow(work, row?.id ?? null)
  }

  #take({ outboxId, effect }: StoredEffect): void {
    if (this.#stopping || this.#inWork.has(outboxId)) return
    const work = this.#handle(effect, outboxId)
    if (!work) return
    this.counts.taken++
    this.#inWork.add(outboxId)
    void this.#follow(work, outboxId)
  }

  /** Never rejects. */
  async #follow(work: Promise<EffectResult | null>, outboxId: number | null): Promise<EffectResult | null> {
    try {
      const result = await work
      if (outboxId !== null) this.#finish(outboxId, result)
      return result
    } catch (error) {
      const level = asUnavailable(error) ? 'warn' : 'error'
      this.#parts.log[level]('An effect from the outbox failed and will be tried again.', { error, outboxId })
      this.counts.failed++
      if (outboxId !== null) this.#inWork.delete(outboxId)
      return null
    }
  }

  #patience(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(orderPatienceMs, resolve))
  }

  /** Null where the effect stays in the table: nobody handles its kind, or too many are in work. */
  #handle(effect: Effect, outboxId: number | null): Promise<EffectResult | null> | null {
    const handler = this.#handlers[effect.kind] as
      | ((effect: Effect, outboxId: number | null) => Promise<EffectResult | null>)
      | undefined
    if (!handler) return null
    if (this.#inWork.size >= this.#inWorkMax) {
      this.#leftBehind = true
      return null
    }
    try {
      return handler(effect, outboxId)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #finish(id: number, result: EffectResult | null): void {
    if (result === null) {
      this.#inWork.delete(id)
      return
    }
    this.counts.done++
    if (this.#orders.close(id, result)) return
    this.#finished.push({ id, result })
    this.#planMark(collectMs)
    if (this.#leftBehind && this.#inWork.size < this.#inWorkMax / 2) this.#planSweep(0)
  }

  #planMark(ms: number): void {
    if (this.#markPlanned) return
    this.#markPlanned = true
    this.#parts.clock.after(ms, () => {
      this.#markPlanned = false
      this.#marking = (this.#marking ?? Promise.resolve()).then(() => this.#mark())
    })
  }

  async #mark(): Promise<void> {
    const text = `UPDATE outbox o SET done_at = now(), attempts = o.attempts + 1, result = d.result
      FROM json_to_recordset($1::json) AS d(id int8, result jsonb) WHERE o.id = d.id AND o.done_at IS NULL`
    while (this.#finished.length > 0) {
      const batch = this.#finished.splice(0, pageRows)
      try {
        await this.#parts.pool.query({ name: 'outbox-mark', text, values: [JSON.stringify(batch)] })
        for (const { id } of batch) this.#inWork.delete(id)
      } catch (error) {
        this.#finished = [...batch, ...this.#finished]
        this.#parts.log.warn('Finished effects cannot be marked in the outbox now.', {
          error,
          waiting: this.#finished.length,
        })
        if (!this.#stopping) this.#planMark(retryMs)
        return
      }
    }
    if (this.#leftBehind && this.#inWork.size < this.#inWorkMax / 2) this.#planSweep(0)
  }

  #planSweep(ms: number): void {
    if (this.#stopping) return
    this.#cancelSweep()
    this.#cancelSweep = this.#parts.clock.after(ms, () => {
      this.#sweeping ??= this.#loadPending()
        .catch((error: unknown) => this.#parts.log.warn('The outbox cannot be read now.', { error }))
        .finally(() => {
          this.#sweeping = null
          this.#planSweep(sweepEveryMs)
        })
    })
  }

  async #loadPending(): Promise<void> {
    this.#leftBehind = false
    let after = 0
    while (!this.#leftBehind && !this.#stopping) {
      const text = `SELECT id, payload FROM outbox
        WHERE done_at IS NULL AND kind = ANY($1) AND id > $2 ORDER BY id LIMIT $3`
      const { rows } = await this.#parts.pool.query<{ id: string; payload: Effect }>(text, [
        Object.keys(this.#handlers),
        after,
        pageRows,
      ])
      for (const { id, payload } of rows) this.#take({ outboxId: Number(id), effect: payload })
      if (rows.length < pageRows) return
      after = Number(rows.at(-1)!.id)
    }
  }
}
