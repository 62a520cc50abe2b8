import { membersOf } from '../../platform/formats/json.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import type { FcmCredentials } from './fcm-credentials.ts'
import { askProvider, beginningOf, readJson } from './http-answer.ts'
import { latePackages } from '../../platform/late-packages.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The longest lifetime of an assertion that Google allows. */
const assertionSeconds = 3600
/** A token is not used in its last minute, because it could expire before the request arrives. */
const expiryMarginMs = 60_000

export type TokenReading = { readonly token: string } | { readonly failure: string }

/**
 * The access token of a service account, obtained with a signed assertion (RFC 7523). All messages that wait for a
 * token share one request, and the token is reused until it expires or is refused.
 */
export class FcmToken {
  readonly #credentials: FcmCredentials
  readonly #http: OutgoingHttp
  readonly #now: () => Date
  #cached: { token: string; until: number } | null = null
  #pending: Promise<TokenReading> | null = null

  constructor(credentials: FcmCredentials, http: OutgoingHttp, now: () => Date) {
    this.#credentials = credentials
    this.#http = http
    this.#now = now
  }

  async read(stopping: AbortSignal): Promise<TokenReading> {
    if (this.#cached && this.#now().getTime() < this.#cached.until) return { token: this.#cached.token }
    this.#pending ??= this.#request(stopping).finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  /** Drops a token that was refused; the next message requests another one. */
  forget(token: string): void {
    if (this.#cached?.token === token) this.#cached = null
  }

  async #request(stopping: AbortSignal): Promise<TokenReading> {
    const { tokenUrl } = this.#credentials
    const body = new URLSearchParams({ grant_type: grant, assertion: await this.#assertion() })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', headers, body: body.toString() } as const
    const answer = await askProvider(this.#http, tokenUrl, request, stopping)
    if ('failure' in answer) return { failure: `Google gave no access token. ${answer.failure}` }
    const issued = answer.ok ? readToken(answer.text) : null
    if (!issued) {
      // The text of a successful answer may hold a token, which must not be shown to the operator.
      const detail = answer.ok ? 'and no token' : beginningOf(answer.text)
      return { failure: `Google gave no access token: ${answer.status} ${detail}` }
    }
    this.#cached = { token: issued.token, until: this.#now().getTime() + issued.seconds * 1000 - expiryMarginMs }
    return { token: issued.token }
  }

  async #assertion(): Promise<string> {
    const { SignJWT } = await latePackages.jose()
    const { clientEmail, key, tokenUrl } = this.#credentials
    const seconds = Math.floor(this.#now().getTime() / 1000)
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + assertionSeconds)
      .sign(key)
  }
}

function readToken(text: string): { token: string; seconds: number } | null {
  const { access_token: token, expires_in: seconds } = membersOf(readJson(text))
  return typeof token === 'string' && token !== '' && typeof seconds === 'number' ? { token, seconds } : null
}
