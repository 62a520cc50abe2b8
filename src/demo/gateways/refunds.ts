import { randomUUID } from 'node:crypto'
import type { Behaviour } from './behaviour.ts'
import { type Answered, type Asked, fault, json } from './site.ts'

type Amount = { readonly value: string; readonly currency: string }

/** What a refund needs to know of a payment. */
export type RefundablePayment = { readonly status: string; readonly amount: Amount; readonly receipt?: object }

export type Refund = {
  readonly id: string
  readonly payment_id: string
  status: 'pending' | 'succeeded' | 'canceled'
  readonly amount: Amount
  readonly created_at: string
  readonly description?: string
  readonly cancellation_details?: { party: string; reason: string }
}

type Sent = { payment_id?: unknown; amount?: Amount; description?: string; receipt?: { items?: { amount?: Amount }[] } }

const known = ['payment_id', 'amount', 'description', 'receipt']

/** Refunds of REST v3 of gateway A, as strict as a gateway is with money. */
export class SimulatedRefunds {
  readonly refunds: Refund[] = []
  /** Every request that came, by its Idempotence-Key. */
  readonly asked: { readonly key: string; readonly body: string }[] = []
  readonly #byKey = new Map<string, { readonly body: string; readonly refund: Refund }>()
  readonly #payment: (id: string) => RefundablePayment | undefined

  constructor(payment: (id: string) => RefundablePayment | undefined) {
    this.#payment = payment
  }

  /** As if a day had gone by: a key that was used is as good as new. */
  forgetKeys(): void {
    this.#byKey.clear()
  }

  answer({ method, path, query, headers, body }: Asked, { refunding }: Behaviour): Answered | null {
    if (method === 'POST' && path === '/v3/refunds') return this.#create(headers, body.toString(), refunding)
    if (method !== 'GET') return fault(405, 'invalid_request')
    if (path === '/v3/refunds') return json(this.#listed(query))
    const found = this.refunds.find(({ id }) => id === decodeURIComponent(path.slice('/v3/refunds/'.length)))
    return found ? json(found) : fault(404, 'not_found')
  }

  /** One on a page, so that paging is exercised. */
  #listed(query: URLSearchParams): object {
    const from = Number(query.get('cursor') ?? 0)
    const found = this.refunds.filter((one) => one.payment_id === query.get('payment_id')).reverse()
    return {
      type: 'list',
      items: found.slice(from, from + 1),
      ...(found.length > from + 1 && { next_cursor: String(from + 1) }),
    }
  }

  #create(headers: Asked['headers'], body: string, refunding: Behaviour['refunding']): Answered | null {
    const key = String(headers['idempotence-key'] ?? '')
    this.asked.push({ key, body })
    if (refunding === 'error') return fault(503, 'service_unavailable')
    if (refunding === 'unauthorized') return fault(401, 'invalid_credentials')
    if (refunding === 'refused') return fault(400, 'invalid_request', 'Refunds are not available for this payment.')
    if (refunding === 'garbage') return { status: 200, type: 'application/json', body: '{"id":' }
    if (!/^[\w-]{1,64}$/.test(key)) return fault(400, 'invalid_request', 'Idempotence-Key is wrong.')
    const before = this.#byKey.get(key)
    if (before && before.body !== body) return fault(400, 'invalid_request', 'Idempotence key duplicated.')
    const refund = before?.refund ?? this.#made(JSON.parse(body) as Sent, refunding)
    if (typeof refund === 'string')
      return refund === '' ? fault(404, 'not_found') : fault(400, 'invalid_request', refund)
    this.#byKey.set(key, { body, refund })
    if (refunding === 'silence') return null
    return refunding === 'lost' ? fault(500, 'internal_server_error') : json(refund)
  }

  /** The refund, or why there is none; '' for a payment that is not known. */
  #made(sent: Sent, refunding: Behaviour['refunding']): Refund | string {
    const { payment_id: paymentId, amount, description, receipt } = sent
    const strange = Object.keys(sent).find((name) => !known.includes(name))
    if (strange !== undefined) return `${strange} is not known.`
    if (typeof paymentId !== 'string' || !amount || !/^\d+\.\d\d$/.test(amount.value)) return 'amount is wrong.'
    if (description !== undefined && description.length > 250) return 'description is too long.'
    const payment = this.#payment(paymentId)
    if (!payment) return ''
    if (payment.status !== 'succeeded') return 'The payment is not succeeded.'
    if (amount.currency !== payment.amount.currency) return 'currency is wrong.'
    const given = this.refunds.filter((one) => one.payment_id === paymentId && one.status !== 'canceled')
    const kopecks = ({ value }: Amount) => Math.round(Number(value) * 100)
    const left = kopecks(payment.amount) - given.reduce((sum, one) => sum + kopecks(one.amount), 0)
    if (kopecks(amount) === 0 || kopecks(amount) > left) return 'amount is more than is left of the payment.'
    const isPart = kopecks(amount) < kopecks(payment.amount)
    const total = (receipt?.items ?? []).reduce((sum, item) => sum + kopecks(item.amount ?? amount), 0)
    if (isPart && payment.receipt && total !== kopecks(amount)) return 'receipt is missing or its sum is wrong.'
    const isCanceled = refunding === 'canceled'
    const refund: Refund = {
      id: randomUUID(),
      payment_id: paymentId,
      status: isCanceled ? 'canceled' : refunding === 'pending' ? 'pending' : 'succeeded',
      amount,
      created_at: new Date().toISOString(),
      ...(description !== undefined && { description }),
      ...(isCanceled && { cancellation_details: { party: 'yoo_money', reason: 'insufficient_funds' } }),
    }
    this.refunds.push(refund)
    return refund
  }
}
