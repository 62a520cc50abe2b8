import Type from 'typebox'
import type { StaffId } from '../../domain/ids.ts'
import { type Clock, systemClock } from '../actors/clock.ts'
import { MailboxFull } from '../actors/mailbox.ts'
import { readFields } from '../http/form.ts'
import type { Call, Reply, Route } from '../http/call.ts'
import { dropCookie, readCookie, setCookie } from '../http/cookies.ts'
import { csrfCookie, csrfFault, csrfFaultText, originOf } from '../http/csrf.ts'
import { refusal } from '../http/errors.ts'
import { html, json, redirect } from '../http/reply.ts'
import type { RouteDoc } from '../http/route-doc.ts'
import { type PageLink, signInPage, startPage } from '../http/sign-in-page.ts'
import type { Log } from '../log.ts'
import { Unavailable } from '../unavailable.ts'
import { passwordLengthMax, verifyPassword } from './passwords.ts'
import { newCsrfToken, type Session, Sessions, sessionTerms } from './sessions.ts'
import { type Queries, usernameForm } from './staff-table.ts'
import { SignInThrottle } from './throttle.ts'
import { readBearer, Tokens } from './tokens.ts'

/** Specification 4.1: who a caller is, and the doors through which staff come and go. */
export const sessionCookie = 'sessionid'

export type SignedIn = { readonly session: Session; readonly via: 'cookie' | 'header' }

export type SignInOptions = {
  readonly database: Queries
  readonly log: Log
  readonly clock?: Clock
  /** TOLLGATE_PUBLIC_URL: an origin of ours besides the Host as sent. */
  readonly publicUrl?: string
  readonly throttle?: SignInThrottle
  /** What GET /admin/ offers to somebody signed in. */
  readonly pages?: readonly PageLink[]
}

type Attempt =
  | { kind: 'signedIn'; staffId: StaffId; key: string; csrfToken: string }
  | { kind: 'wrong' }
  | { kind: 'throttled'; retryAfterSeconds: number }

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
      200: { doc: 'Signed in', schema: Type.Object({ hash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }) },
      401: { doc: 'Wrong user name or password' },
      429: { doc: 'Five failures of this name and address within 15 minutes; Retry-After says how long to wait' },
    },
  },
  signOut: {
    tag,
    summary: 'Sign out',
    answers: { 200: { doc: 'The session has ended', schema: Type.Object({ status: Type.Literal('ok') }) } },
  },
} as const satisfies Record<string, RouteDoc>

const wrongText = 'Wrong user name or password.'
const throttledText = 'Too many failed sign-ins; try again later.'
const yearSeconds = 365 * 24 * 3600

export class SignIn {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly publicOrigin: string | null
  readonly routes: readonly Route[]
  readonly #database: Queries
  readonly #log: Log
  readonly #clock: Clock
  readonly #throttle: SignInThrottle
  readonly #pages: readonly PageLink[]

