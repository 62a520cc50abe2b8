import type { Pool } from 'pg'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { binaryArrays, type Column, unnested } from '../../../platform/storage/binary-arrays.ts'
import { ReservedIds } from '../../../platform/storage/reserved-ids.ts'
import { insertInto } from '../../../platform/storage/sql.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import type { CoaRequestKind } from './coa-packet.ts'

export type CoaRow = Omit<CoaOutcome, 'repeatedAt' | 'wasForged'> & {
  outboxId: number | null
  nasId: number
  request: CoaRequestKind
  login: string
  subscriberId: number | null
  sessionId: number | null
}

type NumberedRow = CoaRow & { readonly id: number }

const columns: Readonly<Record<string, Column<NumberedRow>>> = {
  id: { type: 'int8', of: (row) => row.id },
  outbox_id: { type: 'int8', of: (row) => row.outboxId },
  nas_id: { type: 'int8', of: (row) => row.nasId },
  request: { type: 'text', of: (row) => row.request },
  login: { type: 'text', of: (row) => row.login },
  subscriber_id: { type: 'int8', of: (row) => row.subscriberId },
  session_id: { type: 'int8', of: (row) => row.sessionId },
  sent_at: { type: 'timestamptz', of: (row) => row.sentAt },
  answered_at: { type: 'timestamptz', of: (row) => row.answeredAt },
  attempts: { type: 'int4', of: (row) => row.attempts },
  result: { type: 'text', of: (row) => row.result },
  // Error-Cause has 32 bits, the column 31; no cause is that large.
  error_cause: { type: 'int4', of: ({ errorCause }) => errorCause && Math.min(errorCause, 2 ** 31 - 1) },
}

const names = Object.keys(columns)
const statement = `
${insertInto('coa_requests', Object.fromEntries(names.map((name) => [name, `r.${name}`])))}
FROM ${unnested(columns)} AS r(${names.join(', ')})
ON CONFLICT (id) DO NOTHING`

const batchMax = 1000
/** About 60 MB. When the database is unavailable for longer, the history of answers is lost, but never a Disconnect. */
const waitingMax = 200_000
/** How long the first answer waits for others. */
const collectMs = 10
/**
 * The same while thousands are being cut: a statement and its flush, whatever is in it, cost as much as dozens of rows,
 * and nobody looks at one answer among so many.
 */
const crowdedCollectMs = 100
const crowdMin = 20
const retryMs = 1000

type CoaLogParts = { readonly pool: Pool; readonly clock: Clock; readonly log: Log }

/** `id` is null until somebody is about to write the row. */
type Waiting = { readonly row: CoaRow; readonly kept: () => void; id: number | null }

/**
 * Stores every answer to a Disconnect or CoA request in COA_REQUESTS, many in one statement. A statement whose outcome
 * is unknown is repeated with the same ids, so no answer is there twice.
 */
export class CoaLog {
  readonly #parts: CoaLogParts
  readonly #ids: ReservedIds
  #waiting: Waiting[] = []
  #planned = false
  #writing: Promise<void> | null = null
  /** How long answers wait before the next statement. */
  #pauseMs = collectMs
  /** Rows that were discarded because the database was unavailable for too long. */
  lost = 0

  constructor(parts: CoaLogParts) {
    this.#parts = parts
    this.#ids = new ReservedIds(parts.pool, 'coa_requests_id_seq')
  }

  /** `kept` is called when the row has been stored or discarded. */
  keep(row: CoaRow, kept: () => void): void {
    this.#waiting.push({ row, kept, id: null })
    if (this.#waiting.length > waitingMax) {
      this.lost++
      this.#waiting.shift()!.kept()
    }
    this.#plan()
  }

  /** Makes one attempt to write everything that waits. */
  async flush(): Promise<void> {
    await this.#writing
    await this.#write()
  }

  #plan(): void {
    if (this.#planned || this.#writing) return
    this.#planned = true
    this.#parts.clock.after(this.#pauseMs, () => {
      this.#planned = false
      this.#writing ??= this.#write(batchMax).finally(() => {
        this.#writing = null
        if (this.#waiting.length > 0) this.#plan()
      })
    })
  }

  /** Writes what waits, and stops early when a large batch has left less than `restMin`. */
  async #write(restMin = 0): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax)
      const isCrowd = batch.length >= crowdMin
      this.#pauseMs = isCrowd ? crowdedCollectMs : collectMs
      try {
        const rows = await this.#numbered(batch)
        const values = binaryArrays((arrays) => arrays.columns(rows, Object.values(columns)))
        await this.#parts.pool.query({ name: 'coa-log', text: statement, values })
        for (const { kept } of batch) kept()
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting]
        this.#parts.log.warn('Answers to Disconnect and CoA requests cannot be stored now.', {
          error,
          waiting: this.#waiting.length,
        })
        this.#pauseMs = retryMs
        return
      }
      if (isCrowd && this.#waiting.length < restMin) return
    }
  }

  async #numbered(batch: readonly Waiting[]): Promise<NumberedRow[]> {
    const unnumbered = batch.filter(({ id }) => id === null)
    const ids = await this.#ids.take(unnumbered.length)
    for (const [index, one] of unnumbered.entries()) one.id = ids[index]!
    return batch.map(({ row, id }) => ({ ...row, id: id! }))
  }
}
