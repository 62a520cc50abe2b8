import { printable } from '../../domain/printable.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { timeoutBy } from '../../platform/actors/timeout.ts'
import { membersOf, parseJson } from '../../platform/formats/json.ts'
import { isSafeAddress, PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { faultOf, type OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
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

const answerBytesMax = 1024 * 1024

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
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
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
        signal: timeout.signal,
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
