import { clientAuthor } from '../../billing/clients/author.ts'
import type { Author } from '../../domain/author.ts'
import type { Language } from '../../domain/language.ts'
import type { Call, Handler, Reply } from '../../platform/http/call.ts'
import type { ClientUser } from '../../platform/http/client-user.ts'
import { preferredLanguage } from '../../platform/http/languages.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { refusalAnswer } from './docs.ts'
import { RateLimit, type Allowance } from './rate.ts'
import { refused } from './refusal.ts'

/** A request and the language of its answer. */
export type Asked = { readonly call: Call; readonly language: Language }

/** A request of a client who is signed in. */
export type PhoneCall = Asked & { readonly client: ClientUser; readonly author: Author }

type Work<A> = (asked: A) => Reply | Promise<Reply>
type Now = { now(): Date }

/** Wraps every handler of the application: determines the client and the language and applies the rate limit. */
export class MobileDoors {
  readonly #clock: Now
  /**
   * Signed-in clients are counted apart from sign-ins and refreshes, so that an attack on the sign-in does not lock
   * them out.
   */
  readonly #ofClients = new RateLimit()
  readonly #ofAnonymous = new RateLimit()

  constructor(clock: Now) {
    this.#clock = clock
  }

  signedIn(work: Work<PhoneCall>): Handler {
    return (call) => {
      const client = call.client!
      const author = clientAuthor('phone', client.subscriberId, call.address)
      const asked = { call, language: languageOf(call), client, author }
      return this.#counted(this.#ofClients, String(client.subscriberId), asked, work)
    }
  }

  /**
   * Handles a request without a client. `who` returns the key to count it by: the address with the name or token it
   * tries.
   */
  anonymous(who: (asked: Asked) => string, work: Work<Asked>): Handler {
    return (call) => {
      const asked = { call, language: languageOf(call) }
      return this.#counted(this.#ofAnonymous, who(asked), asked, work)
    }
  }

  #counted<A extends Asked>(limit: RateLimit, key: string, asked: A, work: Work<A>): Reply | Promise<Reply> {
    const nowMs = this.#clock.now().getTime()
    const allowance = limit.take(key, nowMs)
    const headers = headersOf(limit, allowance)
    if (!allowance.isAllowed) {
      const seconds = Math.max(1, Math.ceil((allowance.freeAtMs - nowMs) / 1000))
      return refused(asked, 429, 'too_many_requests', { seconds }, [...headers, ['Retry-After', String(seconds)]])
    }
    const reply = work(asked)
    return reply instanceof Promise ? reply.then((late) => withHeaders(late, headers)) : withHeaders(reply, headers)
  }
}

type Headers = NonNullable<Reply['headers']>

const withHeaders = (reply: Reply, headers: Headers): Reply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...headers],
})

/** The headers that report the rate limit. Reset is a Unix timestamp in seconds. */
const headersOf = ({ terms }: RateLimit, { remaining, freeAtMs }: Allowance): Headers => [
  ['X-RateLimit-Limit', String(terms.requestsMax)],
  ['X-RateLimit-Remaining', String(remaining)],
  ['X-RateLimit-Reset', String(Math.ceil(freeAtMs / 1000))],
]

export const languageOf = (call: Pick<Call, 'header'>): Language => preferredLanguage(call.header('accept-language'))

/** Adds what every rate-limited route has in common to its description. */
export const limited = (doc: RouteDoc): RouteDoc => ({
  ...doc,
  headers: { ...acceptLanguage, ...doc.headers },
  answers: {
    ...doc.answers,
    429: refusalAnswer('More than 30 requests in a minute; Retry-After says when to come back'),
  },
})

const acceptLanguage = { 'Accept-Language': { doc: 'ru (usual) or en: the language of texts' } }
