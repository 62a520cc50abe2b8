import Type from 'typebox'
import type { Language } from '../../domain/language.ts'
import { parseJson } from '../formats/json.ts'
import { asset, script } from '../http/assets.ts'
import type { Call, Reply, Route } from '../http/call.ts'
import { dropCookie, readCookie } from '../http/cookies.ts'
import { csrfCookie, csrfFault, csrfFaultText, isSentByOthers } from '../http/csrf.ts'
import { codeOfStatus, refusal } from '../http/errors.ts'
import { pageText, readFields } from '../http/form.ts'
import { preferredLanguage } from '../http/languages.ts'
import { html, json, redirect } from '../http/reply.ts'
import type { RouteDoc } from '../http/route-doc.ts'
import { errorSchema, okObject, schemas } from '../http/schemas.ts'
import { localPath } from './local-path.ts'
import { relyingParty } from './passkeys.ts'
import type { Proof, TooManyCodes } from './second-factors.ts'
import { csrfHeader, type NewSession, sessionCookies } from './session-cookies.ts'
import { newCsrfToken } from './sessions.ts'
import { type SignIn, sessionCookie } from './sign-in.ts'
import { type SecondStep, type SignInFault, secondStepPage, signInPage, signOutPage } from './sign-in-page.ts'

const tag = 'Sign-in'

const programErrorSchema = Type.Object({ ...errorSchema.properties, detail: schemas.text })

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
      302: { doc: 'Who is signed in comes from the page for browsers to `next`' },
      401: { doc: 'Wrong user name or password', schema: programErrorSchema },
      403: {
        doc: 'The user has a second factor, or must have one; programs use an API token',
        schema: programErrorSchema,
      },
      429: {
        doc: 'Five failures of this name and address, or too many of this address, within 15 minutes; Retry-After says how long to wait',
      },
      503: { doc: 'The database does not answer in time; ask again shortly', contentType: 'text/plain' },
    },
  },
  passkeyOptions: {
    tag,
    summary: 'What a passkey is to sign at the second step of the sign-in page',
    description:
      'For navigator.credentials.get. The answer is sent as the field `passkey` of the form, in JSON, within five minutes and once. Needs the CSRF token of the page.',
    body: Type.Object({ challenge: Type.String({ description: 'The field of the form that names the sign-in' }) }),
    answers: {
      200: { doc: 'The options', schema: okObject({ options: schemas.object }) },
      400: { doc: 'The Host header is no host', schema: errorSchema },
      401: { doc: 'The sign-in has expired, or its user has no passkey', schema: errorSchema },
      403: { doc: 'Another page has sent it: Origin or the token of the form is wrong', schema: errorSchema },
    },
  },
  signOut: {
    tag,
    summary: 'Sign out',
    answers: { 200: { doc: 'The session has ended', schema: Type.Object({ status: Type.Literal('ok') }) } },
  },
} as const satisfies Record<string, RouteDoc>

const wrongText = 'Wrong user name or password.'
const noHostText = 'The Host header is no host.'
const overText = 'The sign-in has expired; begin again.'
const needsFactorText = 'This user signs in with a second factor, which programs cannot do; use an API token.'
const throttledText = 'Too many failed sign-ins; try again later.'
/** Of the office's address for programs of REST, so the sentence stands where either looks for it. */
const refusedProgram = (status: number, sentence: string, headers: Reply['headers'] = []): Reply =>
  json({ ok: false, error: sentence, code: codeOfStatus(status), detail: sentence }, status, headers)
/** Where somebody changes their own password. */
const accountPath = '/admin/account/'

/** What GET /admin/ shows to somebody who is signed in, with the headers of the answer. */
export type HomePage = (headers: NonNullable<Reply['headers']>) => Reply

