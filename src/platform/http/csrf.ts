import { isSameText } from '../same-text.ts'
import { mediaTypeOf, parseForm } from './form.ts'
import type { Call, Door } from './call.ts'
import { readCookie } from './cookies.ts'

/** Contract section 3, in one place: which writes a browser could have been tricked into sending. */
type CsrfFault = 'foreignOrigin' | 'noOrigin' | 'tokenMissing' | 'tokenWrong'

export const csrfFaultText = {
  foreignOrigin: 'CSRF Failed: the request comes from another site (Origin or Referer).',
  noOrigin: 'CSRF Failed: neither Origin nor Referer was sent.',
  tokenMissing: 'CSRF Failed: CSRF token missing.',
  tokenWrong: 'CSRF Failed: CSRF token incorrect.',
} as const satisfies Record<CsrfFault, string>

export const csrfCookie = 'csrftoken'
/** Ours are 64 hex digits; an empty or tiny cookie must never match an empty field. */
const tokenForm = /^[0-9A-Za-z]{32,128}$/

export type CsrfCase = {
  readonly call: Pick<Call, 'header' | 'body' | 'secure'>
  readonly door: Door
  /** How the caller signed in: only a cookie is sent by a browser on its own. */
  readonly via: 'cookie' | 'header'
  /** Token of the session; null before the sign-in, when only the cookie's counts. */
  readonly sessionToken: string | null
  /** TOLLGATE_PUBLIC_URL's origin, ours besides the Host as sent; null when unset. */
  readonly publicOrigin: string | null
}

/** Checks one write. The caller has established who it is before (401 comes first). */
export function csrfFault({ call, door, via, sessionToken, publicOrigin }: CsrfCase): CsrfFault | null {
  if (isFromElsewhere(call, publicOrigin)) return 'foreignOrigin'
  if (via === 'header') return null
  // A browser always sends one of them with a write; a program that sends neither needs no token at the REST doors.
  if (call.header('origin') === '' && call.header('referer') === '') return door === 'rest' ? null : 'noOrigin'
  const token = call.header('x-csrftoken') || formToken(call)
  if (token === '') return 'tokenMissing'
  const cookie = readCookie(call.header('cookie'), csrfCookie)
  return same(token, sessionToken ?? '') || same(token, cookie) ? null : 'tokenWrong'
}

/** A browser wrote this on behalf of another site's page. */
export const isFromElsewhere = (call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): boolean =>
  ['origin', 'referer'].some((name) => {
    const url = call.header(name)
    return url !== '' && !isOwnOrigin(url, call, publicOrigin)
  })

/** `null` (sandboxed pages) and anything that is no URL belong to another site. */
export function isOwnOrigin(url: string, call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): boolean {
  const origin = originOf(url)
  if (origin === null) return false
  return origin === publicOrigin || origin === originOf(`${call.secure ? 'https' : 'http'}://${call.header('host')}`)
}

export function originOf(url: string): string | null {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? null : origin
}

const formToken = (call: Pick<Call, 'header' | 'body'>): string =>
  mediaTypeOf(call) === 'application/x-www-form-urlencoded'
    ? (parseForm(call.body)?.get('csrfmiddlewaretoken') ?? '')
    : ''

const same = (token: string, expected: string): boolean => tokenForm.test(expected) && isSameText(token, expected)
