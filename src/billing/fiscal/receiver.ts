import { createHash } from 'node:crypto'
import { printable } from '../../domain/printable.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { timeoutBy } from '../../platform/actors/timeout.ts'
import { PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { faultOf, type OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import {
  type HttpAnswer,
  type ReportAnswer,
  readReport,
  readSend,
  readToken,
  type SendAnswer,
  type Unusable,
} from './answers.ts'
import type { Direction } from './receipt.ts'

/** The address of the receiver and the credentials of a configuration. */
export type Endpoint = {
  readonly url: string
  readonly groupCode: string
  readonly login: string
  readonly password: string
}

type FiscalCall = 'token' | 'send' | 'report'
export type ObserveCall = (call: FiscalCall, reply: string, seconds: number) => void

/** One call; with a body it is a POST. */
type Call<Answer> = {
  readonly what: FiscalCall
  readonly url: string
  readonly body?: string
  readonly token?: string
  readonly read: (answer: HttpAnswer) => Answer
}

export type ReceiverParts = {
  readonly clock: Clock
  readonly http: OutgoingHttp
  readonly timeoutMs?: number
  readonly observe?: ObserveCall
}

const defaultTimeoutMs = 15_000
const answerBytesMax = 256 * 1024
/** Tokens are valid for a day. One that is refused earlier is replaced. */
const tokenLifeMs = 12 * 3_600_000

/** The HTTPS client of the fiscal data operator. It never throws: any failure of a call is answered as `failed`. */
export class Receiver {
  readonly #clock: Clock
  readonly #http: OutgoingHttp
  readonly #timeoutMs: number
  readonly #observe: ObserveCall
  readonly #tokens = new Map<string, { token: string; at: number }>()
  /** Requests for a token that are in progress. All calls that need the token share one. */
  readonly #pending = new Map<string, Promise<{ kind: 'token'; token: string } | Unusable>>()

  constructor({ clock, http, timeoutMs = defaultTimeoutMs, observe = () => {} }: ReceiverParts) {
    this.#clock = clock
    this.#http = http
    this.#timeoutMs = timeoutMs
    this.#observe = observe
  }

  send(endpoint: Endpoint, direction: Direction, request: string, stopping: AbortSignal): Promise<SendAnswer> {
    const call = { what: 'send', path: direction, body: request, read: readSend } as const
    return this.#authorized(endpoint, call, stopping)
  }

  report(endpoint: Endpoint, uuid: string, externalId: string, stopping: AbortSignal): Promise<ReportAnswer> {
    const read = (answer: HttpAnswer) => readReport(answer, externalId)
    const call = { what: 'report', path: `report/${encodeURIComponent(uuid)}`, read } as const
    return this.#authorized(endpoint, call, stopping)
  }

  /** Calls with the cached token, and once more with a new one if it is refused. */
  async #authorized<A extends { readonly kind: string }>(
    endpoint: Endpoint,
    { path, ...call }: Omit<Call<A>, 'url'> & { readonly path: string },
    stopping: AbortSignal,
  ): Promise<A | Unusable> {
    const key = keyOf(endpoint)
    const url = `${endpoint.url}/${encodeURIComponent(endpoint.groupCode)}/${path}`
    for (let round = 0; ; round++) {
      const known = await this.#token(endpoint, key, stopping)
      if (known.kind !== 'token') return known
      const answer = await this.#call({ ...call, url, token: known.token }, stopping)
      if (answer.kind !== 'unauthorized') return answer
      this.#tokens.delete(key)
      if (round > 0) return { kind: 'failed', error: 'A new token is not accepted either.' }
    }
  }

  async #token(
    endpoint: Endpoint,
    key: string,
    stopping: AbortSignal,
  ): Promise<{ kind: 'token'; token: string } | Unusable> {
    const cached = this.#tokens.get(key)
    if (cached && performance.now() - cached.at < tokenLifeMs) return { kind: 'token', token: cached.token }
    const pending =
      this.#pending.get(key) ?? this.#requestToken(endpoint, key, stopping).finally(() => this.#pending.delete(key))
    this.#pending.set(key, pending)
    return pending
  }

  async #requestToken({ url, login, password }: Endpoint, key: string, stopping: AbortSignal) {
    const body = JSON.stringify({ login, pass: password })
    const answer = await this.#call({ what: 'token', url: `${url}/getToken`, body, read: readToken }, stopping)
    if (answer.kind === 'token') this.#tokens.set(key, { token: answer.token, at: performance.now() })
    return answer
  }

  async #call<A extends { readonly kind: string }>(call: Call<A>, stopping: AbortSignal): Promise<A | Unusable> {
    const startedMs = performance.now()
    const response = await this.#request(call, stopping)
    const answer = 'failure' in response ? failed(response.failure) : call.read(response)
    const reply = answer.kind === 'token' ? 'accepted' : answer.kind
    this.#observe(call.what, reply, (performance.now() - startedMs) / 1000)
    return answer
  }

  async #request(
    { what, url, body, token }: Call<unknown>,
    stopping: AbortSignal,
  ): Promise<HttpAnswer | { failure: string }> {
    const timeout = timeoutBy(this.#clock, this.#timeoutMs)
    try {
      const { status, bytes, isWhole } = await this.#http.request(url, {
        method: body === undefined ? 'GET' : 'POST',
        signal: AbortSignal.any([stopping, timeout.signal]),
        answerBytesMax,
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          Accept: 'application/json',
          ...(token !== undefined && { Token: token }),
        },
        ...(body !== undefined && { body }),
      })
      if (!isWhole) return { failure: 'The answer is too long.' }
      return { status, body: parsed(bytes.toString('utf8')) }
    } catch (error) {
      return { failure: failureOf(what, error) }
    } finally {
      timeout.cancel()
    }
  }
}

const failed = (error: string): Unusable => ({ kind: 'failed', error })

/** The cache key of a token. It covers the credentials, so that changed ones never use an old token. */
const keyOf = ({ url, groupCode, login, password }: Endpoint): string =>
  createHash('sha256').update([url, groupCode, login, password].join('\n')).digest('base64')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? printable(value) : value))
  } catch {
    return null
  }
}

function failureOf(what: FiscalCall, error: unknown): string {
  const { name } = error as Error
  if (name === 'TimeoutError') return `The receiver did not answer in time (${what}).`
  if (name === 'AbortError') return 'The program was stopping.'
  if (error instanceof PrivateDestination) return error.message
  return `The receiver cannot be reached (${faultOf(error)}).`
}
