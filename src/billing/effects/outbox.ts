import type { Pool } from 'pg'
import type { Effect, EffectHandlers, EffectResult, OrderedEffect, StoredEffect } from '../../domain/effects.ts'
import type { EventOf } from '../../domain/events.ts'
import type { Span } from '../../domain/span.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { isAliveSql } from '../../platform/nodes/nodes-table.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { OutboxOrders } from './outbox-orders.ts'

export type OutboxParts = {
  pool: Pool
  clock: Clock
  log: Log
  inWorkMax?: number
  /** This program among others on the database; null: it is the only one. */
  node?: OutboxNode | null
  /** False: it carries out its own effects only, whoever is gone. */
  takesOver?: boolean
  /** Null: effects that no commit has just ordered are not traced. */
  tracing?: Tracing | null
}

/** Each node carries out the effects of its own commits, and those of a node that is gone. */
type OutboxNode = {
  readonly place: { readonly number: number }
  /** Why others may have taken over what is its own; null: they have not. */
  readonly fenced: string | null
}

const pageRows = 1000
/**
 * How long finished effects are collected before they are marked. Each mark costs a commit, but an effect that is not
 * marked is carried out again after a crash.
 */
const collectMs = 200
const retryMs = 1000
/** How long an order waits for its row to be written, so that an unresponsive database does not hold up the effect. */
const rowTimeoutMs = 250
/**
 * How often the table is searched for rows without an event: from a commit whose outcome was unknown, or from a node
 * that is gone.
 */
const sweepEveryMs = 30_000

/**
 * Carries out the effects that the ledger has committed, and those that were ordered, at least once.
 *
 * A row is written in the commit of its change; the effect is taken from `accountCommitted` at once, and the row is
 * marked with its result. A row that is not marked, for whatever reason, is found at the next start or by the sweep.
 * Kinds without a handler stay in the table. Effects that belong to no commit are ordered with `order`.
 */
