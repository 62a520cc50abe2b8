import { nanoid } from 'nanoid'
import type { Span } from '../../domain/span.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { bearsProxyHeaders, clientOf, plainAddress, type TrustedProxies } from './address.ts'
import type { Call } from './call.ts'
import type { ClientUser } from './client-user.ts'
import { type Borrowed, copyOf, type HttpRequest, type HttpResponse } from './transport.ts'

const noBody = Buffer.alloc(0)
const noParams: Readonly<Record<string, string>> = Object.freeze({})
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The X-Request-Id that callers may choose. Other characters could be used to forge lines of the log. */
const requestIdForm = /^[\w.:-]{1,64}$/

/**
 * A copy of a request of the transport, made while it is valid. The dispatcher completes it; handlers see it as a
 * Call.
 */
export class CopiedRequest implements Call {
  readonly id: string
  readonly method: string
  /** The path as sent, percent-encoded. */
  readonly rawPath: string
  readonly queryText: string
  readonly secure: boolean
  readonly startedMs = performance.now()
  readonly #headers = new Map<string, string>()
  #query: URLSearchParams | null = null
  #address: string | null = null
  #isNamed = false
  #addressBytes: Borrowed | null = null
  /** Null as soon as the response is no longer valid. */
  #res: HttpResponse | null
  path: string
  body: Buffer = noBody
  params: Readonly<Record<string, string>> = noParams
  staff: StaffUser | null = null
  client: ClientUser | null = null
  span: Span | null = null

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
      this.#isNamed = client.isNamed
    }
    const sentId = this.header('x-request-id')
    this.id = requestIdForm.test(sentId) ? sentId : nanoid()
  }

  /** Computed only when it is needed, because most requests are answered without it. */
  get address(): string {
    if (this.#address === null) {
      const bytes = this.#addressBytes ?? this.#res?.getRemoteAddressAsText()
      this.#address = bytes ? plainAddress(copyOf(bytes).toString('latin1')) : ''
    }
    return this.#address
  }

  /**
   * To be called before the response becomes invalid. With `keepAddress`, the address is read now and stays available.
   */
  detach({ keepAddress }: { keepAddress: boolean }): void {
    if (keepAddress && this.#address === null) this.#addressBytes ??= this.#res?.getRemoteAddressAsText() ?? null
    this.#res = null
  }

  get isForStranger(): boolean {
    return !this.#isNamed && bearsProxyHeaders((name) => this.header(name))
  }

  header(name: string): string {
    return this.#headers.get(name) ?? ''
  }

  get shownMethod(): string {
    return knownMethods.has(this.method) ? this.method : 'OTHER'
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.queryText)
    return this.#query
  }

  /**
   * Whether a proxy in front of us may have read another length or another host. What follows on its connection could
   * then be the hidden request of somebody else (request smuggling, RFC 9112 section 11.2).
   */
  get isAmbiguous(): boolean {
    const length = this.#headers.get('content-length')
    const encoding = this.#headers.get('transfer-encoding')
    return (
      (length !== undefined && (encoding !== undefined || !/^\d+$/.test(length))) ||
      (encoding !== undefined && encoding.toLowerCase() !== 'chunked') ||
      this.header('host').includes(',')
    )
  }

  /** The Content-Length in bytes; Infinity for a chunked body, 0 for no body. */
  get bodyBytesAnnounced(): number {
    if (this.header('transfer-encoding') !== '') return Number.POSITIVE_INFINITY
    const length = this.header('content-length')
    return length === '' ? 0 : Number(length)
  }

  /** The values of a repeated header are joined into a list (RFC 9110 section 5.3), also those of Cookie. */
  #addHeader(name: string, value: string): void {
    const before = this.#headers.get(name)
    this.#headers.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`)
  }
}
