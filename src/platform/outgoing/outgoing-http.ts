import { once } from 'node:events'
import type { Agent, IncomingMessage } from 'node:http'
import * as https from 'node:https'
import { http } from '../builtin-http.ts'
import { type Destinations, PrivateDestination } from './destinations.ts'

export type OutgoingRequest = {
  /** Left out: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  readonly body?: string
  readonly signal: AbortSignal
  /** What is longer is not read, and its connection is closed. */
  readonly answerBytesMax: number
}

export type OutgoingAnswer = {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly bytes: Buffer
  /** False: the answer is longer than was wanted. */
  readonly isWhole: boolean
}

/** Connections that are not used for so long are closed. */
const idleMs = 4_000

/**
 * Every HTTP request that the program makes by itself: to gateways, receivers of receipts, SMS and pushes. It connects
 * only where the operator lets it (`Destinations`), and follows no redirect, because that may lead to a server that
 * nobody has named.
 */
export class OutgoingHttp {
  readonly destinations: Destinations
  readonly #agents: { readonly 'http:': Agent; readonly 'https:': https.Agent }

  constructor(destinations: Destinations) {
    this.destinations = destinations
    const options = { keepAlive: true, timeout: idleMs, lookup: destinations.lookup }
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  }

  /** Rejects with PrivateDestination, the error of the connection, or the reason of the signal. */
  async request(address: string, { method = 'GET', body, signal, ...more }: OutgoingRequest): Promise<OutgoingAnswer> {
    const url = new URL(address)
    this.destinations.checkHost(url.hostname)
    signal.throwIfAborted()
    const headers = new Headers([...headersOf(more.headers)])
    if (!headers.has('accept')) headers.set('Accept', '*/*')
    if (!headers.has('user-agent')) headers.set('User-Agent', 'Tollgate')
    const options = { method, headers: Object.fromEntries(headers), signal }
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: this.#agents['https:'] })
        : http.request(url, { ...options, agent: this.#agents['http:'] })
    // A fault after the answer has begun is that of the answer, which is being read.
    request.on('error', () => {})
    try {
      request.end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const header = (name: string) => response.headers[name]?.toString() ?? null
      return { status: response.statusCode!, header, ...(await readUpTo(response, more.answerBytesMax)) }
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  }
}

const headersOf = (headers: OutgoingRequest['headers'] = []): Iterable<[string, string]> =>
  (Array.isArray(headers) ? headers : Object.entries(headers)) as Iterable<[string, string]>

async function readUpTo(response: IncomingMessage, bytesMax: number) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > bytesMax) return { bytes: Buffer.concat(chunks), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}

/** Why there is no answer, without the address, which may hold a password: a code, or the sentence of a refusal. */
export function faultOf(error: unknown): string {
  if (error instanceof PrivateDestination) return error.message
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'the connection failed')
}
