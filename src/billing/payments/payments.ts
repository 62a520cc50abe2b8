import type { Pool } from 'pg'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'
import type { NoticeCall, ObserveNotice, WebhookParts } from '../../interfaces/gateways/notice-problems.ts'
import { takeNotice } from '../../interfaces/gateways/notice-routes.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Reply } from '../../platform/http/call.ts'
import type { Log } from '../../platform/log.ts'
import type { Accounts } from '../accounts/messages.ts'
import { type Connection, checkConnection } from './connection.ts'
import { Crediting } from './crediting.ts'
import { GatewayAClient } from './gateway-a-client.ts'
import type { PaymentSettings } from './gateways.ts'
import type { GatewayName } from './notice.ts'
import { type Order, Orders } from './orders.ts'
import { Problems } from './problems.ts'
import { type Reconciled, reconcilePayments } from './reconciliation.ts'
import { type StartedPayment, startPayment } from './start.ts'

export type PaymentsParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly accounts: Pick<Accounts, 'ask'>
  readonly settings: PaymentSettings
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
  readonly gatewayTimeoutMs?: number
  readonly observe?: ObserveNotice
}

/** Online payments as the doors see them. */
export class Payments {
  readonly orders: Orders
  readonly problems: Problems
  readonly gatewayA: GatewayAClient
  readonly crediting: Crediting
  readonly #parts: PaymentsParts
  readonly #observe: ObserveNotice
  readonly #webhook: WebhookParts

  constructor(parts: PaymentsParts) {
    const { pool, settings } = parts
    this.#parts = parts
    this.orders = new Orders(pool)
    this.problems = new Problems(pool)
    this.gatewayA = new GatewayAClient(settings, parts.gatewayTimeoutMs)
    this.crediting = new Crediting({ ...parts, orders: this.orders })
    this.#observe = parts.observe ?? (() => {})
    const { crediting, problems, gatewayA } = this
    this.#webhook = { ...parts, crediting, problems, gatewayA, observe: this.#observe }
  }

  /** What a client does next to have `amount` credited. Gateway null: the one in use. Rejects with Unavailable without the database. */
  startPayment(
    subscriberId: SubscriberId,
    amount: Money,
    gateway: GatewayName | null = null,
    returnUrl: string | null = null,
  ): Promise<StartedPayment> {
    const { orders, gatewayA } = this
    return startPayment({ ...this.#parts, orders, gatewayA }, { subscriberId, amount, gateway, returnUrl })
  }

  /** The answer to whatever came to the webhook. */
  takeNotice(call: NoticeCall): Promise<Reply> | Reply {
    return takeNotice(this.#webhook, call)
  }

  /** Whether a payment of this client went through: for the result page. Null: no such order of theirs. */
  async orderOf(subscriberId: SubscriberId, orderId: number): Promise<Order | null> {
    const order = await this.orders.find(orderId)
    return order?.subscriberId === subscriberId ? order : null
  }

  /** A job: makes up for what the gateway could not tell us. */
  reconcile(now: Date, stopping: AbortSignal): Promise<Reconciled> {
    const { orders, problems, crediting, gatewayA } = this
    const parts = { ...this.#parts, orders, problems, crediting, gatewayA, observe: this.#observe }
    return reconcilePayments(parts, now, stopping)
  }

  checkConnection(gateway: GatewayName): Promise<Connection> {
    return checkConnection(gateway, { settings: this.#parts.settings, gatewayA: this.gatewayA })
  }
}
