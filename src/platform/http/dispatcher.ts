import { steadyMs } from '../actors/day-time.ts'
import type { ReadingTimes } from '../actors/reading-times.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { Unavailable } from '../unavailable.ts'
import { type CollectedBody, collectBody, usualBodyBytesMax } from './body.ts'
import type { Call, Reply } from './call.ts'
import { doorOfUnknownPath, methodNotAllowedText, refusal, refusalText } from './errors.ts'
import { clientGoneStatus } from './exchange.ts'
import type { Admission, Gate } from './gate.ts'
import { noContent, redirect } from './reply.ts'
import type { RequestContext } from './request-context.ts'
import type { Responder } from './responder.ts'
import { allowOf, type Found, type Router } from './routes.ts'
import type { HttpResponse } from './transport.ts'

type DispatcherParts = {
  readonly router: Router
  readonly gate: Gate
  readonly responder: Responder
  readonly tracing: Tracing | null
  /** Notices that the program stood still while others went on; null: there are no others. */
  readonly readingTimes: Pick<ReadingTimes, 'hasWaited'> | null
}

/** Takes a request through its steps: body, route, gate, handler. */
export class Dispatcher {
  readonly #router: Router
  readonly #gate: Gate
  readonly #responder: Responder
  readonly #tracing: Tracing | null
  readonly #readingTimes: DispatcherParts['readingTimes']
  /** While true, every request is answered with 503. */
  isStopping = false

  constructor({ router, gate, responder, tracing, readingTimes }: DispatcherParts) {
    this.#router = router
    this.#gate = gate
    this.#responder = responder
    this.#tracing = tracing
    this.#readingTimes = readingTimes
  }

