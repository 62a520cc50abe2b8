import type { TObject, TProperties } from 'typebox'
import { clientAuthor } from '../../billing/clients/author.ts'
import type { Language } from '../../domain/language.ts'
import type { Call, Reply, Route } from '../../platform/http/call.ts'
import type { Values } from '../../platform/http/fields.ts'
import { preferredLanguage } from '../../platform/http/languages.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { readBody } from './body.ts'
import { base, idempotencyKey, refusalAnswer } from './docs.ts'
import type { Asked, MobileParts, PhoneCall } from './parts.ts'
import { RateLimit, type Allowance } from './rate.ts'
import { tooMany } from './refusal.ts'
import { type Attempt, Repeats } from './repeats.ts'

type Work<A> = (asked: A) => Reply | Promise<Reply>
type Method = 'GET' | 'POST' | 'DELETE'
type Body<P extends TProperties> = Values<Pick<P, keyof P & string>>
type BodyDoc<P extends TProperties> = RouteDoc & { readonly body: TObject<P> }

/** Makes every route of the application: determines the client and the language and applies the rate limit. */
export class MobileDoors {
  readonly #clock: MobileParts['clock']
  readonly repeats: Repeats
  /**
   * Signed-in clients are counted apart from sign-ins and refreshes, so that an attack on the sign-in does not lock
   * them out.
   */
  readonly #ofClients = new RateLimit()
  readonly #ofAnonymous = new RateLimit()

  constructor({ clock, pool }: Pick<MobileParts, 'clock' | 'pool'>) {
    this.#clock = clock
    this.repeats = new Repeats(pool)
  }

  /** A route for a client who is signed in. */
  signedIn(method: Method, path: string, doc: RouteDoc, work: Work<PhoneCall>): Route {
    const handler = (call: Call) => {
      const client = call.client!
      const author = clientAuthor('phone', client.subscriberId, call.address)
      const asked = { call, language: languageOf(call), client, author }
      return this.#counted(this.#ofClients, String(client.subscriberId), asked, work)
    }
    return { method, path: base + path, door: 'mobile', doc: limited(doc), handler }
  }

  /** A POST of a client, whose body is read by the schema that documents it. */
  write<P extends TProperties>(
    path: string,
    doc: BodyDoc<P>,
    work: (phone: PhoneCall, body: Body<P>) => Promise<Reply>,
  ): Route {
    return this.signedIn('POST', path, doc, (phone) => {
      const read = readBody(phone, doc.body)
      return 'refusal' in read ? read.refusal : work(phone, read.body)
    })
  }

  /** The same for a write that is carried out once, however often it comes with the same Idempotency-Key. */
  once<P extends TProperties>(
    path: string,
    doc: BodyDoc<P>,
    work: (phone: PhoneCall, body: Body<P>, attempt: Attempt) => Promise<Reply>,
  ): Route {
    return this.signedIn('POST', path, onceDoc(doc), (phone) => {
      const read = readBody(phone, doc.body)
      if ('refusal' in read) return read.refusal
      return this.repeats.once(phone, read.sent, (attempt) => work(phone, read.body, attempt))
    })
  }

  /**
   * A route of the sign-in, which READ_ONLY_MODE allows (contract section 3). `who` returns the key to count a request
   * by: the address with the name or token it tries.
   */
  anonymous(path: string, doc: RouteDoc, who: (asked: Asked) => string, work: Work<Asked>): Route {
    const handler = (call: Call) => {
      const asked = { call, language: languageOf(call) }
      return this.#counted(this.#ofAnonymous, who(asked), asked, work)
    }
    return { method: 'POST', path: base + path, door: 'app', allowedReadOnly: true, doc: limited(doc), handler }
  }

  #counted<A extends Asked>(limit: RateLimit, key: string, asked: A, work: Work<A>): Reply | Promise<Reply> {
    const nowMs = this.#clock.now().getTime()
    const allowance = limit.take(key, nowMs)
    const headers = headersOf(limit, allowance)
    if (!allowance.isAllowed)
      return tooMany(asked, Math.max(1, Math.ceil((allowance.freeAtMs - nowMs) / 1000)), headers)
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
const limited = (doc: RouteDoc): RouteDoc => ({
  ...doc,
  headers: { ...acceptLanguage, ...doc.headers },
  answers: {
    ...doc.answers,
    429: refusalAnswer('More than 30 requests in a minute; Retry-After says when to come back'),
  },
})

/** Adds what every write with an Idempotency-Key has in common to its description. */
export const onceDoc = (doc: RouteDoc): RouteDoc => ({
  ...doc,
  headers: idempotencyKey,
  answers: { ...doc.answers, 409: refusalAnswer('conflict') },
})

const acceptLanguage = { 'Accept-Language': { doc: 'ru (usual) or en: the language of texts' } }
