import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Author } from '../../domain/author.ts'
import { parseId } from '../../domain/ids.ts'
import { formatRubles, minus } from '../../domain/money.ts'
import { markOfTxn, paymentKey, transactionKey } from '../../domain/money-keys.ts'
import { type Operation, operationTypes } from '../../domain/operation.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { Semaphore, type SemaphoreTerms } from '../../platform/actors/semaphore.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { AccountCommand, AccountOutcome, Accounts } from '../accounts/messages.ts'
import { type Client, findClient } from './clients.ts'
import { creditOf, readRate } from './commission.ts'
import { isSameMetadata, isSignedBy, type Metadata } from './gateway-a-rest.ts'
import type { PaymentSettings } from './gateways.ts'
import type { GatewayName, PaymentNotice } from './notice.ts'
import type { Order, Ordered, Orders } from './orders.ts'
import type { ProblemReason } from './problems.ts'

export type CreditingParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly orders: Orders
  readonly accounts: Pick<Accounts, 'ask'>
  readonly settings: PaymentSettings
  readonly clock: Clock
}

export type Refused = { readonly kind: 'refused'; readonly reason: ProblemReason; readonly detail: string }

type Judgement =
  /** The payment fits an order that waits for it; null: it will get one of its own. */
  | { kind: 'open'; order: Order | null; client: Client }
  /** This very payment was credited before, at that moment. */
  | { kind: 'repeated'; order: Order; paidAt: Date }
  | Refused

export type Credited =
  | { kind: 'credited' | 'repeated'; order: Order; paidAt: Date }
  | Refused
  /** Whoever is to confirm the payment cannot be asked now. */
  | { kind: 'unavailable'; detail: string }

/** Asks somebody else before money is credited; null: they confirm the payment. */
export type Confirm = () => Promise<Exclude<Credited, { order: unknown }> | null>

const refused = (reason: ProblemReason, detail: string): Refused => ({ kind: 'refused', reason, detail })

const typeOf = { gwa: operationTypes.gatewayA, gwb: operationTypes.gatewayB } as const satisfies Record<
  GatewayName,
  number
>

const semaphoreTerms: SemaphoreTerms = {
  /** Enough to fill a group commit: looks, reads and commits of those inside are gathered, so none needs a connection of its own. */
  insideMax: 200,
  /** A second or two of work; who comes later than that is told again sooner than it would be through. */
  waitingMax: 400,
  full: () => new Unavailable('mailboxFull', 'Too many payments at once.'),
}

/** From a proved notice to money on the account: always the credit amount, once for an order, once for a payment. */
export class Crediting {
  readonly #parts: CreditingParts
  readonly #semaphore = new Semaphore(semaphoreTerms)

  constructor(parts: CreditingParts) {
    this.#parts = parts
  }

  /**
   * Metadata are ours by the present key, or by a former one as those that were sent with the order: keys are exchanged while people
   * pay. Whoever knows a former key can sign for the orders of its time, so by itself it proves nothing. Null: they are not ours.
   */
  async signedBy(metadata: Metadata): Promise<'presentKey' | 'formerKey' | null> {
    const key = this.#parts.settings.get('LK_GWA_SECRET_KEY')
    if (isSignedBy(metadata, key)) return 'presentKey'
    const orderId = key === '' ? null : parseId(metadata.order_id ?? '')
    const order = orderId === null ? null : await this.#parts.orders.find(orderId)
    if (!order || order.request === null) return null
    const { metadata: sent } = JSON.parse(order.request) as { metadata: Metadata }
    return isSameMetadata(metadata, sent) ? 'formerKey' : null
  }

