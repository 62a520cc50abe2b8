import type { Call, Reply } from '../http/call.ts'
import { setCookie } from '../http/cookies.ts'
import { csrfCookie } from '../http/csrf.ts'
import { sessionTerms } from './sessions.ts'
import { sessionCookie } from './sign-in.ts'

/** A session that has just begun; its key goes to the browser and is not kept. */
export type NewSession = { readonly key: string; readonly csrfToken: string }

const yearSeconds = 365 * 24 * 3600

/** The cookies of a browser that has just signed in. */
export const sessionCookies = (call: Call, { key, csrfToken }: NewSession): NonNullable<Reply['headers']> => [
  setCookie(sessionCookie, key, { secure: call.secure, httpOnly: true, maxAgeSeconds: sessionTerms.lifeMs / 1000 }),
  csrfHeader(call, csrfToken),
]

/** Not HttpOnly, because our own scripts read the cookie to fill X-CSRFToken. */
export const csrfHeader = (call: Call, token: string): readonly [string, string] =>
  setCookie(csrfCookie, token, { secure: call.secure, httpOnly: false, maxAgeSeconds: yearSeconds })
