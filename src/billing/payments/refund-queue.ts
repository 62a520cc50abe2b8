import type { Pool } from 'pg'
import { formatRubles } from '../../domain/money.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { DueRounds, dueAfter } from '../../platform/storage/due-rounds.ts'
import type { GatewayAClient } from './gateway-a-client.ts'
import { descriptionOf, type GatewayRefund } from './gateway-a-refunds.ts'
import { currency } from './gateway-a-rest.ts'
import { type PaymentSettings, speaksRest } from './gateways.ts'
import { type DueRefund, RefundTable } from './refund-table.ts'

export type RefundQueueParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly gatewayA: Pick<GatewayAClient, 'read' | 'refund' | 'readRefund' | 'refundsOf'>
  readonly settings: PaymentSettings
  readonly clock: Clock
  readonly log: Log
  readonly waits?: Partial<typeof defaultWaits>
}

/** Waits after a failure, and before the gateway is asked again for a refund that it is at work on. */
const defaultWaits = { firstMs: 5_000, maxMs: 3_600_000 }

const batchSize = 4
/** Longer than all calls for one refund can take together. */
const leaseMs = 300_000

/**
 * Has the gateway return money to payers.
 *
 *     asked ── taken ──► sent ── succeeded ──► done
 *       │                 │
 *       └── refused ──►  failed ◄── canceled
 *
 * After a failure, a timeout or an unreadable answer the refund keeps its state and is tried again after a growing
 * wait, with the same key and body. The gateway forgets a key after a day, so before every repeat its list of refunds
 * is searched for this one: nothing is returned twice when the program is killed between sending and storing.
 */
export class RefundQueue {
  readonly #parts: RefundQueueParts
  readonly #table: RefundTable
  readonly #waits: typeof defaultWaits
  readonly #rounds: DueRounds<DueRefund>

  constructor(parts: RefundQueueParts) {
    this.#parts = parts
    this.#table = new RefundTable(parts.pool)
    this.#waits = { ...defaultWaits, ...parts.waits }
    this.#rounds = new DueRounds({
      ...parts,
      name: 'refunds',
      claim: (now) => this.#table.claim(now, leaseMs, batchSize),
      nextDue: () => this.#table.nextDue(),
      advance: (refund, stopping) => this.#advance(refund, stopping),
    })
  }

  /** Refunds may be due. */
  wake(): void {
    this.#rounds.wake()
  }

  /** Aborts the calls in progress; their refunds become due again. */
  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  counts = () => this.#table.counts()

  async #advance(refund: DueRefund, stopping: AbortSignal): Promise<void> {
    if (!speaksRest(this.#parts.settings)) return this.#postpone(refund, 'Gateway A is not set up for REST v3.')
    if (refund.state === 'sent') return this.#report(refund, refund.refundId!, stopping)
    if (refund.attempts === 0) {
      const fault = await this.#faultOfPayment(refund)
      if (stopping.aborted) return
      if (fault) return fault.isFinal ? this.#fail(refund, null, fault.detail) : this.#postpone(refund, fault.detail)
      return this.#send(refund, stopping)
    }
    const listed = await this.#parts.gatewayA.refundsOf(refund.paymentId, stopping)
    if (stopping.aborted) return
    if (listed.kind === 'unavailable') return this.#postpone(refund, listed.detail)
    const words = descriptionOf(refund.idempotenceKey)
    const known = listed.refunds.find(({ description }) => description === words)
    return known ? this.#made(refund, known) : this.#send(refund, stopping)
  }

  /** The payment must be there as it was reported. Null: it is. */
  async #faultOfPayment({ paymentId, paid }: DueRefund): Promise<{ detail: string; isFinal: boolean } | null> {
    const read = await this.#parts.gatewayA.read(paymentId)
    if (read.kind === 'unavailable') return { detail: read.detail, isFinal: false }
    if (read.kind === 'missing') return { detail: 'The gateway knows no such payment.', isFinal: true }
    const { status, amount, currency: code } = read.payment
    if (status !== 'succeeded') return { detail: `The gateway says that the payment is ${status}.`, isFinal: true }
    if (amount === paid && code === currency) return null
    return { detail: `The gateway shows ${formatRubles(amount)} ${code} as paid.`, isFinal: true }
  }

  async #send(refund: DueRefund, stopping: AbortSignal): Promise<void> {
    await this.#table.begin(refund)
    const answer = await this.#parts.gatewayA.refund(refund.request, refund.idempotenceKey, stopping)
    if (stopping.aborted) return
    if (answer.kind === 'made') return this.#made(refund, answer.refund)
    return answer.kind === 'refused' ? this.#fail(refund, null, answer.detail) : this.#postpone(refund, answer.detail)
  }

  async #report(refund: DueRefund, refundId: string, stopping: AbortSignal): Promise<void> {
    const answer = await this.#parts.gatewayA.readRefund(refundId, stopping)
    if (stopping.aborted) return
    return answer.kind === 'made' ? this.#made(refund, answer.refund) : this.#postpone(refund, answer.detail)
  }

  async #made(refund: DueRefund, made: GatewayRefund): Promise<void> {
    const { clock, log } = this.#parts
    if (made.paymentId !== refund.paymentId || made.amount !== refund.amount) {
      log.error('the gateway shows another refund than was asked', { refund: refund.id, gatewayId: made.id })
      return this.#postpone(refund, `The gateway shows another refund than was asked: ${made.id}.`)
    }
    if (made.status === 'succeeded') {
      await this.#table.done(refund, made.id, clock.now())
      log.info('a gateway has returned money', { refund: refund.id, payment: refund.paymentId, gatewayId: made.id })
    } else if (made.status === 'canceled')
      await this.#fail(refund, made.id, `The gateway cancelled the refund: ${made.reason ?? 'no reason given'}.`)
    else if (refund.state === 'asked') await this.#table.sent(refund, made.id, this.#dueAt(0))
    else await this.#table.postponed(refund, this.#dueAt(refund.tries), null)
  }

  async #postpone(refund: DueRefund, error: string): Promise<void> {
    await this.#table.postponed(refund, this.#dueAt(refund.tries), error)
    this.#parts.log.warn('a refund waits', { refund: refund.id, state: refund.state, reason: error })
  }

  async #fail(refund: DueRefund, refundId: string | null, error: string): Promise<void> {
    await this.#table.failed(refund, refundId, error)
    this.#parts.log.error('a refund failed: an operator has to look at it', { refund: refund.id, reason: error })
  }

  #dueAt = (tries: number): Date => dueAfter(this.#parts.clock.now(), this.#waits, tries)
}