  /** Whether a payment would be credited. Changes nothing. */
  question(notice: PaymentNotice): Promise<{ kind: 'answered'; isPayable: boolean } | Refused> {
    return this.#semaphore.through(async () => {
      const judged = await this.#judge(notice)
      if (judged.kind === 'refused') return judged
      // Nobody should pay for who has left; what was paid all the same is credited.
      return { kind: 'answered', isPayable: judged.kind === 'repeated' || !judged.client.deleted }
    })
  }

  /**
   * Credits a payment, and answers how it was credited before when it is told again. Rejects with Unavailable; whoever told us then
   * tells us again, and nothing is taken twice. A notice waits once for its place, and leaves it to others while it is confirmed.
   */
  credit(notice: PaymentNotice, address: string | null, confirm: Confirm | null = null): Promise<Credited> {
    return this.#semaphore.through(async () => {
      const judged = await this.#judge(notice)
      if (judged.kind !== 'open') return judged
      const doubt = confirm && (await this.#semaphore.outside(confirm))
      // What has changed since is found by the keys and the account.
      return doubt ?? this.#credit(notice, address, judged)
    })
  }

  /** Compares a notice with what was asked for. */
  async #judge(notice: PaymentNotice): Promise<Judgement> {
    const { order = null, client = null } = await this.#orderedBy(notice)
    if (notice.orderId !== null) {
      if (!order || order.gateway !== notice.gateway || order.protocol !== notice.protocol)
        return refused('unknownOrder', `There is no order ${notice.orderId} of this gateway.`)
      if (order.subscriberId !== notice.subscriberId)
        return refused('unknownOrder', `Order ${order.id} is of subscriber ${order.subscriberId}.`)
    }
    if (order && notice.paid !== order.payable)
      return refused('wrongAmount', `${formatRubles(order.payable)} were asked, ${formatRubles(notice.paid)} are paid.`)
    if (order && notice.credit !== null && notice.credit !== order.credit)
      return refused(
        'wrongAmount',
        `The order credits ${formatRubles(order.credit)}, not ${formatRubles(notice.credit)}.`,
      )
    if (order?.state === 'paid') {
      if (order.gatewayId !== notice.gatewayId)
        return refused('doubled', `Order ${order.id} was paid before by payment ${order.gatewayId}.`)
      return { kind: 'repeated', order, paidAt: order.paidAt ?? order.createdAt }
    }
    if (!client) return refused('unknownSubscriber', `There is no subscriber ${notice.subscriberId}.`)
    return { kind: 'open', order, client }
  }

  async #credit(
    notice: PaymentNotice,
    address: string | null,
    judged: Extract<Judgement, { kind: 'open' }>,
  ): Promise<Credited> {
    const order = judged.order ?? (await this.#ownOrder(notice, judged.client))
    const credited = await this.#post(notice, order, judged.client, address)
    // Another payment took the order this one was thought to be for: it names none, so it gets its own.
    if (credited.kind === 'refused' && credited.reason === 'doubled' && notice.orderId === null && judged.order)
      return this.#post(notice, await this.#ownOrder(notice, judged.client), judged.client, address)
    return credited
  }

  /** The order and its client. */
  async #orderedBy({ orderId, gatewayId, subscriberId, paid }: PaymentNotice): Promise<Partial<Ordered>> {
    const { orders, pool } = this.#parts
    if (orderId !== null) return (await orders.ordered(orderId)) ?? {}
    const [order, client] = await Promise.all([
      orders.ofCallback(gatewayId, subscriberId, paid),
      findClient(pool, subscriberId),
    ])
    return { ...(order && { order }), client }
  }

  /** Only the HTTP protocol speaks of payments without an order: they credit paid / (1 + rate). */
  #ownOrder(notice: PaymentNotice, client: Client): Promise<Order> {
    const { orders, settings } = this.#parts
    const credit = creditOf(notice.paid, readRate(settings.get('LK_PAYMENT_COMMISSION')))
    return orders.fromCallback({
      subscriberId: client.id,
      accountId: client.accountId,
      organizationId: client.organizationId,
      credit,
      payable: notice.paid,
      commission: minus(notice.paid, credit),
      idempotenceKey: randomUUID(),
      gatewayId: notice.gatewayId,
    })
  }

  async #post(notice: PaymentNotice, order: Order, client: Client, address: string | null): Promise<Credited> {
    const { orders, clock } = this.#parts
    const now = clock.now()
    const author: Author = { staffId: null, name: notice.gateway, address }
    const outcome = await this.#ask(client, commandFor(notice, order, now), author)
    if (outcome.kind === 'refused') return refusalOf(outcome.reason, order)
    const { operation } = outcome
    if (outcome.kind === 'known' && !(await this.#isOwn(outcome, notice, order))) {
      const detail = `Order ${order.id} or payment ${notice.gatewayId} was credited before by operation ${outcome.operationId}.`
      return refused('doubled', detail)
    }
    const paidAt = operation?.movedAt ?? now
    // The commit has marked the order. A program before this one, or a cashier, has credited it without.
    if (outcome.kind === 'known')
      await orders.paid(order.id, { gatewayId: notice.gatewayId, operationId: outcome.operationId, paidAt })
    return { kind: outcome.kind === 'done' ? 'credited' : 'repeated', order, paidAt }
  }

  /** A key may be known from another payment of the order, from another order, or from a cashier who was quicker. */
  async #isOwn(
    { operationId, operation }: Extract<AccountOutcome, { kind: 'known' }>,
    notice: PaymentNotice,
    order: Order,
  ): Promise<boolean> {
    if (operation) return isOf(operation, notice, order)
    // Its record is deleted, and the key of the payment still says which operation it was.
    const { rows } = await this.#parts.pool.query('SELECT FROM money_keys WHERE key = $1 AND op_id = $2', [
      keyOf(notice),
      operationId,
    ])
    return rows.length > 0
  }

  /** The subscriber may have moved to another account a moment ago. */
  async #ask(client: Client, command: AccountCommand, author: Author): Promise<AccountOutcome> {
    const { accounts, pool } = this.#parts
    const outcome = await accounts.ask(client.accountId, command, author)
    if (outcome.kind !== 'refused' || outcome.reason !== 'subscriberNotOnAccount') return outcome
    const moved = await findClient(pool, client.id)
    return moved ? accounts.ask(moved.accountId, command, author) : outcome
  }
}