/** Sign-in and sign-out of staff. */
export function signInRoutes(signIn: SignIn, home: HomePage): readonly Route[] {
  const handlers = new SignInHandlers(signIn, home)
  const door = 'public'
  return [
    { method: 'GET', path: '/admin', door, doc: docs.signIn, handler: (call) => handlers.show(call) },
    { method: 'POST', path: '/admin', door, allowedReadOnly: true, handler: (call) => handlers.takeForm(call) },
    {
      method: 'POST',
      path: '/admin/second_factor',
      door,
      allowedReadOnly: true,
      handler: (call) => handlers.takeSecondStep(call),
    },
    {
      method: 'POST',
      path: '/admin/second_factor/options',
      door,
      allowedReadOnly: true,
      doc: docs.passkeyOptions,
      handler: (call) => handlers.passkeyOptions(call),
    },
    {
      method: 'GET',
      path: '/admin/passkey.js',
      door,
      handler: asset(new URL('passkey.js', import.meta.url), script),
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
  readonly #home: HomePage

  constructor(signIn: SignIn, home: HomePage) {
    this.#signIn = signIn
    this.#home = home
  }

  /** GET /admin/: the form with its CSRF cookie, the first screen when signed in, or `?api=1` for programs. */
  async show(call: Call): Promise<Reply> {
    if (call.query.get('api') === '1') return this.#takeQuery(call)
    const signedIn = await this.#signIn.authenticate(call)
    if (!signedIn) return formReply(call, 200, '', call.query.get('next') ?? '', null)
    const { session } = signedIn
    if (this.#signIn.mustEnrol(session)) return redirect(`${accountPath}?enrol=1`)
    const headers = [csrfHeader(call, session.csrfToken)]
    const next = call.query.get('next')
    // Signed in meanwhile, as in another tab.
    return next === null ? this.#home(headers) : redirect(localPath(next), headers)
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
      return attempt.kind === 'wrong' ? refusedProgram(401, wrongText) : refusedProgram(403, needsFactorText)
    return refusedProgram(429, throttledText, [['Retry-After', String(attempt.retryAfterSeconds)]])
  }

  async takeForm(call: Call): Promise<Reply> {
    const sent = this.#readForm(call, ['username', 'password', 'next'])
    if ('status' in sent) return sent
    const { username, password, next } = sent
    const attempt = await this.#signIn.attempt(call, username, password, 'page')
    if (attempt.kind === 'secondFactor')
      return this.#secondStepReply(call, 200, { challenge: attempt.challenge, next, fault: null })
    if (attempt.kind === 'wrong' || attempt.kind === 'needsFactor') return formReply(call, 401, username, next, 'wrong')
    if (attempt.kind === 'throttled') return throttledReply(call, username, next, attempt)
    return signedInReply(call, attempt, next)
  }

  /** POST /admin/second_factor/: the code or the passkey after the password. */
  async takeSecondStep(call: Call): Promise<Reply> {
    const sent = this.#readForm(call, ['challenge', 'code', 'passkey', 'next'])
    if ('status' in sent) return sent
    const { challenge, code, passkey, next } = sent
    const proof = passkey === '' ? ({ kind: 'code', code } as const) : this.#passkeyProof(call, passkey)
    if (!proof) return refusal('page', 400, noHostText)
    const completion = await this.#signIn.complete(call, challenge, proof)
    if (completion.kind === 'wrong') return this.#secondStepReply(call, 401, { challenge, next, fault: proof.kind })
    if (completion.kind === 'over') return formReply(call, 401, '', next, 'over')
    if (completion.kind === 'throttled') return throttledReply(call, '', next, completion)
    return signedInReply(call, completion, next)
  }

  #passkeyProof(call: Call, passkey: string): Proof | null {
    const party = relyingParty(call, this.#signIn.publicOrigin)
    const parsed = parseJson(Buffer.from(passkey))
    return party && { kind: 'passkey', response: parsed.kind === 'parsed' ? parsed.value : null, party }
  }

  /** POST /admin/second_factor/options/: asked by the script of the page. */
  async passkeyOptions(call: Call): Promise<Reply> {
    const sent = this.#readForm(call, ['challenge'], 'admin')
    if ('status' in sent) return sent
    const party = relyingParty(call, this.#signIn.publicOrigin)
    if (!party) return refusal('admin', 400, noHostText)
    const options = (await this.#signIn.factors?.passkeyOptions(sent.challenge, party)) ?? null
    return options ? json({ ok: true, options }) : refusal('admin', 401, overText)
  }

  async #secondStepReply(
    call: Call,
    status: number,
    shown: Pick<SecondStep, 'challenge' | 'next' | 'fault'>,
  ): Promise<Reply> {
    const csrfToken = readCookie(call.header('cookie'), csrfCookie)
    const hasPasskeys = (await this.#signIn.factors?.hasPasskeys(shown.challenge)) ?? false
    const page = secondStepPage({ csrfToken, hasPasskeys, language: languageOf(call), ...shown })
    return html(page, status, [['Cache-Control', 'no-store']])
  }

  /** The named fields of a form of ours, or a refusal. */
  #readForm<const Name extends string>(
    call: Call,
    names: readonly Name[],
    refusedAs: 'page' | 'admin' = 'page',
  ): Record<Name, string> | Reply {
    // Another site must not be able to sign a browser in as somebody else, so the CSRF token is checked even here.
    const fault = csrfFault({
      call,
      door: 'page',
      via: 'cookie',
      sessionToken: null,
      publicOrigin: this.#signIn.publicOrigin,
    })
    if (fault) return refusal(refusedAs, 403, csrfFaultText[fault])
    const read = readFields(call)
    if (read.kind === 'refused') return refusal(refusedAs, read.status, read.detail)
    return Object.fromEntries(names.map((name) => [name, pageText(read.fields[name])])) as Record<Name, string>
  }

  /** GET /admin/logout signs out (specification 4.1), but asks first where another page sent the browser here. */
  showLeaving(call: Call): Reply | Promise<Reply> {
    if (!isSentByOthers(call, this.#signIn.publicOrigin)) return this.leave(call, redirect('/admin/'))
    const csrfToken = formToken(call)
    return html(signOutPage({ csrfToken, language: languageOf(call) }), 200, [csrfHeader(call, csrfToken)])
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

/** A valid token is kept, so that a form that is already open stays valid when a second tab opens the form. */
function formToken(call: Call): string {
  const sent = readCookie(call.header('cookie'), csrfCookie)
  return /^[0-9a-f]{64}$/.test(sent) ? sent : newCsrfToken()
}

const languageOf = (call: Call): Language => preferredLanguage(call.header('accept-language'))

function formReply(call: Call, status: number, username: string, next: string, fault: SignInFault | null): Reply {
  const csrfToken = formToken(call)
  const page = signInPage({ csrfToken, username, next, fault, language: languageOf(call) })
  return html(page, status, [csrfHeader(call, csrfToken), ['Vary', 'Accept-Language']])
}

const throttledReply = (call: Call, username: string, next: string, { retryAfterSeconds }: TooManyCodes): Reply =>
  withHeaders(formReply(call, 429, username, next, 'throttled'), [['Retry-After', String(retryAfterSeconds)]])

const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...headers],
})
