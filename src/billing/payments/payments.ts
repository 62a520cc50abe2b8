import type { Pool } from 'pg'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import type { Client } from '../../platform/storage/sql.ts'
import type { AccountReading, Accounts } from '../accounts/messages.ts'
import { creditOf, readRate } from './commission.ts'
import { type Connection, checkConnection } from './connection.ts'
import { Crediting } from './crediting.ts'
import { GatewayAClient } from './gateway-a-client.ts'
import type { Metadata } from './gateway-a-rest.ts'
import type { PaymentSettings } from './gateways.ts'
import type { GatewayName } from './notice.ts'
import { type ObserveNotice, type ReadNotice, type TakenNotice, takeNotice } from './notices.ts'
import { Orders } from './orders.ts'
import { type NoticeOrigin, Problems } from './problems.ts'
import type { RefundQueueParts } from './refund-queue.ts'
import { Refunds } from './refunds.ts'
import { type Reconciled, reconcilePayments } from './reconciliation.ts'
import {
  type CreditOrder,
  creditUncredited,
  type SettledCredit,
  type Uncredited,
  withholdUncredited,
} from './settlement.ts'
import { type StartedPayment, startPayment } from './start.ts'

export type PaymentsParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly accounts: Pick<Accounts, 'ask'> & AccountReading
  readonly settings: PaymentSettings
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
  readonly http: OutgoingHttp
  readonly gatewayTimeoutMs?: number
  readonly refundWaits?: NonNullable<RefundQueueParts['waits']>
  readonly observe?: ObserveNotice
}

/** The interface of online payments for webhooks, pages, jobs and the operators' screens. */
export class Payments {
  readonly orders: Orders
  readonly problems: Problems
  readonly gatewayA: GatewayAClient
  readonly refunds: Refunds
  readonly #crediting: Crediting
  readonly #parts: PaymentsParts

  constructor(parts: PaymentsParts) {
    const { pool, accounts, settings, refundWaits } = parts
    this.#parts = parts
    this.orders = new Orders(pool, accounts)
    this.problems = new Problems(pool)
    this.gatewayA = new GatewayAClient(settings, parts.clock, parts.http, parts.gatewayTimeoutMs)
    this.refunds = new Refunds({ ...parts, gatewayA: this.gatewayA, ...(refundWaits && { waits: refundWaits }) })
    this.#crediting = new Crediting({ ...parts, orders: this.orders })
  }

  /**
   * Stores an order and returns how the client pays it. `amount` is to be credited; a null gateway stands for the one
   * in LK_PAYMENT_SYSTEM. Rejects with Unavailable when the database is away.
   */
  startPayment(
    subscriberId: SubscriberId,
    amount: Money,
    gateway: GatewayName | null = null,
    returnUrl: string | null = null,
  ): Promise<StartedPayment> {
    const { orders, gatewayA } = this
    return startPayment({ ...this.#parts, orders, gatewayA }, { subscriberId, amount, gateway, returnUrl })
  }

  /** Reads a notice with `read`, which knows its protocol, and credits the payment. Never rejects. */
  takeNotice(origin: NoticeOrigin, read: () => ReadNotice | Promise<ReadNotice>): Promise<TakenNotice> {
    return takeNotice(this.#noticeParts, origin, read)
  }

  /** Whether we signed the metadata of a payment: see Crediting. */
  signedBy(metadata: Metadata): ReturnType<Crediting['signedBy']> {
    return this.#crediting.signedBy(metadata)
  }

  /** The job that credits payments whose notices were lost. */
  reconcile(now: Date, stopping: AbortSignal): Promise<Reconciled> {
    const { settings } = this.#parts
    return reconcilePayments(
      { ...this.#noticeParts, orders: this.orders, settings, gatewayA: this.gatewayA },
      now,
      stopping,
    )
  }

  /** Credits a payment that was not credited to a subscriber whom an operator names. */
  creditUncredited(order: CreditOrder): Promise<SettledCredit> {
    return creditUncredited(this.#parts, order)
  }

  /** Keeps a payment that was given back from being credited, or names the operation that has credited it before. */
  withholdUncredited(client: Client, problem: Uncredited): Promise<number | null> {
    return withholdUncredited(client, problem)
  }

  /** What is credited of what was paid, by the commission of now. */
  creditFor(paid: Money): Money {
    return creditOf(paid, readRate(this.#parts.settings.get('LK_PAYMENT_COMMISSION')))
  }

  checkConnection(gateway: GatewayName): Promise<Connection> {
    return checkConnection(gateway, { ...this.#parts, gatewayA: this.gatewayA })
  }

  get #noticeParts() {
    const { problems, gatewayA } = this
    const { log, observe = () => {} } = this.#parts
    return { problems, gatewayA, crediting: this.#crediting, log, observe }
  }
}
