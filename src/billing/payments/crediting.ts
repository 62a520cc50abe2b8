import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Author } from '../../domain/author.ts'
import { parseId } from '../../domain/ids.ts'
import { formatRubles, minus } from '../../domain/money.ts'
import { gatewayPaymentKey, markOfTxn, orderKey, receiptKey } from '../../domain/money-keys.ts'
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
import type { ProblemReason } from './problem-reasons.ts'
import type { NoticeOrigin } from './problems.ts'

export type CreditingParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly orders: Orders
  readonly accounts: Pick<Accounts, 'ask'>
  readonly settings: PaymentSettings
  readonly clock: Clock
}

export type Refused = { readonly kind: 'refused'; readonly reason: ProblemReason; readonly detail: string }

type Judgement =
  /** The payment matches an open order, or names none (null) and will get an order of its own. */
  | { kind: 'open'; order: Order | null; client: Client }
  /** This payment was credited before, at `paidAt`. */
  | { kind: 'repeated'; order: Order; paidAt: Date }
  | Refused

export type Credited =
  | { kind: 'credited' | 'repeated'; order: Order; paidAt: Date }
  | Refused
  /** The gateway, which has to confirm the payment, cannot be reached now. */
  | { kind: 'unavailable'; detail: string }

/** By whom a payment was told, and the request's span, where it is traced. */
type Teller = Pick<NoticeOrigin, 'address' | 'span'>

/** Confirms a payment with the gateway before it is credited. Null: the payment is confirmed. */
export type Confirm = () => Promise<Exclude<Credited, { order: unknown }> | null>

const refused = (reason: ProblemReason, detail: string): Refused => ({ kind: 'refused', reason, detail })

/** The type of the operation that credits a payment of a gateway. */
export const typeOf = { gwa: operationTypes.gatewayA, gwb: operationTypes.gatewayB } as const satisfies Record<
  GatewayName,
  number
>

const semaphoreTerms: SemaphoreTerms = {
  /**
   * Enough to fill a group commit. Reads and commits of simultaneous notices are batched, so none needs its own
   * connection.
   */
  insideMax: 200,
  /**
   * One or two seconds of work. A notice beyond that is refused, because the gateway will repeat it before its turn
   * would come.
   */
  waitingMax: 400,
  full: () => new Unavailable('mailboxFull', 'Too many payments at once.'),
}

/** Credits proved notices: always the order's credit amount, and once per order and payment. */
export class Crediting {
  readonly #parts: CreditingParts
  readonly #semaphore = new Semaphore(semaphoreTerms)

  constructor(parts: CreditingParts) {
    this.#parts = parts
  }

