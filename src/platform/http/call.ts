import type { Span } from '../../domain/span.ts'
import type { Right, StaffUser } from '../../domain/staff-user.ts'
import type { BodySource } from './body-stream.ts'
import type { ClientUser } from './client-user.ts'
import type { RouteDoc } from './route-doc.ts'

/** One HTTP request, copied out of uWebSockets.js while its memory is valid. Handlers never see `res`. */
export type Call = {
  /** The request id, sent back as X-Request-Id and written to the log. */
  readonly id: string
  /** When its first line had been read, as `performance.now()` says it. */
  readonly startedMs: number
  readonly method: string
  /** The path without query and trailing slash, each segment percent-decoded. */
  readonly path: string
  /** The query as sent, without `?`. */
  readonly queryText: string
  readonly query: URLSearchParams
  /** The value of a header by its lower-case name; '' when it is absent. */
  header(name: string): string
  /** The address of the client; behind a trusted proxy the forwarded one. */
  readonly address: string
  readonly secure: boolean
  /** The raw body, at most 1 MiB, or as much as the route says. */
  readonly body: Buffer
  /** The values of the `:name` and `*name` segments of the route. */
  readonly params: Readonly<Record<string, string>>
  /** The staff user who is signed in. Never null at the doors that require a sign-in of staff, null at all others. */
  readonly staff: StaffUser | null
  /** The client who is signed in. Never null at the doors `client` and `mobile`, null at all others. */
  readonly client: ClientUser | null
  /** The span of the request, handed on to what is done for it; null or left out where the request is not traced. */
  readonly span?: Span | null
}

export type Reply = {
  readonly status: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly contentType?: string
  /**
   * A source is a long body that is produced while it is sent, as fast as the client takes it. An error then cuts the
   * connection.
   */
  readonly body?: string | Buffer | BodySource
  /**
   * Set on refusals by the server itself, which are then rendered as a page of the portal or translated for a phone.
   */
  readonly refused?: { readonly sentence: string; readonly headers: NonNullable<Reply['headers']> }
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/**
 * How callers authenticate at a route, and the form of its refusals (contract section 3).
 * - public: no authentication; plain text.
 * - rest: session or token of staff; bodies as of Django REST framework.
 * - admin: session or token of staff; `{ok:false,error}`.
 * - page: session or token of staff; HTML, or 302 to the sign-in.
 * - system: an allowed address and the password of the System API; `{status:"error",error,message}`.
 * - client: cookie of the portal; HTML, or 302 to its sign-in.
 * - guest: no authentication; refusals as at `client`.
 * - mobile: token of a phone; `{status:"error",error,message}`.
 * - app: no authentication by the gate; refusals as at `mobile`.
 * - soap: authenticated by the handler from the envelope; faults of SOAP 1.1.
 */
export type Door = 'public' | 'rest' | 'admin' | 'page' | 'system' | 'client' | 'mobile' | 'app' | 'guest' | 'soap'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** The pattern, for example `/rest_api/v2/:model/:id`. Callers may add a trailing slash. */
  readonly path: string
  readonly door: Door
  /**
   * The right that the caller needs, or several of them: by default `view` for GET and `change` for other methods.
   * Public doors need none.
   */
  readonly right?: Right | readonly Right[]
  /** Set where only staff who see all organizations are let in, because the route concerns every one of them. */
  readonly forAllOrganizations?: boolean
  /** Allowed in READ_ONLY_MODE although its method is a write, for example sign-in and sign-out. */
  readonly allowedReadOnly?: boolean
  /** The limit of a body that may be longer than 1 MiB, with a Content-Length, from callers whom the gate lets in. */
  readonly bodyBytesMax?: number
  /** Set where staff are let in who have yet to set up the second factor that their role needs. */
  readonly beforeSecondFactor?: boolean
  /** Set where the answer has an ETag, and is 304 to an If-None-Match that names it. */
  readonly isConditional?: boolean
  /**
   * The page to which a browser is redirected that opens the address of this JSON in a window; the page asks for the
   * sign-in itself. Null: the call asks for a file, which is answered.
   */
  readonly screen?: (call: Call) => string | null
  /** Writes a refusal of the gate in the format that the caller asks for, where the route has several formats. */
  readonly inFormat?: (call: Call, refusal: Reply) => Reply
  /** The description for the OpenAPI document. Every JSON route has one. */
  readonly doc?: RouteDoc
  readonly handler: Handler
}
