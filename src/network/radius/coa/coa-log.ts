import type { Pool } from 'pg'
import type { CoaResult } from '../../../domain/events.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { numbers, texts } from '../accounting/array-literals.ts'
import type { CoaRequestKind } from './coa-packet.ts'

export type CoaRow = {
  outboxId: number | null
  nasId: number
  request: CoaRequestKind
  login: string
  subscriberId: number | null
  sessionId: number | null
  sentAt: Date
  answeredAt: Date | null
  attempts: number
  result: CoaResult
  errorCause: number | null
}

const statement = `
INSERT INTO coa_requests (outbox_id, nas_id, request, login, subscriber_id, session_id, sent_at, answered_at, attempts, result, error_cause)
SELECT r.outbox_id, r.nas_id, r.request, r.login, r.subscriber_id, r.session_id, to_timestamp(r.sent / 1000), to_timestamp(r.answered / 1000), r.attempts, r.result, r.error_cause
FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::float8[], $8::float8[], $9::int4[], $10::text[], $11::int4[])
  AS r(outbox_id, nas_id, request, login, subscriber_id, session_id, sent, answered, attempts, result, error_cause)`

const batchMax = 1000
/** About 60 MB; a database that is away for longer loses the history of answers, never a Disconnect. */
const waitingMax = 200_000
const collectMs = 10
const retryMs = 1000

/** Keeps every answer to a Disconnect or CoA request in COA_REQUESTS, many in one statement. */
export class CoaLog {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #log: Log
  #waiting: { row: CoaRow; kept: () => void }[] = []
  #planned = false
  #writing: Promise<void> | null = null
  /** Rows given up because the database was away for too long. */
  lost = 0

  constructor(parts: { pool: Pool; clock: Clock; log: Log }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** `kept` is called when the row is stored, or given up. */
  keep(row: CoaRow, kept: () => void): void {
    this.#waiting.push({ row, kept })
    if (this.#waiting.length > waitingMax) {
      this.lost++
      this.#waiting.shift()!.kept()
    }
    this.#plan(collectMs)
  }

  /** Writes what waits, once. */
  async flush(): Promise<void> {
    await this.#writing
    await this.#write()
  }

  #plan(ms: number): void {
    if (this.#planned || this.#writing) return
    this.#planned = true
    this.#clock.after(ms, () => {
      this.#planned = false
      this.#writing ??= this.#write().finally(() => {
        this.#writing = null
      })
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax)
      try {
        await this.#pool.query({ name: 'coa-log', text: statement, values: columns(batch.map(({ row }) => row)) })
        for (const { kept } of batch) kept()
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting]
        this.#log.warn('Answers to Disconnect and CoA requests cannot be stored now.', {
          error,
          waiting: this.#waiting.length,
        })
        setImmediate(() => this.#plan(retryMs))
        return
      }
    }
  }
}

function columns(rows: readonly CoaRow[]): string[] {
  return [
    numbers(rows.map((row) => row.outboxId)),
    numbers(rows.map((row) => row.nasId)),
    texts(rows.map((row) => row.request)),
    texts(rows.map((row) => row.login)),
    numbers(rows.map((row) => row.subscriberId)),
    numbers(rows.map((row) => row.sessionId)),
    numbers(rows.map((row) => row.sentAt.getTime())),
    numbers(rows.map((row) => row.answeredAt?.getTime() ?? null)),
    numbers(rows.map((row) => row.attempts)),
    texts(rows.map((row) => row.result)),
    // Error-Cause has 32 bits, the column 31; no cause is that large.
    numbers(rows.map((row) => (row.errorCause === null ? null : Math.min(row.errorCause, 2 ** 31 - 1)))),
  ]
}
