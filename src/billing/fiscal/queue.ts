import type { Pool } from 'pg'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { DueRounds, dueAfter } from '../../platform/storage/due-rounds.ts'
import { type DueReceipt, QueueTable } from './queue-table.ts'
import { type Endpoint, type ObserveCall, Receiver } from './receiver.ts'

export type FiscalQueueParts = {
  readonly pool: Pool
  readonly secrets: { open(sealed: string): string }
  readonly clock: Clock
  readonly log: Log
  readonly http: OutgoingHttp
  readonly observe?: ObserveCall
  readonly timeoutMs?: number
  readonly waits?: Partial<typeof defaultWaits>
}

/** Each wait is twice the one before, up to a maximum. */
const defaultWaits = {
  /** Waits after a failure. */
  firstMs: 5_000,
  maxMs: 3_600_000,
  /** Waits before the receiver is asked whether the receipt was printed. */
  reportFirstMs: 3_000,
  reportMaxMs: 300_000,
}

const batchSize = 8
/** Longer than all calls for one receipt can take together. */
const leaseMs = 120_000
/**
 * Sends receipts to the fiscal data operator.
 *
 *     waiting ── accepted, number received ──► sent ── report: printed ──► done
 *        ▲  │                                   │
 *        │  └────── rejected ───► refused ◄─────┴─ report: failed
 *        └────── report: unknown number ────────┘
 *
 * After a failure, a timeout or an unreadable answer the receipt keeps its state and is tried again after a growing
 * wait. Every attempt uses the same external id, and a receiver that already has the receipt answers with the number it
 * gave before. So nothing is printed twice when the program is killed between sending a receipt and storing its number.
 */
export class FiscalQueue {
  readonly #parts: FiscalQueueParts
  readonly #table: QueueTable
  readonly #receiver: Receiver
  readonly #waits: typeof defaultWaits
  readonly #rounds: DueRounds<DueReceipt>

  constructor(parts: FiscalQueueParts) {
    this.#parts = parts
    this.#table = new QueueTable(parts.pool)
    this.#waits = { ...defaultWaits, ...parts.waits }
    this.#receiver = new Receiver(parts)
    this.#rounds = new DueRounds({
      ...parts,
      name: 'fiscal receipts',
      claim: (now) => this.#table.claim(now, leaseMs, batchSize),
      nextDue: () => this.#table.nextDue(),
      advance: (receipt, stopping) =>
        receipt.state === 'waiting' ? this.#send(receipt, stopping) : this.#report(receipt, stopping),
    })
  }

  start(): void {
    this.wake()
  }

  /** Starts a round: receipts may be due. */
  wake(): void {
    this.#rounds.wake()
  }

  /** Aborts the calls in progress; their receipts become due again. */
  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  counts = () => this.#table.counts()

  async #send(receipt: DueReceipt, stopping: AbortSignal): Promise<void> {
    if (receipt.isVoid && receipt.attempts === 0)
      return await this.#refused(receipt, 'The operation was reversed or deleted before its receipt was sent.')
    const endpoint = await this.#endpoint(receipt)
    if (!endpoint) return
    await this.#table.begin(receipt)
    const { direction, request } = receipt
    const answer = await this.#receiver.send(endpoint, direction, request, stopping)
    if (stopping.aborted) return
    if (answer.kind === 'accepted') await this.#table.accepted(receipt, answer.uuid, this.#reportAt(0))
    else if (answer.kind === 'refused') await this.#refused(receipt, answer.error)
    else await this.#failed(receipt, answer.error)
  }

  async #report(receipt: DueReceipt, stopping: AbortSignal): Promise<void> {
    const endpoint = await this.#endpoint(receipt)
    if (!endpoint) return
    const { uuid, externalId, tries } = receipt
    const answer = await this.#receiver.report(endpoint, uuid!, externalId, stopping)
    if (stopping.aborted) return
    const { clock, log } = this.#parts
    if (answer.kind === 'done') {
      await this.#table.done(receipt, answer.result, clock.now())
      log.info('a fiscal receipt is printed', { operation: receipt.operationId, direction: receipt.direction, uuid })
    } else if (answer.kind === 'waiting') await this.#table.postponed(receipt, this.#reportAt(tries + 1), null)
    else if (answer.kind === 'unknown') await this.#table.sendAgain(receipt, this.#failureAt(tries), answer.error)
    else if (answer.kind === 'refused') await this.#refused(receipt, answer.error)
    else await this.#failed(receipt, answer.error)
  }

  async #failed(receipt: DueReceipt, error: string): Promise<void> {
    const { operationId: operation, state, tries } = receipt
    await this.#table.postponed(receipt, this.#failureAt(tries), error)
    this.#parts.log.warn('a fiscal receipt waits', { operation, state, reason: error })
  }

  async #refused(receipt: DueReceipt, error: string): Promise<void> {
    const { clock, log } = this.#parts
    await this.#table.refused(receipt, error, clock.now())
    const facts = { operation: receipt.operationId, reason: error }
    log.error('a fiscal receipt was refused: an operator has to look at it', facts)
  }

  /** Null: the configuration cannot be used, and the receipt waits. */
  async #endpoint(receipt: DueReceipt): Promise<Endpoint | null> {
    const { enabled, sealedPassword, ...config } = receipt.config
    let error = 'The fiscal configuration is switched off.'
    try {
      if (enabled) return { ...config, password: this.#parts.secrets.open(sealedPassword) }
    } catch (unreadable) {
      error = `The password of the fiscal configuration cannot be read. ${(unreadable as Error).message}`
    }
    await this.#failed(receipt, error)
    return null
  }

  #failureAt = (tries: number): Date => dueAfter(this.#parts.clock.now(), this.#waits, tries)

  #reportAt(tries: number): Date {
    const { reportFirstMs: firstMs, reportMaxMs: maxMs } = this.#waits
    return dueAfter(this.#parts.clock.now(), { firstMs, maxMs }, tries)
  }
}
