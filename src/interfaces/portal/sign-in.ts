import { signInClient } from '../../billing/clients/credentials.ts'
import { portalTerms } from '../../billing/clients/portal-sessions.ts'
import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { portalCookie } from '../../platform/http/client-user.ts'
import { dropCookie, readCookie, setCookie } from '../../platform/http/cookies.ts'
import { csrfFault, csrfFaultText } from '../../platform/http/csrf.ts'
import { portalSignIn, refusal } from '../../platform/http/errors.ts'
import { readFields } from '../../platform/http/form.ts'
import { redirect } from '../../platform/http/reply.ts'
import { home, payPath } from './addresses.ts'
import { errorNote, csrfField, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { csrfHeader, textsOf, type Visit, visitOf } from './visit.ts'

/** GET /lk/login/: the form with its CSRF cookie; a client who is signed in is redirected to `next`. */
export async function showSignIn(parts: PortalParts, call: Call): Promise<Reply> {
  const { portal } = parts
  const visit = visitOf(parts, call)
  const next = localPath(call.query.get('next') ?? '')
  const session = await portal.find(readCookie(call.header('cookie'), portalCookie(call)))
  return session ? redirect(next, visit.cookies) : form(visit, { status: 200, name: '', next, error: null })
}

/** POST /lk/login/ {contract or login, password, next}: starts a session. Rejects Unavailable. */
export async function takeSignIn(parts: PortalParts, call: Call): Promise<Reply> {
  const { portal, log, publicOrigin } = parts
  // Another site must not be able to sign a browser in as somebody else, so the CSRF token is checked even here.
  const fault = csrfFault({ call, door: 'client', via: 'cookie', sessionToken: null, publicOrigin })
  if (fault) return refusal('client', 403, csrfFaultText[fault])
  const read = readFields(call)
  if (read.kind === 'refused') return refusal('client', read.status, read.detail)
  const sent = textsOf(read.fields)
  const name = (sent('contract') || sent('login')).trim()
  const visit = visitOf(parts, call)
  const filled = { name, next: localPath(sent('next')) }
  const attempt = await signInClient(parts, { entrance: 'portal', address: call.address }, name, sent('password'))
  const { signIn: words } = visit.texts
  const login = attempt.kind === 'made' ? attempt.result : null
  const session = login && (await portal.start(login, call.address, call.header('user-agent')))
  if (!login || !session) {
    log.warn('A client failed to sign in', { name, address: call.address, requestId: call.id })
    if (attempt.kind === 'made') return form(visit, { ...filled, status: 401, error: words.wrong })
    const headers = [['Retry-After', String(attempt.retryAfterSeconds)]] as const
    return form(visit, { ...filled, status: 429, error: words.throttled }, headers)
  }
  const { loginId, subscriberId } = login
  const { key, csrfToken } = session
  log.info('A client signed in', { login: loginId, subscriberId, address: call.address, requestId: call.id })
  const terms = { secure: call.secure, httpOnly: true, maxAgeSeconds: portalTerms.lifeMs / 1000 }
  const address = filled.next.startsWith(`${payPath}?`) ? `${filled.next}&confirm=1` : filled.next
  return redirect(address, [setCookie(portalCookie(call), key, terms), csrfHeader(call, csrfToken)])
}

/** POST /lk/logout/: ends the session and drops its cookie. */
export async function signOut({ portal, log }: PortalParts, call: Call): Promise<Reply> {
  const session = await portal.find(readCookie(call.header('cookie'), portalCookie(call)))
  if (session) {
    await portal.end(session)
    log.info('A client signed out', { login: session.client.loginId, address: call.address, requestId: call.id })
  }
  return redirectToSignIn(call)
}

/**
 * Redirects to the sign-in page and drops the session cookie: the session has ended or its subscriber no longer exists.
 */
export const redirectToSignIn = (call: Call): Reply =>
  redirect(portalSignIn, [dropCookie(portalCookie(call), call.secure)])

type Form = { status: number; name: string; next: string; error: string | null }

function form(visit: Visit, { status, name, next, error }: Form, headers: Reply['headers'] = []): Reply {
  const { signIn: words } = visit.texts
  const body = markup`${error !== null && errorNote(error)}<form class="card" method="post" action="${portalSignIn}">${csrfField(visit)}
<input type="hidden" name="next" value="${next}">
<label for="contract">${words.name}</label>
<input id="contract" name="contract" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required value="${name}"${name === '' && markup` autofocus`}>
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${name !== '' && markup` autofocus`}>
<button>${words.enter}</button></form><p class="soft">${words.forgotten}</p>`
  return renderPage(visit, { title: words.title, body, status, headers })
}

/**
 * The page to open after the sign-in. Anything that would lead out of /lk/, such as `//host` or `..`, becomes the home
 * page.
 */
export function localPath(next: string): string {
  const base = 'http://here.invalid'
  if (!next.startsWith(home) || next.includes('\\') || !URL.canParse(next, base)) return home
  const { origin, pathname, search } = new URL(next, base)
  const isOurs = origin === base && pathname.startsWith(home) && !pathname.startsWith(portalSignIn.slice(0, -1))
  return isOurs && !pathname.includes('//') ? `${pathname}${search}` : home
}
