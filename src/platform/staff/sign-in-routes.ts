import Type from 'typebox'
import type { Call, Reply, Route } from '../http/call.ts'
import { dropCookie, readCookie } from '../http/cookies.ts'
import { csrfCookie, csrfFault, csrfFaultText, isSentByOthers } from '../http/csrf.ts'
import { refusal } from '../http/errors.ts'
import { readFields } from '../http/form.ts'
import { html, json, redirect } from '../http/reply.ts'
import type { RouteDoc } from '../http/route-doc.ts'
import { localPath } from './local-path.ts'
import { errorSchema } from '../http/schemas.ts'
import { newCsrfToken } from './sessions.ts'
import { csrfHeader, type NewSession, sessionCookies } from './session-cookies.ts'
import type { TooManyCodes } from './second-factors.ts'
import { type SignIn, sessionCookie } from './sign-in.ts'
import { codePage, type PageLink, signInPage, signOutPage, startPage } from './sign-in-page.ts'

const tag = 'Sign-in'

const docs = {
  signIn: {
    tag,
    summary: 'Sign a program in; without api=1 the page for browsers',
    description:
      'The hash is the session key: send it as the header X-Session-Hash or the cookie sessionid. It ends 12 hours after its last use, and after 14 days in any case.',
    query: {
      api: { doc: '1', required: true },
      username: { doc: 'Name of the staff user', required: true },
      password: { doc: 'Password', required: true },
      format: { doc: 'json' },
    },
    answers: {
      200: {
        doc: 'Signed in',
        schema: Type.Object({ hash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
        otherTypes: ['text/html'],
      },
      401: { doc: 'Wrong user name or password', schema: errorSchema },
      403: {
        doc: 'The user has a second factor, or must have one; programs use an API token',
        schema: errorSchema,
      },
      429: {
        doc: 'Five failures of this name and address, or too many of this address, within 15 minutes; Retry-After says how long to wait',
      },
      503: { doc: 'The database does not answer in time; ask again shortly', contentType: 'text/plain' },
    },
  },
  signOut: {
    tag,
    summary: 'Sign out',
    answers: { 200: { doc: 'The session has ended', schema: Type.Object({ status: Type.Literal('ok') }) } },
  },
} as const satisfies Record<string, RouteDoc>

const wrongText = 'Wrong user name or password.'
const wrongCodeText = 'Wrong code.'
const overText = 'The sign-in has expired; begin again.'
const needsFactorText = 'This user signs in with a second factor, which programs cannot do; use an API token.'
const throttledText = 'Too many failed sign-ins; try again later.'
/** Where somebody changes their own password. */
const accountPath = '/admin/account/'

/** Sign-in and sign-out of staff. `pages` are the links that GET /admin/ shows to somebody who is signed in. */
export function signInRoutes(signIn: SignIn, pages: readonly PageLink[] = []): readonly Route[] {
  const handlers = new SignInHandlers(signIn, pages)
  const door = 'public'
  return [
    { method: 'GET', path: '/admin', door, doc: docs.signIn, handler: (call) => handlers.show(call) },
    { method: 'POST', path: '/admin', door, allowedReadOnly: true, handler: (call) => handlers.takeForm(call) },
    {
      method: 'POST',
      path: '/admin/second_factor',
      door,
      allowedReadOnly: true,
      handler: (call) => handlers.takeCode(call),
    },
    { method: 'GET', path: '/admin/logout', door, handler: (call) => handlers.showLeaving(call) },
    {
      method: 'POST',
      path: '/admin/logout',
      door,
      allowedReadOnly: true,
      handler: (call) => handlers.takeLeaving(call),
    },
    {
      method: 'POST',
      path: '/rest_api/logout',
      door: 'rest',
      right: 'view',
      allowedReadOnly: true,
      beforeSecondFactor: true,
      doc: docs.signOut,
      handler: (call) => handlers.leave(call, json({ status: 'ok' })),
    },
  ]
}

class SignInHandlers {
  readonly #signIn: SignIn
  readonly #pages: readonly PageLink[]

  constructor(signIn: SignIn, pages: readonly PageLink[]) {
    this.#signIn = signIn
    this.#pages = pages
  }

  /** GET /admin/: the form with its CSRF cookie, the start page when signed in, or `?api=1` for programs. */
  async show(call: Call): Promise<Reply> {
    if (call.query.get('api') === '1') return this.#takeQuery(call)
    const signedIn = await this.#signIn.authenticate(call)
    if (!signedIn) return formReply(call, 200, '', call.query.get('next') ?? '', null)
    const { session } = signedIn
    return html(startPage(session.staff.username, this.#pages), 200, [csrfHeader(call, session.csrfToken)])
  }

  async #takeQuery(call: Call): Promise<Reply> {
    const attempt = await this.#signIn.attempt(
      call,
      call.query.get('username') ?? '',
      call.query.get('password') ?? '',
      'api',
    )
    if (attempt.kind === 'signedIn') return json({ hash: attempt.key })
    if (attempt.kind !== 'throttled')
      return attempt.kind === 'wrong' ? refusal('admin', 401, wrongText) : refusal('admin', 403, needsFactorText)
    return refusal('admin', 429, throttledText, [['Retry-After', String(attempt.retryAfterSeconds)]])
  }

  async takeForm(call: Call): Promise<Reply> {
    const sent = this.#readForm(call, ['username', 'password', 'next'])
    if ('status' in sent) return sent
    const { username, password, next } = sent
    const attempt = await this.#signIn.attempt(call, username, password, 'page')
    if (attempt.kind === 'secondFactor')
      return codeReply(call, 200, { challenge: attempt.challenge, next, error: null })
    if (attempt.kind === 'wrong' || attempt.kind === 'needsFactor')
      return formReply(call, 401, username, next, wrongText)
    if (attempt.kind === 'throttled') return throttledReply(call, username, next, attempt)
    return signedInReply(call, attempt, next)
  }

  /** POST /admin/second_factor/: the code after the password. */
  async takeCode(call: Call): Promise<Reply> {
    const sent = this.#readForm(call, ['challenge', 'code', 'next'])
    if ('status' in sent) return sent
    const { challenge, code, next } = sent
    const completion = await this.#signIn.complete(call, challenge, code)
    if (completion.kind === 'wrong') return codeReply(call, 401, { challenge, next, error: wrongCodeText })
    if (completion.kind === 'over') return formReply(call, 401, '', next, overText)
    if (completion.kind === 'throttled') return throttledReply(call, '', next, completion)
    return signedInReply(call, completion, next)
  }

  /** The named fields of a form of ours, or a refusal. */
  #readForm<const Name extends string>(call: Call, names: readonly Name[]): Record<Name, string> | Reply {
    // Another site must not be able to sign a browser in as somebody else, so the CSRF token is checked even here.
    const fault = csrfFault({
      call,
      door: 'page',
      via: 'cookie',
      sessionToken: null,
      publicOrigin: this.#signIn.publicOrigin,
    })
    if (fault) return refusal('page', 403, csrfFaultText[fault])
    const read = readFields(call)
    if (read.kind === 'refused') return refusal('page', read.status, read.detail)
    return Object.fromEntries(names.map((name) => [name, textOf(read.fields[name])])) as Record<Name, string>
  }

  /** GET /admin/logout signs out (specification 4.1), but asks first where another page sent the browser here. */
  showLeaving(call: Call): Reply | Promise<Reply> {
    if (!isSentByOthers(call, this.#signIn.publicOrigin)) return this.leave(call, redirect('/admin/'))
    const csrfToken = formToken(call)
    return html(signOutPage(csrfToken), 200, [csrfHeader(call, csrfToken)])
  }

  takeLeaving(call: Call): Reply | Promise<Reply> {
    const sent = this.#readForm(call, [])
    return 'status' in sent ? sent : this.leave(call, redirect('/admin/'))
  }

  async leave(call: Call, reply: Reply): Promise<Reply> {
    await this.#signIn.end(call)
    return withHeaders(reply, [dropCookie(sessionCookie, call.secure)])
  }
}

/** Leads to the page that was asked for, by way of the account of whoever has a weak password. */
function signedInReply(call: Call, session: NewSession & { readonly isWeak: boolean }, next: string): Reply {
  const to = localPath(next)
  const place = session.isWeak ? `${accountPath}?weak=1&next=${encodeURIComponent(to)}` : to
  return redirect(place, sessionCookies(call, session))
}

function codeReply(
  call: Call,
  status: number,
  shown: { challenge: string; next: string; error: string | null },
): Reply {
  return html(codePage({ csrfToken: readCookie(call.header('cookie'), csrfCookie), ...shown }), status, [
    ['Cache-Control', 'no-store'],
  ])
}

/** A valid token is kept, so that a form that is already open stays valid when a second tab opens the form. */
function formToken(call: Call): string {
  const sent = readCookie(call.header('cookie'), csrfCookie)
  return /^[0-9a-f]{64}$/.test(sent) ? sent : newCsrfToken()
}

function formReply(call: Call, status: number, username: string, next: string, error: string | null): Reply {
  const csrfToken = formToken(call)
  return html(signInPage({ csrfToken, username, next, error }), status, [csrfHeader(call, csrfToken)])
}

const throttledReply = (call: Call, username: string, next: string, { retryAfterSeconds }: TooManyCodes): Reply =>
  withHeaders(formReply(call, 429, username, next, throttledText), [['Retry-After', String(retryAfterSeconds)]])

const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...headers],
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
