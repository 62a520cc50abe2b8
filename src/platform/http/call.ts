import type { Right, StaffUser } from '../../domain/staff-user.ts'
import type { BodySource } from './body-stream.ts'
import type { ClientUser } from './client-user.ts'
import type { RouteDoc } from './route-doc.ts'

/** One HTTP request, copied out of uWebSockets.js while its memory is valid. Handlers never see `res`. */
export type Call = {
  /** Sent back as X-Request-Id and written to the log. */
  readonly id: string
  readonly method: string
  /** Without the query and without a trailing slash, percent-decoded per segment. */
  readonly path: string
  /** The query as sent, without `?`. */
  readonly queryText: string
  readonly query: URLSearchParams
  /** Lower-case name to value; an absent header is ''. */
  header(name: string): string
  /** Client address, behind a trusted proxy the forwarded one. */
  readonly address: string
  readonly secure: boolean
  /** Raw body, at most 1 MiB. */
  readonly body: Buffer
  /** `:name` segments of the route. */
  readonly params: Readonly<Record<string, string>>
  /** Who is signed in; null at public doors. Doors that need a sign-in never see null here. */
  readonly staff: StaffUser | null
  /** Which client is signed in, at the doors `client` and `mobile`; null at all others. */
  readonly client: ClientUser | null
}

export type Reply = {
  readonly status: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly contentType?: string
  /** A source is a long body made while it is sent, at the client's pace; an error in the middle cuts the connection. */
  readonly body?: string | Buffer | BodySource
  /** Of a refusal that the server itself gives a client, so that it can be drawn as a page or said in the language of the phone. */
  readonly refused?: { readonly sentence: string; readonly headers: NonNullable<Reply['headers']> }
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/**
 * How a caller proves who they are, and the shape of refusals at this door (contract section 3).
 * client: the cookie of the portal, HTML, 302 to its sign-in; mobile: a token of a phone, `{status:"error",error,message}`;
 * public: nobody has to; rest: DRF bodies; admin: `{ok:false,error}`; page: HTML, 302 to the sign-in; system: an address on the
 * list and the password of the System API, `{status:"error",error,message}`; app: nobody has to, refusals as at the door `mobile`;
 * guest: nobody has to, refusals as at the door `client`;
 * soap: the envelope says who calls, refusals are faults of SOAP 1.1.
 */
export type Door = 'public' | 'rest' | 'admin' | 'page' | 'system' | 'client' | 'mobile' | 'app' | 'guest' | 'soap'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** `/rest_api/v2/:model/:id`; a trailing slash is optional for callers. */
  readonly path: string
  readonly door: Door
  /** What the caller must be allowed to do; left out: `view` for GET, `change` for the others. Public doors ask for nothing. */
  readonly right?: Right
  /** Allowed in READ_ONLY_MODE though it writes: sign-in, sign-out. */
  readonly allowedReadOnly?: boolean
  /** Answered with an ETag, and 304 to an If-None-Match that names it. */
  readonly isConditional?: boolean
  /** What the OpenAPI document says about it; every JSON door has one. */
  readonly doc?: RouteDoc
  readonly handler: Handler
}