  /** Called in the handler of the transport. Starts to collect the body before it returns, and never throws. */
  take(res: HttpResponse, context: RequestContext): void {
    const { request, exchange } = context
    try {
      if (request.isAmbiguous) {
        // uWebSockets.js serves what is pipelined behind an answered request, and closes behind an unanswered one.
        setImmediate(() => this.#refuse(context, 400, refusalText.ambiguous))
        return
      }
      const announced = request.bodyBytesAnnounced
      if (announced === 0) this.#serve(context)
      else if (announced > usualBodyBytesMax) this.#takeLarge(res, context, announced)
      else exchange.onAborted(collectBody(res, announced, (body) => this.#takeBody(context, body)))
    } catch (error) {
      this.#responder.fail(context, error)
    } finally {
      if (!context.isFinished) {
        request.detach({ keepAddress: true })
        exchange.onAborted(() => this.#responder.finish(context, clientGoneStatus))
      }
      exchange.leaveHandler()
    }
  }

  /**
   * Where the route takes a long body, it is collected while the gate looks at the caller, so that a stranger is
   * answered at once and makes the program hold nothing.
   */
  #takeLarge(res: HttpResponse, context: RequestContext, announced: number): void {
    const { request, exchange } = context
    this.#route(context)
    const bytesMax = context.route?.bodyBytesMax ?? usualBodyBytesMax
    const leave = collectBody(res, announced, (body) => this.#takeBody(context, body), bytesMax)
    exchange.onAborted(leave)
    if (announced > bytesMax || !context.route) return
    const refuse = (reply: Reply) => {
      leave()
      this.#responder.send(context, reply, true)
    }
    Promise.resolve(this.#gate.admit(request, context.route)).then(
      (admission) => admission.kind === 'refused' && refuse(admission.reply),
      // A caller who could not be checked now is checked again when the body is there.
      () => {},
    )
  }

  #takeBody(context: RequestContext, collected: CollectedBody): void {
    if (collected.kind === 'whole') {
      context.request.body = collected.body
      this.#serve(context)
      return
    }
    if (collected.kind === 'tooLarge') this.#refuse(context, 413, refusalText.tooLarge)
    else this.#refuse(context, 503, refusalText.busy, [['Retry-After', '1']])
  }

  /** Refuses a request whose body is not read any further, and closes its connection. */
  #refuse(context: RequestContext, status: number, sentence: string, headers?: Reply['headers']): void {
    this.#route(context)
    this.#responder.send(context, refusal(context.door, status, sentence, headers), true)
  }

  #serve(context: RequestContext): void {
    if (this.#readingTimes) context.readMs = steadyMs()
    try {
      const reply = this.#answer(context)
      if (reply instanceof Promise) {
        reply.then(
          (late) => this.#responder.send(context, late),
          (error: unknown) => this.#responder.fail(context, error),
        )
      } else this.#responder.send(context, reply)
    } catch (error) {
      this.#responder.fail(context, error)
    }
  }

  /** Returns a promise only when something must be waited for, so that other requests are answered in the same turn. */
  #answer(context: RequestContext): Reply | Promise<Reply> {
    const { request } = context
    const found = this.#route(context)
    if (this.isStopping) throw new Unavailable('stopping', 'The service is stopping.')
    if (this.#tracing) beginSpan(this.#tracing, context)
    if (found === 'malformed') return refusal(context.door, 400, refusalText.badPath)
    if (found === 'notFound') return refusal(context.door, 404, refusalText.notFound)
    request.path = found.path
    request.params = found.params
    const { route, door } = context
    if (!route && request.method === 'OPTIONS') return noContent([['Allow', allowOf(found.methods)]])
    const screen = route?.screen && isOpenedInWindow(request) ? route.screen(request) : null
    if (screen !== null) return redirect(screen)
    // An unknown method is answered with 405 only to callers who pass the gate.
    const admission = this.#gate.admit(request, route ?? { door, right: 'view', allowedReadOnly: true })
    if (admission instanceof Promise) return admission.then((known) => this.#handle(context, known, found))
    return this.#handle(context, admission, found)
  }

  /**
   * Refuses a change that waited while this node stood still. The balancer has given the node up meanwhile, so its
   * sender has asked another node, and may have changed something else since. A sender who still waits is told to ask
   * again.
   */
  #handle(context: RequestContext, admission: Admission, found: Found): Reply | Promise<Reply> {
    const { request, readMs } = context
    if (!isSafe(request.method) && this.#readingTimes?.hasWaited(readMs))
      throw new Unavailable('deadline', 'This program stood still while the request waited.')
    return handle(context, admission, found)
  }

  #route(context: RequestContext): Found | 'notFound' | 'malformed' {
    const { request } = context
    // Text columns of PostgreSQL cannot hold a NUL, and nobody has a reason to send one.
    const found = request.queryText.includes('%00') ? 'malformed' : this.#router.find(request.rawPath)
    if (typeof found === 'string') {
      context.door = doorOfUnknownPath(request.rawPath, request.header('accept'))
      return found
    }
    const anyRoute = found.methods.values().next().value!
    const method = request.method === 'HEAD' && !found.methods.has('HEAD') ? 'GET' : request.method
    context.route = found.methods.get(method) ?? null
    context.door = (context.route ?? anyRoute).door
    context.routePath = anyRoute.path
    return found
  }
}

/** Safe methods change nothing (RFC 9110 section 9.2.1). */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Only browsers send this Sec-Fetch-Mode; Accept alone says little, because Java asks for text/html by default. */
const isOpenedInWindow = (call: Call): boolean =>
  call.method === 'GET' && call.header('sec-fetch-mode') === 'navigate' && call.header('accept').startsWith('text/html')

/** Begins the span of a request. Its name has the pattern of the route, never what the caller has put in its place. */
function beginSpan(tracing: Tracing, { request, routePath }: RequestContext): void {
  const method = request.shownMethod
  const facts = { 'http.request.method': method, 'http.route': routePath, 'tollgate.request_id': request.id }
  request.span = tracing.request(`${method} ${routePath}`, request.header('traceparent'), request.startedMs, facts)
}

function handle({ route, request, door }: RequestContext, admission: Admission, found: Found): Reply | Promise<Reply> {
  if (admission.kind === 'refused') return route?.inFormat?.(request, admission.reply) ?? admission.reply
  request.staff = admission.staff
  request.client = admission.client
  if (!route) return refusal(door, 405, methodNotAllowedText(request.method), [['Allow', allowOf(found.methods)]])
  return route.handler(request)
}
