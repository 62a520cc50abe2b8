import { SignJWT } from 'jose'
import type { FcmCredentials } from './fcm-credentials.ts'
import { askProvider, beginningOf } from './http-answer.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The most Google allows. */
const assertionSeconds = 3600
/** A token is not used in its last minute: it could run out on the way. */
const spareMs = 60_000

export type TokenReading = { readonly token: string } | { readonly none: string }

/**
 * The access token of a service account (RFC 7523: a signed assertion becomes a token), asked for once for all messages
 * that wait for it and kept until it runs out or is refused.
 */
export class FcmToken {
  readonly #credentials: FcmCredentials
  readonly #now: () => Date
  #held: { token: string; until: number } | null = null
  #asking: Promise<TokenReading> | null = null

  constructor(credentials: FcmCredentials, now: () => Date) {
    this.#credentials = credentials
    this.#now = now
  }

  async read(stopping: AbortSignal): Promise<TokenReading> {
    if (this.#held && this.#now().getTime() < this.#held.until) return { token: this.#held.token }
    this.#asking ??= this.#ask(stopping).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /** The token was refused; the next message asks for another one. */
  forget(token: string): void {
    if (this.#held?.token === token) this.#held = null
  }

  async #ask(stopping: AbortSignal): Promise<TokenReading> {
    const { tokenUrl } = this.#credentials
    const body = new URLSearchParams({ grant_type: grant, assertion: await this.#assertion() })
    const answer = await askProvider(tokenUrl, { method: 'POST', body }, stopping)
    if ('silence' in answer) return { none: `Google gave no access token. ${answer.silence}` }
    const given = answer.ok ? readToken(answer.text) : null
    if (!given) {
      // A token in an answer that is otherwise wrong must not reach the screen.
      const said = answer.ok ? 'and no token' : beginningOf(answer.text)
      return { none: `Google gave no access token: ${answer.status} ${said}` }
    }
    this.#held = { token: given.token, until: this.#now().getTime() + given.seconds * 1000 - spareMs }
    return { token: given.token }
  }

  #assertion(): Promise<string> {
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
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(text) as Record<string, unknown>
    return typeof token === 'string' && token !== '' && typeof seconds === 'number' ? { token, seconds } : null
  } catch {
    return null
  }
}