const commandFor = (notice: PaymentNotice, order: Order, now: Date): AccountCommand => ({
  kind: 'post',
  typeId: typeOf[notice.gateway],
  sign: 1,
  amount: order.credit,
  subscriberId: order.subscriberId,
  movedAt: now,
  description: `Онлайн-оплата: внесено ${formatRubles(order.payable)} руб., комиссия ${formatRubles(order.commission)} руб. ${markOfTxn(order.id)}`,
  details: {
    operatorName: notice.gateway,
    operatorPayId: notice.gatewayId,
    operatorResult: notice.result,
    txn: String(order.id),
  },
  keys: [transactionKey.of(order.id), keyOf(notice)],
  order: { id: order.id, gatewayId: notice.gatewayId },
})

const keyOf = ({ gateway, gatewayId }: PaymentNotice): string => paymentKey.of(gateway, gatewayId)

const isOf = ({ details }: Operation, notice: PaymentNotice, order: Order): boolean =>
  details.operatorName === notice.gateway &&
  details.operatorPayId === notice.gatewayId &&
  details.txn === String(order.id)

function refusalOf(reason: Extract<AccountOutcome, { kind: 'refused' }>['reason'], order: Order): Refused {
  switch (reason) {
    case 'keyTakenWithOtherAmount':
      return refused('doubled', `The payment of order ${order.id} is known with another amount.`)
    case 'accountMissing':
    case 'subscriberMissing':
    case 'subscriberNotOnAccount':
      return refused('unknownSubscriber', `Subscriber ${order.subscriberId} has no account.`)
    default:
      return refused('notPosted', `The account refused the payment: ${reason}.`)
  }
}
