import type { Right } from '../../domain/staff-user.ts'
import { markup } from '../formats/html.ts'
import { asUnavailable } from '../storage/unavailability.ts'
import type { Unavailable } from '../unavailable.ts'
import type { Door, Reply } from './call.ts'
import { html, htmlDocument, json, redirect, text } from './reply.ts'
import { faultCodeOf, soapFault } from './soap-fault.ts'

type Headers = NonNullable<Reply['headers']>

/**
 * Texts of refusals by the server itself, before or instead of a handler. Those for REST are the texts of Django REST
 * framework.
 */
export const refusalText = {
  notSignedIn: 'Authentication credentials were not provided.',
  tokenInvalid: 'Invalid token.',
  notFound: 'Not found.',
  badPath: 'Malformed address.',
  ambiguous: 'Send one Host, and either one Content-Length or Transfer-Encoding: chunked.',
  tooLarge: 'The request body is larger than 1 MiB.',
  readOnly: 'READ_ONLY_MODE is on: nothing can be changed now.',
  forAllOrganizations: 'This concerns every organization, so it is open only to staff who see all of them.',
  noSystemAccess: 'The System API is closed to you.',
  internal: 'Internal server error.',
  busy: 'The service is busy; ask again shortly.',
  needsUpgrade:
    'This is the address of a WebSocket, and the request has no Upgrade to one of version 13; a proxy may have dropped it.',
} as const

export const methodNotAllowedText = (method: string): string => `Method "${method}" not allowed.`

/** The stable, machine-readable codes for bodies that have `error` beside the sentence. */
const errorCodes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media_type',
  426: 'upgrade_required',
  429: 'too_many_requests',
  503: 'unavailable',
}

/** The code of a refusal that has none of its own. */
export const codeOfStatus = (status: number): string => errorCodes[status] ?? 'internal'

type Shape = (status: number, sentence: string, headers: Headers) => Reply

const page: Shape = (status, sentence, headers) =>
  html(htmlDocument(String(status), markup`<p>${sentence}</p>`), status, headers)

/** Rendered again as a page of the portal, if the server was given a `clientPage`. */
const clientPage: Shape = (status, sentence, headers) => ({
  ...page(status, sentence, headers),
  refused: { sentence, headers },
})

const coded: Shape = (status, sentence, headers) =>
  json({ status: 'error', error: codeOfStatus(status), message: sentence }, status, headers)

/** Translated into the language of the phone, see phone-refusals.ts. */
export const phoneRefusal: Shape = (status, sentence, headers) => ({
  ...coded(status, sentence, headers),
  refused: { sentence, headers },
})

/** The codes of refusals that every write of the web admin may get, which our pages say in their own languages. */
const gateCodes: Readonly<Record<string, string>> = {
  [refusalText.readOnly]: 'read_only',
  [refusalText.forAllOrganizations]: 'all_organizations',
}

const admin: Shape = (status, sentence, headers) =>
  json({ ok: false, error: sentence, code: gateCodes[sentence] ?? codeOfStatus(status) }, status, headers)

/** The form of a refusal at each door (contract section 3). */
const shapes = {
  rest: (status, sentence, headers) => json({ detail: sentence }, status, headers),
  admin,
  page,
  public: (status, sentence, headers) => text(`${sentence}\n`, status, headers),
  system: coded,
  client: clientPage,
  guest: clientPage,
  mobile: phoneRefusal,
  app: phoneRefusal,
  soap: (status, sentence, headers) => soapFault(faultCodeOf(status), sentence, { status, headers }),
} as const satisfies Record<Door, Shape>

/** A refusal in the form of the door. */
export function refusal(door: Door, status: number, sentence: string, headers: Headers = []): Reply {
  return shapes[door](status, sentence, headers)
}

/** 403: the role of the staff user or the scopes of the token do not include the right. */
export const notAllowed = (door: Door, right: Right): Reply =>
  refusal(door, 403, `You do not have permission to perform this action. It needs the right "${right}".`)

/** 401, or for a page 302 to the sign-in. `from` is the path with its query to return to after a GET. */
export function notSignedIn(door: Door, from: string | null, sentence: string = refusalText.notSignedIn): Reply {
  if (door === 'page') return redirect(withNext('/admin/', from))
  if (door === 'client') return redirect(withNext(portalSignIn, from))
  if (door === 'mobile') return refusal(door, 401, sentence, [['WWW-Authenticate', 'Bearer realm="tollgate"']])
  return refusal(door, 401, sentence, [['WWW-Authenticate', 'Session realm="tollgate", Bearer realm="tollgate"']])
}

/** The sign-in page of clients (contract section 5). */
export const portalSignIn = '/lk/login/'

const withNext = (path: string, from: string | null): string =>
  from === null ? path : `${path}?next=${encodeURIComponent(from)}`

export const unavailableTexts = {
  database: 'The database is away; ask again shortly.',
  stopping: 'The service is stopping; ask again shortly.',
} as const

/** The 503 for each reason. The message of the error itself names hosts and ports, so it only goes to the log. */
const unavailableAnswers = {
  database: { sentence: unavailableTexts.database, retryAfterSeconds: 5 },
  mailboxFull: { sentence: refusalText.busy, retryAfterSeconds: 1 },
  deadline: { sentence: refusalText.busy, retryAfterSeconds: 1 },
  stopping: { sentence: unavailableTexts.stopping, retryAfterSeconds: 5 },
} as const satisfies Record<Unavailable['reason'], { sentence: string; retryAfterSeconds: number }>

/**
 * A thrown error as a refusal in the form of the door: 503 if the caller may retry, otherwise 500 without internals.
 */
export function errorReply(door: Door, error: unknown): Reply {
  const unavailable = asUnavailable(error)
  if (!unavailable) return refusal(door, 500, refusalText.internal)
  const { sentence, retryAfterSeconds } = unavailableAnswers[unavailable.reason]
  return refusal(door, 503, sentence, [['Retry-After', String(retryAfterSeconds)]])
}

/** The door whose form of refusal an unknown path gets: that of the paths around it. */
export function doorOfUnknownPath(path: string, accept: string): Door {
  if (path.startsWith('/rest_api')) return 'rest'
  if (path.startsWith('/system_api')) return 'system'
  if (path.startsWith('/mobile-api')) return 'mobile'
  if (path === '/api' || path.startsWith('/api/')) return 'soap'
  if (path.startsWith('/lk')) return 'guest'
  if (path.startsWith('/admin')) return accept.includes('text/html') ? 'page' : 'admin'
  return 'public'
}
