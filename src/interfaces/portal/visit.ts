import { clientAuthor } from '../../billing/clients/author.ts'
import type { Author } from '../../domain/author.ts'
import { catalogue, isLanguage, type Language } from '../../domain/language.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { readCookie, setCookie } from '../../platform/http/cookies.ts'
import { csrfCookie } from '../../platform/http/csrf.ts'
import { pageText, readFields } from '../../platform/http/form.ts'
import { preferredLanguage } from '../../platform/http/languages.ts'
import { newCsrfToken } from '../../platform/staff/sessions.ts'
import type { PortalParts } from './parts.ts'
import { en } from './texts/en.ts'
import { ru, type Texts } from './texts/ru.ts'

export const texts = catalogue({ ru, en })

/** The provider as its clients know it; '' for what the settings leave out. */
type Provider = { readonly name: string; readonly phone: string; readonly email: string }

/** A request for a page of the portal, with the language of the answer and the CSRF token for its forms. */
export type Visit = {
  readonly call: Call
  readonly language: Language
  readonly texts: Texts
  readonly csrfToken: string
  readonly provider: Provider
  /** Set-Cookie headers for the answer. */
  readonly cookies: NonNullable<Reply['headers']>
}

const languageCookie = 'lklang'
const yearSeconds = 365 * 24 * 3600

/** The language is that of `?lang=` (then kept in a cookie), else that of the cookie, else what the browser prefers. */
export function visitOf({ settings }: Pick<PortalParts, 'settings'>, call: Call): Visit {
  const { secure } = call
  const sentCookies = call.header('cookie')
  const chosen = call.query.get('lang') ?? ''
  const remembered = readCookie(sentCookies, languageCookie)
  const language = [chosen, remembered].find(isLanguage) ?? preferredLanguage(call.header('accept-language'))
  const sentToken = readCookie(sentCookies, csrfCookie)
  // A valid token is kept, so that a form that is already open stays valid when a second page is opened.
  const csrfToken = /^[0-9a-f]{64}$/.test(sentToken) ? sentToken : newCsrfToken()
  const cookies = [
    isLanguage(chosen) && setCookie(languageCookie, chosen, { secure, httpOnly: true, maxAgeSeconds: yearSeconds }),
    csrfToken !== sentToken && csrfHeader(call, csrfToken),
  ].filter((cookie) => cookie !== false)
  const provider = {
    name: settings.get('MOBILE_BRAND_NAME'),
    phone: settings.get('MOBILE_SUPPORT_PHONE'),
    email: settings.get('MOBILE_SUPPORT_EMAIL'),
  }
  return { call, language, texts: texts[language], csrfToken, provider, cookies }
}

/** The fields of a form as texts; '' for what is left out. Of a form that cannot be read, all are. */
export function formTexts(call: Call): (name: string) => string {
  const read = readFields(call)
  return textsOf(read.kind === 'fields' ? read.fields : {})
}

export const textsOf =
  (fields: Readonly<Record<string, unknown>>) =>
  (name: string): string =>
    pageText(fields[name])

/** The CSRF cookie as the web admin sets it: not HttpOnly, so that our own scripts can read it. */
export const csrfHeader = (call: Pick<Call, 'secure'>, token: string): readonly [string, string] =>
  setCookie(csrfCookie, token, { secure: call.secure, httpOnly: false, maxAgeSeconds: yearSeconds })

/** The client as author of a change. At the door `client` the gate admits only calls with a client. */
export const authorOfVisit = ({ call }: Visit): Author =>
  clientAuthor('portal', call.client!.subscriberId, call.address)