  /**
   * By which key we signed the metadata: the present one, or a former one if they equal the metadata stored with the
   * order, because the key may be changed while people pay. Whoever knows a former key can sign for the orders of its
   * time, so a former key alone proves nothing. Null: we did not sign them.
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

  /** Whether a payment would be credited. Nothing is changed. */
  question(notice: PaymentNotice): Promise<{ kind: 'answered'; isPayable: boolean } | Refused> {
    return this.#semaphore.through(async () => {
      const judged = await this.#judge(notice)
      if (judged.kind === 'refused') return judged
      // Nobody should pay for a deleted subscriber, but a payment that was made nevertheless is credited.
      return { kind: 'answered', isPayable: judged.kind === 'repeated' || !judged.client.deleted }
    })
  }

  /**
   * Credits a payment, or returns how it was credited before when the notice is a repeat. Rejects with Unavailable; the
   * gateway then sends the notice again, and nothing is credited twice. A notice waits for the semaphore once and
   * releases it while the gateway confirms the payment.
   */
  credit(notice: PaymentNotice, teller: Teller, confirm: Confirm | null = null): Promise<Credited> {
    return this.#semaphore.through(async () => {
      const looking = teller.span?.child('order')
      const judged = await this.#judge(notice)
      looking?.end({ 'tollgate.outcome': judged.kind })
      if (judged.kind !== 'open') return judged
      const unconfirmed = confirm && (await this.#semaphore.outside(confirm))
      // If anything has changed since, the idempotency keys and the account will show it.
      return unconfirmed ?? this.#credit(notice, teller, judged)
    })
  }

  /** Compares a notice with its order. */
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
    teller: Teller,
    judged: Extract<Judgement, { kind: 'open' }>,
  ): Promise<Credited> {
    const order = judged.order ?? (await this.#ownOrder(notice, judged.client))
    const credited = await this.#post(notice, order, judged.client, teller)
    // Another payment has taken the order that this one was matched with. As the notice names no order, it gets its
    // own.
    if (credited.kind === 'refused' && credited.reason === 'doubled' && notice.orderId === null && judged.order)
      return this.#post(notice, await this.#ownOrder(notice, judged.client), judged.client, teller)
    return credited
  }

  /** The order that a notice is about, and its client. */
  async #orderedBy({ orderId, gatewayId, subscriberId, paid }: PaymentNotice): Promise<Partial<Ordered>> {
    const { orders, pool } = this.#parts
    if (orderId !== null) return (await orders.ordered(orderId)) ?? {}
    const [order, client] = await Promise.all([
      orders.ofCallback(gatewayId, subscriberId, paid),
      findClient(pool, subscriberId),
    ])
    return { ...(order && { order }), client }
  }

  /**
   * Creates the order of a payment that nobody ordered, which occurs in the HTTP protocol only. The credit is paid / (1
   * + rate).
   */
  #ownOrder(notice: PaymentNotice, client: Client): Promise<Order> {
    const { orders, settings } = this.#parts
    const credit = creditOf(notice.paid, readRate(settings.get('LK_PAYMENT_COMMISSION')))
    const { id: subscriberId, accountId, organizationId } = client
    const amounts = { credit, payable: notice.paid, commission: minus(notice.paid, credit) }
    return orders.fromCallback(
      { subscriberId, accountId, organizationId, ...amounts, idempotenceKey: randomUUID() },
      notice.gatewayId,
    )
  }

  async #post(notice: PaymentNotice, order: Order, client: Client, { address, span }: Teller): Promise<Credited> {
    const { orders, clock } = this.#parts
    const now = clock.now()
    const author: Author = { staffId: null, name: notice.gateway, address }
    const outcome = await this.#ask(client, commandFor(notice, client, order, now), author, span)
    if (outcome.kind === 'refused') return refusalOf(outcome.reason, order)
    const { operation } = outcome
    if (outcome.kind === 'known' && !(await this.#isOwn(outcome, notice, client, order))) {
      const detail = `Order ${order.id} or payment ${notice.gatewayId} was credited before by operation ${outcome.operationId}.`
      return refused('doubled', detail)
    }
    const paidAt = operation?.movedAt ?? now
    // A commit of ours marks the order. A payment that an earlier program or a cashier entered has not been marked yet.
    if (outcome.kind === 'known')
      await orders.paid(order.id, { gatewayId: notice.gatewayId, operationId: outcome.operationId, paidAt })
    return { kind: outcome.kind === 'done' ? 'credited' : 'repeated', order, paidAt }
  }

  /**
   * Whether the known operation is this payment. A key may also have been taken by another payment of the order, by
   * another order, or by a cashier who was quicker.
   */
  async #isOwn(
    { operationId, operation }: Extract<AccountOutcome, { kind: 'known' }>,
    notice: PaymentNotice,
    client: Client,
    order: Order,
  ): Promise<boolean> {
    if (operation) return isOf(operation, notice, order)
    // The operation has been deleted, but the payment's key still names it.
    const { rows } = await this.#parts.pool.query('SELECT FROM money_keys WHERE key = ANY($1) AND op_id = $2', [
      paymentKeysOf(notice, client, order),
      operationId,
    ])
    return rows.length > 0
  }

  /** Sends the command to the client's account, and once more if the subscriber has just moved to another one. */
  async #ask(client: Client, command: AccountCommand, author: Author, span: Teller['span']): Promise<AccountOutcome> {
    const { accounts, pool } = this.#parts
    const outcome = await accounts.ask(client.accountId, command, author, span)
    if (outcome.kind !== 'refused' || outcome.reason !== 'subscriberNotOnAccount') return outcome
    const moved = await findClient(pool, client.id)
    return moved ? accounts.ask(moved.accountId, command, author, span) : outcome
  }
}

const commandFor = (notice: PaymentNotice, client: Client, order: Order, now: Date): AccountCommand => ({
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
  keys: [
    orderKey.of(order.id, order.accountId ?? client.accountId, String(order.credit)),
    ...paymentKeysOf(notice, client, order),
  ],
  order: { id: order.id, gatewayId: notice.gatewayId },
})

/** The keys of the payment itself: of the notice, and of a receipt that staff may have entered before it came. */
const paymentKeysOf = ({ gateway, gatewayId }: PaymentNotice, { accountId }: Client, { credit }: Order) => [
  gatewayPaymentKey.of(gateway, gatewayId),
  receiptKey.of(accountId, String(credit), gateway, gatewayId),
]

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