export class Outbox {
  readonly #parts: OutboxParts
  #handlers: EffectHandlers = {}
  readonly #inWorkMax: number
  readonly #orders: OutboxOrders
  /** The ids of effects that have been taken and not yet marked. */
  readonly #inWork = new Set<number>()
  /** Of each reading of what is pending that is under way: what was marked meanwhile, which its answer may not know. */
  readonly #readings = new Set<Set<number>>()
  /** Whether rows were left in the table because too many effects were in work. */
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
    this.#orders = new OutboxOrders({ ...parts, stored: (id) => this.#marked(id) })
  }

  accountCommitted({ effects, span }: Pick<EventOf<'accountCommitted'>, 'effects' | 'span'>): void {
    for (const stored of effects) this.#take(stored, span)
  }

  get inWork(): number {
    return this.#inWork.size
  }

  /**
   * Takes the effects that an earlier run left, and from now on those of commits. Rejects while the database is away.
   */
  async start(handlers: EffectHandlers): Promise<void> {
    this.#handlers = handlers
    await this.#orders.start()
    await this.#loadPending()
    this.#planSweep(sweepEveryMs)
  }

  /** Takes no more effects and marks the finished ones. Stop the handlers first. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelSweep()
    // Effects that handlers have just finished are recorded within this turn of the event loop.
    await new Promise(setImmediate)
    await this.#sweeping
    await this.#marking
    await this.#orders.stop()
    await this.#mark()
  }

  /**
   * Carries out an effect that belongs to no commit of the ledger, and returns its result. The row is written first, so
   * that a restart finds it; while the database is away, the effect is carried out at once and the row is written
   * later. Null: the effect was not finished and is tried again after a restart.
   */
  async order(effect: OrderedEffect): Promise<EffectResult | null> {
    const row = this.#orders.take(effect)
    if (row) {
      // From here on the sweep does not take the row.
      this.#inWork.add(row.id)
      await Promise.race([row.tried, this.#rowTimeout()])
    } else this.#parts.log.warn('An effect is carried out without a row of the outbox.', { kind: effect.kind })
    const work = this.#stopping ? null : this.#handle(effect, row?.id ?? null)
    if (!work) {
      if (row) this.#inWork.delete(row.id)
      return null
    }
    this.counts.taken++
    return await this.#follow(work, row?.id ?? null, this.#spanOf(effect))
  }

  #take({ outboxId, effect }: StoredEffect, span?: Span): void {
    if (this.#stopping || this.#inWork.has(outboxId)) return
    const work = this.#handle(effect, outboxId)
    if (!work) return
    this.counts.taken++
    this.#inWork.add(outboxId)
    void this.#follow(work, outboxId, this.#spanOf(effect, span))
  }

  /** Of the trace in which the effect was ordered, while that is known; after a restart of one of its own. */
  #spanOf({ kind, subscriberId }: Effect, span?: Span): Span | null {
    const { tracing } = this.#parts
    if (!span && !tracing) return null
    const facts = subscriberId === null ? {} : { 'tollgate.subscriber': subscriberId }
    return span ? span.child(`effect ${kind}`, facts) : (tracing?.work(`effect ${kind}`, facts) ?? null)
  }

  /** Never rejects. */
  async #follow(
    work: Promise<EffectResult | null>,
    outboxId: number | null,
    span: Span | null,
  ): Promise<EffectResult | null> {
    try {
      const result = await work
      span?.end({ 'tollgate.finished': result !== null })
      if (outboxId !== null) this.#finish(outboxId, result)
      return result
    } catch (error) {
      span?.end({}, 'failed')
      const level = asUnavailable(error) ? 'warn' : 'error'
      this.#parts.log[level]('An effect from the outbox failed and will be tried again.', { error, outboxId })
      this.counts.failed++
      if (outboxId !== null) this.#inWork.delete(outboxId)
      return null
    }
  }

  #rowTimeout(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(rowTimeoutMs, resolve))
  }

  /** Null: the effect stays in the table, because its kind has no handler or too many effects are in work. */
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
    this.#fetchLeftBehind()
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
        for (const { id } of batch) this.#marked(id)
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
    this.#fetchLeftBehind()
  }

  /** What did not fit is read once half of the room is free, so that few reads bring many effects. */
  #fetchLeftBehind(): void {
    if (this.#leftBehind && this.#inWork.size < this.#inWorkMax / 2) this.#planSweep(0)
  }

  #marked(id: number): void {
    this.#inWork.delete(id)
    for (const marked of this.#readings) marked.add(id)
  }

  /** Another node is gone: what it has left is taken over now. */
  sweepSoon(): void {
    this.#planSweep(0)
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
    const { node, pool, takesOver = true } = this.#parts
    if (node) {
      if (node.fenced !== null) return
      if (takesOver) await pool.query({ name: 'outbox-take-over', text: takeOverText, values: [node.place.number] })
    }
    const own = node ? `AND node = ${node.place.number}` : ''
    let after = 0
    const text = `SELECT id, payload FROM outbox
      WHERE done_at IS NULL AND kind = ANY($1) AND id > $2 ${own} ORDER BY id LIMIT $3`
    while (!this.#leftBehind && !this.#stopping) {
      const marked = new Set<number>()
      this.#readings.add(marked)
      const { rows } = await pool
        .query<{ id: string; payload: Effect }>(text, [Object.keys(this.#handlers), after, pageRows])
        .finally(() => this.#readings.delete(marked))
      // A node that stood still since has lost them to another one.
      if (node && node.fenced !== null) return
      for (const { id, payload } of rows)
        if (!marked.has(Number(id))) this.#take({ outboxId: Number(id), effect: payload })
      if (rows.length < pageRows) return
      after = Number(rows.at(-1)!.id)
    }
  }
}

/** Rows of a time when there were no nodes belong to whoever comes first. */
const takeOverText = `UPDATE outbox SET node = $1 WHERE id IN (
    SELECT id FROM outbox WHERE done_at IS NULL AND (node IS NULL OR node IN (
      SELECT number FROM nodes WHERE number <> $1 AND NOT ${isAliveSql}))
    FOR UPDATE SKIP LOCKED)`
