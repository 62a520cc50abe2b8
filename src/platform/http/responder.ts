import type { Log } from '../log.ts'
import type { LogFields } from '../log-fields.ts'
import { asUnavailable } from '../storage/unavailability.ts'
import type { AccessLog } from './access-log.ts'
import { discardBody } from './body-stream.ts'
import type { Call, Reply } from './call.ts'
import { conditional } from './conditional.ts'
import { errorReply, refusal, refusalText } from './errors.ts'
import type { InFlight } from './in-flight.ts'
import { translatedForPhone } from './phone-refusals.ts'
import type { RequestContext } from './request-context.ts'

/** Renders a refusal at the doors `client` and `guest` as a page in the client's language. */
export type ClientPage = (call: Call, status: number, sentence: string, headers: Reply['headers']) => Reply

type ResponderParts = {
  readonly log: Log
  readonly accessLog: AccessLog
  readonly inFlight: InFlight
  readonly clientPage?: ClientPage | undefined
}

/** Has browsers that came by TLS use nothing but TLS for the next year (RFC 6797). */
const transportSecurity = ['Strict-Transport-Security', 'max-age=31536000'] as const

/** Ends a request: sends its reply or its error once and logs it. */
export class Responder {
  readonly #parts: ResponderParts
  /** Whether connections are closed after their answer, because the server is stopping or will be stopped. */
  closesConnections = false

  constructor(parts: ResponderParts) {
    this.#parts = parts
  }

  send(context: RequestContext, plain: Reply, close = false): void {
    const { request, exchange } = context
    const shaped = this.#shaped(context, plain)
    const reply = request.secure ? { ...shaped, headers: [...(shaped.headers ?? []), transportSecurity] } : shaped
    if (!exchange.isOpen) {
      // The client has disconnected, and `onAborted` has finished the request.
      discardBody(reply.body)
      return
    }
    try {
      request.detach({ keepAddress: this.#parts.accessLog.writes(request, reply.status) })
      const options = { head: request.method === 'HEAD', close: close || this.closesConnections }
      const streamed = exchange.send(reply, request.id, options)
      if (streamed) {
        streamed.then(
          () => this.finish(context, reply.status),
          (error: unknown) => this.fail(context, error),
        )
        return
      }
    } catch (error) {
      this.#parts.log.error('An answer could not be written', { requestId: request.id, path: request.rawPath, error })
      exchange.send(refusal(context.door, 500, refusalText.internal), request.id, { close: true })
      this.finish(context, 500)
      return
    }
    this.finish(context, reply.status)
  }

  /** Answers a request whose handling threw an error, and logs the error. */
  fail(context: RequestContext, error: unknown): void {
    const { request } = context
    const { log } = this.#parts
    const about: LogFields = { requestId: request.id, method: request.shownMethod, path: request.rawPath }
    const unavailable = asUnavailable(error)
    if (unavailable) log.warn('A request could not be served now', { ...about, reason: unavailable.message })
    else log.error('A request failed', { ...about, error })
    const reply = errorReply(context.door, error)
    if (!context.exchange.hasBegun) {
      this.send(context, reply)
      return
    }
    // Part of the answer has been sent. Closing the connection before the last chunk shows the client that it is
    // incomplete.
    this.finish(context, reply.status)
    context.exchange.close()
  }

  /** Logs a request as answered with this status. Only the first call for a request has an effect. */
  finish(context: RequestContext, status: number): void {
    if (context.isFinished) return
    context.isFinished = true
    this.#parts.accessLog.add(context.request, context.routePath, status)
    context.request.span?.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined)
    this.#parts.inFlight.end(context)
  }

  /** The reply in the form for this caller: a page, a translation, or 304 when the client has the current body. */
  #shaped({ request, door, route }: RequestContext, reply: Reply): Reply {
    if (!reply.refused) return route?.isConditional ? conditional(request, reply) : reply
    if (door === 'mobile' || door === 'app') return translatedForPhone(reply, request.header('accept-language'))
    const { clientPage, log } = this.#parts
    if (!clientPage) return reply
    try {
      return clientPage(request, reply.status, reply.refused.sentence, reply.refused.headers)
    } catch (error) {
      log.error('A page could not be drawn', { requestId: request.id, error })
      return reply
    }
  }
}