  constructor(options: SignInOptions) {
    const { database, log, clock = systemClock } = options
    this.#database = database
    this.#log = log
    this.#clock = clock
    this.#throttle = options.throttle ?? new SignInThrottle()
    this.#pages = options.pages ?? []
    this.sessions = new Sessions({ database, clock, log })
    this.tokens = new Tokens({ database, clock, log })
    this.publicOrigin = options.publicUrl === undefined ? null : originOf(options.publicUrl)
    const door = 'public'
    this.routes = [
      { method: 'GET', path: '/admin', door, doc: docs.signIn, handler: (call) => this.#show(call) },
      { method: 'POST', path: '/admin', door, allowedReadOnly: true, handler: (call) => this.#takeForm(call) },
      { method: 'GET', path: '/admin/logout', door, handler: (call) => this.#leave(call, redirect('/admin/')) },
      {
        method: 'POST',
        path: '/rest_api/logout',
        door: 'rest',
        right: 'view',
        allowedReadOnly: true,
        doc: docs.signOut,
        handler: (call) => this.#leave(call, json({ status: 'ok' })),
      },
    ]
  }

  /**
   * Who a call comes from: an API token, X-Session-Hash, or the cookie. Each decides alone where it is sent. Costs no query
   * as a rule.
   */
  authenticate(call: Pick<Call, 'header'>): SignedIn | null | Promise<SignedIn | null> {
    const bearer = readBearer(call.header('authorization'))
    const key = call.header('x-session-hash')
    const via = bearer === null && key === '' ? 'cookie' : 'header'
    const found =
      bearer === null
        ? this.sessions.find(key || readCookie(call.header('cookie'), sessionCookie))
        : this.tokens.find(bearer)
    if (found instanceof Promise) return found.then((session) => session && { session, via })
    return found && { session: found, via }
  }

  /** Whether a session or a token of some time ago still holds, and its owner may still look. */
  async stillHolds({ keyHash }: Session): Promise<boolean> {
    const now = (await this.sessions.findByHash(keyHash)) ?? (await this.tokens.findByHash(keyHash))
    return now?.staff.rights.includes('view') ?? false
  }

  /** Staff or tokens changed: everybody is asked again. */
  forgetAll(): void {
    this.sessions.forgetAll()
    this.tokens.forgetAll()
  }

  /** GET /admin/: the form with its CSRF cookie, the start page when signed in, or `?api=1` for programs. */
  async #show(call: Call): Promise<Reply> {
    if (call.query.get('api') === '1') return this.#takeQuery(call)
    const signedIn = await this.authenticate(call)
    if (!signedIn) return this.#form(call, 200, '', call.query.get('next') ?? '', null)
    const { session } = signedIn
    return html(startPage(session.staff.username, this.#pages), 200, [csrfHeader(call, session.csrfToken)])
  }

  async #takeQuery(call: Call): Promise<Reply> {
    const attempt = await this.#attempt(call, call.query.get('username') ?? '', call.query.get('password') ?? '')
    if (attempt.kind === 'signedIn') return json({ hash: attempt.key })
    if (attempt.kind === 'wrong') return refusal('admin', 401, wrongText)
    return refusal('admin', 429, throttledText, [['Retry-After', String(attempt.retryAfterSeconds)]])
  }

  async #takeForm(call: Call): Promise<Reply> {
    // A foreign site must not be able to sign a browser in as somebody else, so the token counts before there is a session.
    const fault = csrfFault({ call, door: 'page', via: 'cookie', sessionToken: null, publicOrigin: this.publicOrigin })
    if (fault) return refusal('page', 403, csrfFaultText[fault])
    const read = readFields(call)
    if (read.kind === 'refused') return refusal('page', read.status, read.detail)
    const [username, password, next] = ['username', 'password', 'next'].map((name) => textOf(read.fields[name]))
    const attempt = await this.#attempt(call, username!, password!)
    if (attempt.kind === 'wrong') return this.#form(call, 401, username!, next!, wrongText)
    if (attempt.kind === 'throttled') {
      const reply = this.#form(call, 429, username!, next!, throttledText)
      return withHeaders(reply, [['Retry-After', String(attempt.retryAfterSeconds)]])
    }
    return redirect(localPath(next!), [
      setCookie(sessionCookie, attempt.key, {
        ...cookieTerms(call),
        httpOnly: true,
        maxAgeSeconds: sessionTerms.lifeMs / 1000,
      }),
      csrfHeader(call, attempt.csrfToken),
    ])
  }

  async #attempt(call: Call, username: string, password: string): Promise<Attempt> {
    // Nobody has such a name or password; refusing early keeps the throttle's memory small.
    if (!usernameForm.test(username) || password === '' || password.length > passwordLengthMax) return { kind: 'wrong' }
    const nowMs = () => this.#clock.now().getTime()
    try {
      const made = await this.#throttle.attempt(username, call.address, nowMs, () => this.#staffOf(username, password))
      if (made.kind === 'throttled' || made.result === null) {
        this.#log.warn('A sign-in failed', {
          username,
          address: call.address,
          throttled: made.kind === 'throttled',
          requestId: call.id,
        })
        return made.kind === 'throttled' ? made : { kind: 'wrong' }
      }
      const staffId = made.result
      const session = await this.sessions.start(staffId, call.address, call.header('user-agent'))
      this.#log.info('Signed in', { username, staffId, address: call.address, requestId: call.id })
      return { kind: 'signedIn', staffId, ...session }
    } catch (error) {
      if (error instanceof MailboxFull) throw new Unavailable('mailboxFull', error.message)
      throw error
    }
  }

  /** The same work whether the name is known, unknown or disabled. */
  async #staffOf(username: string, password: string): Promise<StaffId | null> {
    const found = await this.#database.query('SELECT id, password_hash FROM staff WHERE username = $1 AND enabled', [
      username,
    ])
    const row = found.rows[0]
    const stored = row ? String(row.password_hash) : null
    return (await verifyPassword(password, stored)) && row ? (Number(row.id) as StaffId) : null
  }

  async #leave(call: Call, reply: Reply): Promise<Reply> {
    const signedIn = await this.authenticate(call)
    if (signedIn) {
      await this.sessions.end(signedIn.session)
      this.#log.info('Signed out', {
        username: signedIn.session.staff.username,
        address: call.address,
        requestId: call.id,
      })
    }
    return withHeaders(reply, [dropCookie(sessionCookie, call.secure)])
  }

  #form(call: Call, status: number, username: string, next: string, error: string | null): Reply {
    const sent = readCookie(call.header('cookie'), csrfCookie)
    // The token of an open form stays good when a second tab asks for the form.
    const csrfToken = /^[0-9a-f]{64}$/.test(sent) ? sent : newCsrfToken()
    return html(signInPage({ csrfToken, username, next, error }), status, [csrfHeader(call, csrfToken)])
  }
}

const cookieTerms = (call: Call) => ({ secure: call.secure })

/** Read by scripts of ours to fill X-CSRFToken, so not HttpOnly. */
const csrfHeader = (call: Call, token: string): readonly [string, string] =>
  setCookie(csrfCookie, token, { ...cookieTerms(call), httpOnly: false, maxAgeSeconds: yearSeconds })

const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...headers],
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Where to go after the sign-in: a path of ours, never `//elsewhere` or `/\elsewhere`, which browsers take for a host. */
function localPath(next: string): string {
  const base = 'http://here.invalid'
  if (!/^\/(?![/\\])/.test(next) || !URL.canParse(next, base)) return '/admin/'
  const url = new URL(next, base)
  return url.origin === base && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : '/admin/'
}
