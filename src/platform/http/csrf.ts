import { isSameText } from '../same-text.ts'
import { mediaTypeOf, splitForm, unescaped } from './form.ts'
import type { Call, Door } from './call.ts'
import { readCookie } from './cookies.ts'

/** Why a write may have been sent by a browser against the will of its user (contract section 3). */
type CsrfFault = 'crossSite' | 'noOrigin' | 'tokenMissing' | 'tokenWrong'

export const csrfFaultText = {
  crossSite: 'CSRF Failed: the request comes from another site (Origin or Referer).',
  noOrigin: 'CSRF Failed: neither Origin nor Referer was sent.',
  tokenMissing: 'CSRF Failed: CSRF token missing.',
  tokenWrong: 'CSRF Failed: CSRF token incorrect.',
} as const satisfies Record<CsrfFault, string>

export const csrfCookie = 'csrftoken'
/**
 * Our tokens are 64 hex digits. The minimum length ensures that an empty or short cookie never matches an empty field.
 */
const tokenForm = /^[0-9A-Za-z]{32,128}$/

export type CsrfCase = {
  readonly call: Pick<Call, 'header' | 'body' | 'secure'>
  readonly door: Door
  /** How the caller authenticated. Browsers send only cookies on their own. */
  readonly via: 'cookie' | 'header'
  /** The token of the session; null before the sign-in, when only the token in the cookie counts. */
  readonly sessionToken: string | null
  /**
   * The origin of TOLLGATE_PUBLIC_URL, which is accepted as our own besides that of the Host header; null when unset.
   */
  readonly publicOrigin: string | null
}

/**
 * Checks a write and returns what is wrong with it, or null. The caller is authenticated before, because 401 precedes
 * 403.
 */
export function csrfFault({ call, door, via, sessionToken, publicOrigin }: CsrfCase): CsrfFault | null {
  if (isCrossSite(call, publicOrigin)) return 'crossSite'
  if (via === 'header') return null
  // Browsers send one of the two with every write. A caller that sends neither is a program, which needs no token for
  // REST.
  if (call.header('origin') === '' && call.header('referer') === '') return door === 'rest' ? null : 'noOrigin'
  const token = call.header('x-csrftoken') || formToken(call)
  if (token === '') return 'tokenMissing'
  const cookie = readCookie(call.header('cookie'), csrfCookie)
  return isSameToken(token, sessionToken ?? '') || isSameToken(token, cookie) ? null : 'tokenWrong'
}

/** Whether Origin or Referer shows that a page of another site made the browser send the request. */
export const isCrossSite = (call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): boolean =>
  ['origin', 'referer'].some((name) => {
    const url = call.header(name)
    return url !== '' && !isOwnOrigin(url, call, publicOrigin)
  })

/**
 * Whether a page of another site, or of another host of our site, made the browser send a GET that changes something. A
 * browser without Sec-Fetch-Site shows it by the Referer. An address that was typed and a request of a program have
 * neither.
 */
export function isSentByOthers(call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): boolean {
  const site = call.header('sec-fetch-site')
  return site === '' ? isCrossSite(call, publicOrigin) : site !== 'same-origin' && site !== 'none'
}

/** Whether a URL is of our own origin. `null`, which sandboxed pages send, and anything that is not a URL are not. */
export function isOwnOrigin(url: string, call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): boolean {
  const origin = originOf(url)
  if (origin === null) return false
  return origin === publicOrigin || origin === originOf(`${call.secure ? 'https' : 'http'}://${call.header('host')}`)
}

/** The origin of a URL; null when it has none. */
export function originOf(url: string): string | null {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? null : origin
}

const tokenField = Buffer.from('csrfmiddlewaretoken')

function formToken(call: Pick<Call, 'header' | 'body'>): string {
  if (mediaTypeOf(call) !== 'application/x-www-form-urlencoded') return ''
  const field = splitForm(call.body)?.find(({ name }) => name.equals(tokenField))
  return field ? unescaped(field.value).toString() : ''
}

const isSameToken = (token: string, expected: string): boolean =>
  tokenForm.test(expected) && isSameText(token, expected)
