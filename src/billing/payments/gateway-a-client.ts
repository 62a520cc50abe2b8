import { printable } from '../../domain/printable.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { timeoutBy } from '../../platform/actors/timeout.ts'
import { membersOf, parseJson } from '../../platform/formats/json.ts'
import { isSafeAddress, PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { faultOf, type OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { type GatewayRefund, readRefund } from './gateway-a-refunds.ts'
import { type GatewayPayment, readPayment } from './gateway-a-rest.ts'
import type { ConnectionFault, PaymentSettings } from './gateways.ts'

/**
 * `unavailable`: the outcome of the call is unknown, and it may be repeated with its idempotency key. `refused`: it
 * will never succeed.
 */
type Creation = { kind: 'created'; payment: GatewayPayment } | { kind: 'refused' | 'unavailable'; detail: string }

type ReadBack =
  | { kind: 'read'; payment: GatewayPayment }
  | { kind: 'missing'; detail: string }
  | { kind: 'unavailable'; detail: string }

type Listed =
  | { kind: 'listed'; payments: GatewayPayment[]; next: string | null }
  | { kind: 'unavailable'; detail: string }

/** `refused`: nothing was refunded, and nothing will be by this request. */
export type Refunding = { kind: 'made'; refund: GatewayRefund } | { kind: 'refused' | 'unavailable'; detail: string }

type RefundList = { kind: 'listed'; refunds: GatewayRefund[] } | { kind: 'unavailable'; detail: string }

const answerBytesMax = 1024 * 1024
/** A payment has a few refunds; a gateway whose pages do not end is not followed. */
const refundPagesMax = 20
/** The request is right, and may be repeated when the operator has mended the key, or later. */
const notNow = [401, 403, 408, 409, 429]

/** Calls to the REST v3 interface of gateway A. Every call ends within `timeoutMs`. */
export class GatewayAClient {
  readonly #settings: PaymentSettings
  readonly #clock: Clock
  readonly #http: OutgoingHttp
  readonly #timeoutMs: number

  constructor(settings: PaymentSettings, clock: Clock, http: OutgoingHttp, timeoutMs = 10_000) {
    this.#settings = settings
    this.#clock = clock
    this.#http = http
    this.#timeoutMs = timeoutMs
  }

  async create(body: string, idempotenceKey: string): Promise<Creation> {
    const answer = await this.#call('POST', '/v3/payments', {
      body,
      headers: { 'Content-Type': 'application/json', 'Idempotence-Key': idempotenceKey },
    })
    if (answer.status === null || answer.status >= 500 || answer.status === 429)
      return { kind: 'unavailable', detail: answer.detail }
    if (answer.status >= 400) return { kind: 'refused', detail: answer.detail }
    const payment = readPayment(answer.value)
    if (!payment) return { kind: 'unavailable', detail: `The gateway's answer (${answer.status}) is no payment.` }
    return { kind: 'created', payment }
  }

  async read(id: string): Promise<ReadBack> {
    const answer = await this.#call('GET', `/v3/payments/${encodeURIComponent(id)}`)
    if (answer.status === 404) return { kind: 'missing', detail: answer.detail }
    const payment = answer.status === 200 ? readPayment(answer.value) : null
    return payment ? { kind: 'read', payment } : { kind: 'unavailable', detail: answer.detail }
  }

  /** A page of the succeeded payments created since `since`, with the cursor of the next page. */
  async list(since: Date, cursor: string | null): Promise<Listed> {
    const query = new URLSearchParams({
      limit: '100',
      status: 'succeeded',
      'created_at.gte': since.toISOString(),
      ...(cursor !== null && { cursor }),
    })
    const answer = await this.#call('GET', `/v3/payments?${query}`)
    const { items, next_cursor: next } = membersOf(answer.value)
    if (answer.status !== 200 || !Array.isArray(items)) return { kind: 'unavailable', detail: answer.detail }
    const payments = items.flatMap((item) => readPayment(item) ?? [])
    // A page whose cursor leads to itself would be read for ever.
    return { kind: 'listed', payments, next: typeof next === 'string' && next !== cursor && next !== '' ? next : null }
  }

  /** Returns money to who has paid. A repeat with the same key refunds nothing again. */
  async refund(body: string, idempotenceKey: string, stopping?: AbortSignal): Promise<Refunding> {
    const headers = { 'Content-Type': 'application/json', 'Idempotence-Key': idempotenceKey }
    const answer = await this.#call('POST', '/v3/refunds', { body, headers, ...(stopping && { stopping }) })
    const { status, detail } = answer
    if (status === null || status < 200 || status >= 500 || notNow.includes(status))
      return { kind: 'unavailable', detail }
    if (status >= 400) return { kind: 'refused', detail }
    const refund = readRefund(answer.value)
    return refund ? { kind: 'made', refund } : { kind: 'unavailable', detail: `${detail} It is no refund.` }
  }

  /** A refund of which the gateway gave the id. */
  async readRefund(id: string, stopping?: AbortSignal): Promise<Exclude<Refunding, { kind: 'refused' }>> {
    const answer = await this.#call('GET', `/v3/refunds/${encodeURIComponent(id)}`, stopping && { stopping })
    const refund = answer.status === 200 ? readRefund(answer.value) : null
    return refund ? { kind: 'made', refund } : { kind: 'unavailable', detail: answer.detail }
  }

  /** All refunds of a payment. */
  async refundsOf(paymentId: string, stopping?: AbortSignal): Promise<RefundList> {
    const refunds: GatewayRefund[] = []
    let cursor: string | null = null
    for (let page = 0; page < refundPagesMax; page++) {
      const query = new URLSearchParams({ payment_id: paymentId, limit: '100', ...(cursor !== null && { cursor }) })
      const answer = await this.#call('GET', `/v3/refunds?${query}`, stopping && { stopping })
      const { items, next_cursor: next } = membersOf(answer.value)
      if (answer.status !== 200 || !Array.isArray(items)) return { kind: 'unavailable', detail: answer.detail }
      refunds.push(...items.flatMap((item) => readRefund(item) ?? []))
      if (typeof next !== 'string' || next === '') return { kind: 'listed', refunds }
      cursor = next
    }
    return { kind: 'unavailable', detail: 'The list of refunds does not end.' }
  }

  /** Null: the gateway accepts our credentials. */
  async check(): Promise<ConnectionFault | null> {
    const { status, fault } = await this.#call('GET', '/v3/payments?limit=1')
    if (fault) return fault
    if (status === 200) return null
    // Not what the answer says: the operator may have named a server whose words are not for them.
    return status === 401 ? { kind: 'unknownShop' } : { kind: 'answered', status: String(status) }
  }

  async #call(
    method: 'GET' | 'POST',
    path: string,
    { headers = {}, body, stopping }: { headers?: Record<string, string>; body?: string; stopping?: AbortSignal } = {},
  ): Promise<{ status: number | null; value: unknown; detail: string; fault: ConnectionFault | null }> {
    const base = this.#settings.get('LK_GWA_API_URL')
    // The setting accepts no other addresses, but a row written by hand could make us send the key unencrypted.
    if (!isSafeAddress(base))
      return {
        status: null,
        value: null,
        detail: 'LK_GWA_API_URL is not an https:// address.',
        fault: { kind: 'unsafeAddress' },
      }
    const credentials = `${this.#settings.get('LK_GWA_SHOP_ID')}:${this.#settings.get('LK_GWA_SECRET_KEY')}`
    const timeout = timeoutBy(this.#clock, this.#timeoutMs)
    try {
      const { bytes, isWhole, ...answer } = await this.#http.request(base.replace(/\/+$/, '') + path, {
        method,
        signal: stopping ? AbortSignal.any([timeout.signal, stopping]) : timeout.signal,
        answerBytesMax,
        headers: {
          Accept: 'application/json',
          Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const parsed = isWhole ? parseJson(bytes) : null
      const value = parsed?.kind === 'parsed' ? parsed.value : null
      const detail = `The gateway answered ${answer.status}${explanationOf(value)}.`
      return { status: answer.status, value, detail, fault: null }
    } catch (error) {
      const fault = connectionFaultOf(error)
      const detail = 'reason' in fault ? `The gateway cannot be reached: ${fault.reason}.` : faultOf(error)
      return { status: null, value: null, detail, fault }
    } finally {
      timeout.cancel()
    }
  }
}

/** The gateway's explanation of a refusal: `{code, description, parameter}`. */
function explanationOf(value: unknown): string {
  const { code, description, parameter } = membersOf(value)
  const words = [code, description, parameter].filter((word) => typeof word === 'string')
  return words.length > 0 ? `: ${printable(words.join(', ').slice(0, 300))}` : ''
}

/** Why a request to a gateway has no answer. */
export function connectionFaultOf(
  error: unknown,
): { kind: 'privateAddress' } | { kind: 'unreachable'; reason: string } {
  if (error instanceof PrivateDestination) return { kind: 'privateAddress' }
  const isTimeout = (error as { name?: unknown }).name === 'TimeoutError'
  return { kind: 'unreachable', reason: isTimeout ? 'no answer in time' : faultOf(error) }
}
