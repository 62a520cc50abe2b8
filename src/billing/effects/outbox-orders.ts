import type { Pool } from 'pg'
import type { Effect, EffectResult } from '../../domain/effects.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { takenIdsSql } from '../../platform/storage/reserved-ids.ts'

type OrderedRow = {
  readonly id: number
  readonly effect: Effect
  /** Null until the effect is done. */
  result: EffectResult | null
  /** Called when the first attempt to write the row has ended, successfully or not. */
  tried: () => void
}

type OrdersParts = {
  pool: Pool
  clock: Clock
  log: Log
  /** Called when the row is in the table with the result of its effect. */
  stored: (id: number) => void
}

const idsAhead = 1000
const retryMs = 1000

/**
 * Writes the rows of the outbox that belong to no commit of the ledger. Rows that arrive while a statement runs are
 * gathered into the next one.
 *
 * Ids are reserved in advance. An effect can therefore be carried out under its id while the database is away, and a
 * write whose outcome is unknown can be repeated safely: the same id gives the same row, with the result if there is
 * one by then.
 */
export class OutboxOrders {
  readonly #parts: OrdersParts
  #ids: number[] = []
  #fetching: Promise<void> | null = null
  readonly #unwritten = new Map<number, OrderedRow>()
  #writing: Promise<void> | null = null
  #cancelRetry: () => void = () => {}
  #stopping = false

  constructor(parts: OrdersParts) {
    this.#parts = parts
  }

  /** Rejects while the database is away. */
  async start(): Promise<void> {
    await this.#fetchIds()
  }

  /** Tries once to write the rows that are still unwritten. What fails then is lost with the program. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelRetry()
    while (this.#writing) await this.#writing
    if (this.#unwritten.size > 0) await this.#write()
    if (this.#unwritten.size > 0)
      this.#parts.log.error(
        'Disconnects that were ordered while the database is away are not kept for the next start.',
        {
          count: this.#unwritten.size,
        },
      )
  }

  /** Begins to write a row. Null: the database has been away for so long that no id is left. */
  take(effect: Effect): { id: number; tried: Promise<void> } | null {
    const id = this.#ids.shift()
    if (this.#ids.length < idsAhead / 2) void this.#fetchIds().catch(() => {})
    if (id === undefined) return null
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#unwritten.set(id, { id, effect, result: null, tried: resolve })
    this.#wake()
    return { id, tried: promise }
  }

  /**
   * Records the result of a finished effect. False: the row is in the table already, so the caller must mark it there.
   */
  close(id: number, result: EffectResult): boolean {
    const row = this.#unwritten.get(id)
    if (!row) return false
    row.result = result
    return true
  }

  #wake(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  async #write(): Promise<void> {
    // Effects that are ordered in the same turn of the event loop are written together.
    await Promise.resolve()
    while (this.#unwritten.size > 0) {
      const rows = [...this.#unwritten.values()]
      const sent = rows.map(({ id, effect, result }) => ({
        id,
        kind: effect.kind,
        payload: effect,
        subscriber_id: effect.subscriberId,
        result,
      }))
      try {
        await this.#parts.pool.query({ name: 'outbox-order', text: orderStatement, values: [JSON.stringify(sent)] })
      } catch (error) {
        this.#parts.log.warn('Ordered effects cannot be written to the outbox now.', { error, waiting: rows.length })
        if (!this.#stopping) this.#cancelRetry = this.#parts.clock.after(retryMs, () => this.#wake())
        return
      } finally {
        for (const { tried } of rows) tried()
      }
      rows.forEach((row, index) => {
        // The effect was finished while its row was being written, so the row is written again with the result.
        if (row.result !== null && sent[index]!.result === null) return
        this.#unwritten.delete(row.id)
        if (row.result !== null) this.#parts.stored(row.id)
      })
    }
  }

  #fetchIds(): Promise<void> {
    this.#fetching ??= this.#parts.pool
      .query<{ id: string }>(`SELECT id FROM ${takenIdsSql('outbox_id_seq', '$1')} ORDER BY id`, [idsAhead])
      .then(({ rows }) => {
        this.#ids.push(...rows.map(({ id }) => Number(id)))
      })
      .finally(() => {
        this.#fetching = null
      })
    return this.#fetching
  }
}

const orderStatement = `INSERT INTO outbox (id, kind, payload, subscriber_id, attempts, done_at, result)
  SELECT id, kind, payload, subscriber_id, (result IS NOT NULL)::int, CASE WHEN result IS NOT NULL THEN now() END, result
  FROM json_to_recordset($1::json) AS d(id int8, kind text, payload jsonb, subscriber_id int8, result jsonb)
  ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts, done_at = excluded.done_at, result = excluded.result
    WHERE outbox.done_at IS NULL`
