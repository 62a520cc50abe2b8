import { nanoid } from 'nanoid'
import type { StaffUser } from '../../domain/staff-user.ts'
import { clientOf, plainAddress, type TrustedProxies } from './address.ts'
import type { Call } from './call.ts'
import type { ClientUser } from './client-user.ts'
import type { HttpRequest, HttpResponse } from './uws.ts'

const noBody = Buffer.alloc(0)
const noParams: Readonly<Record<string, string>> = Object.freeze({})
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** What other programs may send as X-Request-Id; anything else could forge lines of a log. */
const requestIdForm = /^[\w.:-]{1,64}$/

/** Everything of a request, copied while uWebSockets.js lends it. The adapter completes it; handlers see it as a Call. */
export class CopiedRequest implements Call {
  readonly id: string
  readonly method: string
  /** As sent, percent-encoded. */
  readonly rawPath: string
  readonly queryText: string
  readonly secure: boolean
  readonly startedMs = performance.now()
  readonly #headers = new Map<string, string>()
  #query: URLSearchParams | null = null
  #address: string | null = null
  /** While it is lent. */
  #res: HttpResponse | null
  path: string
  body: Buffer = noBody
  params: Readonly<Record<string, string>> = noParams
  staff: StaffUser | null = null
  client: ClientUser | null = null

  constructor(res: HttpResponse, req: HttpRequest, tls: boolean, trusted: TrustedProxies) {
    this.method = req.getCaseSensitiveMethod()
    this.rawPath = req.getUrl()
    this.path = this.rawPath
    this.queryText = req.getQuery() ?? ''
    req.forEach((name, value) => {
      this.#addHeader(name, value)
    })
    this.#res = res
    this.secure = tls
    if (!trusted.isEmpty) {
      const forwarded = [this.header('x-forwarded-for'), this.header('x-forwarded-proto')] as const
      const client = clientOf(this.address, tls, ...forwarded, trusted)
      this.#address = client.address
      this.secure = client.secure
    }
    const sentId = this.header('x-request-id')
    this.id = requestIdForm.test(sentId) ? sentId : nanoid()
  }

  /** Most requests are answered before anybody asks for it. */
  get address(): string {
    this.#address ??= this.#res ? plainAddress(Buffer.from(this.#res.getRemoteAddressAsText()).toString('latin1')) : ''
    return this.#address
  }

  /** Before the response is answered or lent no longer: `keeps` what is still to be asked for. */
  leave({ keeps }: { keeps: boolean }): void {
    if (keeps) void this.address
    this.#res = null
  }

  header(name: string): string {
    return this.#headers.get(name) ?? ''
  }

  /** For the log: short, and nothing that a terminal could take for an instruction. */
  get shownPath(): string {
    return this.rawPath.slice(0, 200).replace(/[^\x20-\x7e]/g, '?')
  }

  get shownMethod(): string {
    return knownMethods.has(this.method) ? this.method : 'OTHER'
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.queryText)
    return this.#query
  }

  /** Bytes announced; Infinity for a chunked body, 0 for none. */
  get bodyBytesAnnounced(): number {
    if (this.header('transfer-encoding') !== '') return Number.POSITIVE_INFINITY
    const length = this.header('content-length')
    return length === '' ? 0 : Number(length)
  }

  /** A repeated header is one list (RFC 9110 section 5.3), a repeated Cookie too. */
  #addHeader(name: string, value: string): void {
    const before = this.#headers.get(name)
    this.#headers.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`)
  }
}
