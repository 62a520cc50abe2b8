import { createHash } from 'node:crypto'
import { printable } from '../../domain/printable.ts'
import type { Heard, ReportAnswer, SendAnswer, Unusable } from './answers.ts'
import { readReport, readSend, readToken } from './answers.ts'
import type { Direction } from './receipt.ts'

/** Where and as whom the receiver is spoken to. */
export type Endpoint = {
  readonly configId: number
  readonly url: string
  readonly groupCode: string
  readonly login: string
  readonly password: string
}

export type FiscalCall = 'token' | 'send' | 'report'
export type ObserveCall = (call: FiscalCall, reply: string, seconds: number) => void

export type ReceiverParts = {
  readonly timeoutMs?: number
  readonly observe?: ObserveCall
}

const timeoutUsualMs = 15_000
const answerBytesMax = 256 * 1024
/** They hold for a day; one that is refused earlier is asked for again. */
const tokenLifeMs = 12 * 3_600_000

/** The fiscal data operator over HTTPS. Never throws: whatever goes wrong on the way is `failed`. */
export class Receiver {
  readonly #timeoutMs: number
  readonly #observe: ObserveCall
  readonly #tokens = new Map<string, { token: string; at: number }>()
  /** One question for a token serves all who need it. */
  readonly #asked = new Map<string, Promise<{ kind: 'token'; token: string } | Unusable>>()

  constructor({ timeoutMs = timeoutUsualMs, observe = () => {} }: ReceiverParts = {}) {
    this.#timeoutMs = timeoutMs
    this.#observe = observe
  }

  send(endpoint: Endpoint, direction: Direction, request: string, stopping: AbortSignal): Promise<SendAnswer> {
    const ask = async (token: string) => {
      const address = `${endpoint.url}/${encodeURIComponent(endpoint.groupCode)}/${direction}`
      const heard = await this.#call('send', address, { method: 'POST', body: request, token }, stopping)
      return 'failure' in heard ? failed(heard.failure) : readSend(heard)
    }
    return this.#authorized(endpoint, 'send', ask, stopping)
  }

  report(endpoint: Endpoint, uuid: string, externalId: string, stopping: AbortSignal): Promise<ReportAnswer> {
    const ask = async (token: string) => {
      const address = `${endpoint.url}/${encodeURIComponent(endpoint.groupCode)}/report/${encodeURIComponent(uuid)}`
      const heard = await this.#call('report', address, { method: 'GET', token }, stopping)
      return 'failure' in heard ? failed(heard.failure) : readReport(heard, externalId)
    }
    return this.#authorized(endpoint, 'report', ask, stopping)
  }

  /** Asks with the token we have, and once more with a new one when that one does not hold. */
  async #authorized<A extends { readonly kind: string }>(
    endpoint: Endpoint,
    call: FiscalCall,
    ask: (token: string) => Promise<A>,
    stopping: AbortSignal,
  ): Promise<A | Unusable> {
    const key = keyOf(endpoint)
    for (let round = 0; ; round++) {
      const known = await this.#token(endpoint, key, stopping)
      if (known.kind !== 'token') return known
      const startedMs = performance.now()
      const answer = await ask(known.token)
      this.#observe(call, answer.kind, (performance.now() - startedMs) / 1000)
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
    const kept = this.#tokens.get(key)
    if (kept && performance.now() - kept.at < tokenLifeMs) return { kind: 'token', token: kept.token }
    const asked = this.#asked.get(key) ?? this.#askToken(endpoint, key, stopping).finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return await asked
  }

  async #askToken({ url, login, password }: Endpoint, key: string, stopping: AbortSignal) {
    const startedMs = performance.now()
    const body = JSON.stringify({ login, pass: password })
    const heard = await this.#call('token', `${url}/getToken`, { method: 'POST', body }, stopping)
    const answer = 'failure' in heard ? failed(heard.failure) : readToken(heard)
    this.#observe('token', answer.kind === 'token' ? 'accepted' : answer.kind, (performance.now() - startedMs) / 1000)
    if (answer.kind === 'token') this.#tokens.set(key, { token: answer.token, at: performance.now() })
    return answer
  }

  async #call(
    what: FiscalCall,
    address: string,
    { method, body, token }: { method: 'GET' | 'POST'; body?: string; token?: string },
    stopping: AbortSignal,
  ): Promise<Heard | { failure: string }> {
    try {
      const response = await fetch(address, {
        method,
        // Wherever it is sent on to is not whom the operator named.
        redirect: 'manual',
        signal: AbortSignal.any([stopping, AbortSignal.timeout(this.#timeoutMs)]),
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          Accept: 'application/json',
          ...(token !== undefined && { Token: token }),
        },
        ...(body !== undefined && { body }),
      })
      const text = await readText(response)
      if (text === null) return { failure: 'The answer is too long.' }
      return { status: response.status, body: parsed(text) }
    } catch (error) {
      return { failure: failureOf(what, error) }
    }
  }
}

const failed = (error: string): Unusable => ({ kind: 'failed', error })

/** Changed credentials are another key, so an old token is not used for them. */
const keyOf = ({ url, groupCode, login, password }: Endpoint): string =>
  createHash('sha256').update([url, groupCode, login, password].join('\n')).digest('base64')

async function readText(response: Response): Promise<string | null> {
  if (!response.body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > answerBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? printable(value) : value))
  } catch {
    return null
  }
}

function failureOf(what: FiscalCall, error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `The receiver did not answer in time (${what}).`
  if (name === 'AbortError') return 'The program was stopping.'
  return `The receiver cannot be reached (${cause?.code ?? cause?.message ?? message}).`
}
