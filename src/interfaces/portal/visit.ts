import { clientAuthor } from '../../billing/clients/author.ts'
import type { Author } from '../../domain/author.ts'
import { isLanguage, type Language } from '../../domain/language.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { readCookie, setCookie } from '../../platform/http/cookies.ts'
import { csrfCookie } from '../../platform/http/csrf.ts'
import { preferredLanguage } from '../../platform/http/languages.ts'
import { newCsrfToken } from '../../platform/staff/sessions.ts'
import type { Texts } from './texts/ru.ts'
import { texts } from './texts/texts.ts'

/** A request for a page: in which words it is answered, and the token its forms carry. */
export type Visit = {
  readonly call: Call
  readonly language: Language
  readonly texts: Texts
  readonly csrfToken: string
  /** Cookies that go out with the answer. */
  readonly cookies: NonNullable<Reply['headers']>
}

const languageCookie = 'lklang'
const yearSeconds = 365 * 24 * 3600

/** `?lang=` decides and is remembered, then the cookie of an earlier choice, then what the browser asks for. */
export function visitOf(call: Call): Visit {
  const { secure } = call
  const sentCookies = call.header('cookie')
  const chosen = call.query.get('lang') ?? ''
  const remembered = readCookie(sentCookies, languageCookie)
  const language = [chosen, remembered].find(isLanguage) ?? preferredLanguage(call.header('accept-language'))
  const sentToken = readCookie(sentCookies, csrfCookie)
  // The token of an open form stays good when a second page is opened.
  const csrfToken = /^[0-9a-f]{64}$/.test(sentToken) ? sentToken : newCsrfToken()
  const cookies = [
    isLanguage(chosen) && setCookie(languageCookie, chosen, { secure, httpOnly: true, maxAgeSeconds: yearSeconds }),
    csrfToken !== sentToken && csrfHeader(call, csrfToken),
  ].filter((cookie) => cookie !== false)
  return { call, language, texts: texts[language], csrfToken, cookies }
}

/** As the web admin sets it: readable by scripts of ours. */
export const csrfHeader = (call: Pick<Call, 'secure'>, token: string): readonly [string, string] =>
  setCookie(csrfCookie, token, { secure: call.secure, httpOnly: false, maxAgeSeconds: yearSeconds })

/** Who is signed in; the gate lets nobody else in at the door `client`. */
export const authorOfVisit = ({ call }: Visit): Author =>
  clientAuthor('portal', call.client!.subscriberId, call.address)
