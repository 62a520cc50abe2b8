import type { Log } from '../log.ts'
import type { SignIn } from '../staff/sign-in.ts'
import { StartRefusal } from '../start-refusal.ts'
import { asUnavailable } from '../storage/unavailability.ts'
import { Unavailable } from '../unavailable.ts'
import { type TrustedProxies, trustedProxies } from './address.ts'
import { type CollectedBody, collectBody } from './body.ts'
import { discardBody } from './body-stream.ts'
import type { Call, Door, Reply, Route } from './call.ts'
import { conditional } from './conditional.ts'
import { doorOfUnknownPath, errorReply, methodNotAllowedText, refusal, refusalText } from './errors.ts'
import { clientGoneStatus, Exchange } from './exchange.ts'
import { type ClientDoors, createGate, type Gate } from './gate.ts'
import { checkTls, listenFault, type TlsFiles } from './listening.ts'
import { inWordsOfPhone } from './phone-words.ts'
import { noContent } from './reply.ts'
import { CopiedRequest } from './request.ts'
import { compileRoutes, type Found, type Router } from './routes.ts'
import { type SocketBehaviour, Sockets } from './sockets.ts'
import {
  closeListenSocket,
  createApp,
  exclusivePort,
  type HttpRequest,
  type HttpResponse,
  type ListenSocket,
  localPort,
  type NativeApp,
} from './uws.ts'

/** The HTTP edge: uWebSockets.js on one side, Call and Reply on the other. Nothing of uWS leaves this room. */
export type HttpServerOptions = {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls?: TlsFiles | undefined
  /** CIDRs of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  readonly trustProxy?: readonly string[] | undefined
  readonly log: Log
  readonly routes: readonly Route[]
  readonly signIn: SignIn
  /** READ_ONLY_MODE, asked at every write. */
  readonly isReadOnly: () => boolean
  /** Who may use the doors of the System API; left out: nobody. */
  readonly admitsSystem?: ((caller: Pick<Call, 'address' | 'header'>) => boolean) | undefined
  /** Who clients are, at the doors of the portal and of phones; left out: nobody. */
  readonly clients?: ClientDoors | undefined
  /** Draws a refusal at the doors `client` and `guest` as a page in the client's language; left out: a bare sentence. */
  readonly clientPage?: ClientPage | undefined
  /** `routePath` is the pattern of the route or `unknown`, `method` a known one or `OTHER`: both are fit for metric labels. */
  readonly observe?: (method: string, routePath: string, status: number, seconds: number) => void
}

export type ClientPage = (call: Call, status: number, sentence: string, headers: Reply['headers']) => Reply

const sweepMs = 30_000

/** Not listening yet: add the WebSockets, then `listen`. Throws a sentence for wrong TLS files or CIDRs. */
export const createHttpServer = (options: HttpServerOptions): HttpServer => new HttpServer(options)

export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #app: NativeApp
  readonly #router: Router
  readonly #gate: Gate
  readonly #trusted: TrustedProxies
  readonly #sockets: Sockets
  readonly #drained: (() => void)[] = []
  #listenSocket: ListenSocket | null = null
  #sweeping: NodeJS.Timeout | undefined
  #inFlight = 0
  #isStopping = false

  constructor(options: HttpServerOptions) {
    const { log, routes, signIn, tls, trustProxy = [], isReadOnly, admitsSystem, clients } = options
    this.#options = options
    this.#trusted = trustedProxies(trustProxy)
    this.#router = compileRoutes([...signIn.routes, ...routes])
    this.#gate = createGate(signIn, isReadOnly, admitsSystem, clients)
    this.#sockets = new Sockets({
      signIn,
      onError: (error, where) =>
        log[asUnavailable(error) ? 'warn' : 'error']('A socket handler failed', { where, error }),
      onAnswer: (request, path, status) => this.#tell(request, path, status),
    })
    if (tls) checkTls(tls)
    this.#app = createApp(tls ?? null)
    this.#app.any('/*', (res, req) => this.#take(res, req))
  }

  /** Takes WebSockets at `path`, with or without a trailing slash. Call it before `listen`. */
  ws<T>(path: string, behaviour: SocketBehaviour<T>): void {
    const native = this.#sockets.native(path, behaviour, (res, req) => {
      const begun = this.#begin(res, req)
      begun?.request.leave({ keeps: true })
      begun?.exchange.leaveHandler()
      return begun
    })
    this.#app.ws(path, native)
    this.#app.ws(`${path}/`, native)
  }

  /** Answers the port; rejects with a sentence when it cannot be had. */
  async listen(): Promise<number> {
    const { host, port } = this.#options
    const socket = await new Promise<ListenSocket | false>((resolve) => {
      this.#app.listen(host, port, exclusivePort, resolve)
    })
    if (!socket) throw new StartRefusal(await listenFault(host, port))
    this.#listenSocket = socket
    this.#sweeping = setInterval(() => void this.#sockets.sweep(), sweepMs)
    this.#sweeping.unref()
    return localPort(socket)
  }

  /** Open WebSockets. */
  get socketCount(): number {
    return this.#sockets.count
  }

  /** Ends the sockets of staff who may not be here any more; call it after staff rows changed. Happens twice a minute besides. */
  recheckSockets(): Promise<void> {
    return this.#sockets.sweep()
  }

  /** Takes no new connection, lets requests in flight finish for at most `withinMs`, then closes everything. */
  async stop(withinMs = 5000): Promise<void> {
    if (this.#isStopping) return
    this.#isStopping = true
    clearInterval(this.#sweeping)
    if (this.#listenSocket) closeListenSocket(this.#listenSocket)
    this.#sockets.endAll()
    await this.#whenDrained(withinMs)
    this.#app.close()
  }

  async #whenDrained(withinMs: number): Promise<void> {
    if (this.#inFlight === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#drained.push(resolve)
      timer = setTimeout(resolve, withinMs)
    })
    clearTimeout(timer)
    if (this.#inFlight > 0) this.#options.log.warn('Requests were cut by the stop', { requests: this.#inFlight })
  }

  #begin(res: HttpResponse, req: HttpRequest): { request: CopiedRequest; exchange: Exchange } | null {
    const exchange = new Exchange(res)
    try {
      return { exchange, request: new CopiedRequest(res, req, this.#options.tls !== undefined, this.#trusted) }
    } catch (error) {
      this.#options.log.error('A request could not be read', { error })
      exchange.close()
      return null
    }
  }

  /** Called by uWS: everything of `req` is copied and the body's collection begun before it returns, and nothing is thrown. */
  #take(res: HttpResponse, req: HttpRequest): void {
    const begun = this.#begin(res, req)
    if (!begun) return
    const { request, exchange } = begun
    const context = new RequestContext(request, exchange)
    this.#inFlight++
    try {
      const announced = request.bodyBytesAnnounced
      if (announced === 0) {
        this.#serve(context)
        return
      }
      exchange.onAborted(collectBody(res, announced, (body) => this.#takeBody(context, body)))
    } catch (error) {
      this.#fail(context, error)
    } finally {
      if (!context.isFinished) {
        request.leave({ keeps: true })
        exchange.onAborted(() => this.#finish(context, clientGoneStatus))
      }
      exchange.leaveHandler()
    }
  }

  #takeBody(context: RequestContext, collected: CollectedBody): void {
    if (collected.kind === 'whole') {
      context.request.body = collected.body
      this.#serve(context)
      return
    }
    this.#route(context)
    const reply =
      collected.kind === 'tooLarge'
        ? refusal(context.door, 413, refusalText.tooLarge)
        : refusal(context.door, 503, refusalText.busy, [['Retry-After', '1']])
    this.#send(context, reply, true)
  }

  #serve(context: RequestContext): void {
    try {
      const reply = this.#answer(context)
      if (reply instanceof Promise) {
        reply.then(
          (late) => this.#send(context, late),
          (error: unknown) => this.#fail(context, error),
        )
      } else this.#send(context, reply)
    } catch (error) {
      this.#fail(context, error)
    }
  }

  /** The whole way of a request: route, who is it and may they, handler. Stays synchronous as long as nobody has to wait. */
  #answer(context: RequestContext): Reply | Promise<Reply> {
    const { request } = context
    if (this.#isStopping) throw new Unavailable('stopping', 'The service is stopping.')
    const found = this.#route(context)
    if (found === 'malformed') return refusal(context.door, 400, refusalText.badPath)
    if (found === 'notFound') return refusal(context.door, 404, refusalText.notFound)
    request.path = found.path
    request.params = found.params
    const { route } = context
    if (!route && request.method === 'OPTIONS') return noContent([['Allow', found.allow]])
    // A method the path does not know is 405 for everybody who may see the door.
    const admitted = this.#gate.admit(request, route ?? { door: context.door, right: 'view', allowedReadOnly: true })
    if (admitted instanceof Promise) return admitted.then((refused) => refused ?? handle(context, found))
    return admitted ?? handle(context, found)
  }

  #route(context: RequestContext): Found | 'notFound' | 'malformed' {
    const { request } = context
    // No text column of PostgreSQL can hold a NUL, and nobody has a reason to send one.
    const found = request.queryText.includes('%00') ? 'malformed' : this.#router.find(request.rawPath)
    if (typeof found === 'string') {
      context.door = doorOfUnknownPath(request.rawPath, request.header('accept'))
      return found
    }
    const anyRoute = found.methods.values().next().value!
    context.route =
      found.methods.get(request.method === 'HEAD' && !found.methods.has('HEAD') ? 'GET' : request.method) ?? null
    context.door = (context.route ?? anyRoute).door
    context.routePath = anyRoute.path
    return found
  }

  #send(context: RequestContext, plain: Reply, close = false): void {
    const { request, exchange } = context
    const drawn = this.#drawn(context, plain)
    const reply = context.route?.isConditional ? conditional(request, drawn) : drawn
    if (!exchange.isOpen) {
      // The client has gone: `onAborted` has finished the request.
      discardBody(reply.body)
      return
    }
    try {
      request.leave({ keeps: this.#isTold(request, reply.status) })
      const options = { head: request.method === 'HEAD', close: close || this.#isStopping }
      const streamed = exchange.send(reply, request.id, options)
      if (streamed) {
        streamed.then(
          () => this.#finish(context, reply.status),
          (error: unknown) => this.#fail(context, error),
        )
        return
      }
    } catch (error) {
      this.#options.log.error('An answer could not be written', { requestId: request.id, path: request.rawPath, error })
      exchange.send(refusal(context.door, 500, refusalText.internal), request.id, { close: true })
      this.#finish(context, 500)
      return
    }
    this.#finish(context, reply.status)
  }

  #drawn({ request, door }: RequestContext, reply: Reply): Reply {
    const { clientPage, log } = this.#options
    if (!reply.refused) return reply
    if (door === 'mobile' || door === 'app') return inWordsOfPhone(reply, request.header('accept-language'))
    if (!clientPage) return reply
    try {
      return clientPage(request, reply.status, reply.refused.sentence, reply.refused.headers)
    } catch (error) {
      log.error('A page could not be drawn', { requestId: request.id, error })
      return reply
    }
  }

  /** The outermost catch of this edge. */
  #fail(context: RequestContext, error: unknown): void {
    const { request } = context
    const { log } = this.#options
    const about = { requestId: request.id, method: request.shownMethod, path: request.shownPath }
    const unavailable = asUnavailable(error)
    if (unavailable) log.warn('A request could not be served now', { ...about, reason: unavailable.message })
    else log.error('A request failed', { ...about, error })
    const reply = errorReply(context.door, error)
    if (!context.exchange.hasBegun) {
      this.#send(context, reply)
      return
    }
    // Half an answer is out. A connection that ends without the last chunk is how the client learns of it.
    this.#finish(context, reply.status)
    context.exchange.close()
  }

  /** Once for each request. */
  #finish(context: RequestContext, status: number): void {
    if (context.isFinished) return
    context.isFinished = true
    this.#tell(context.request, context.routePath, status)
    if (--this.#inFlight === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** Access log and metrics. Never the query: sign-in by `?api=1` carries a password in it. */
  #tell(request: CopiedRequest, routePath: string, status: number): void {
    const { log, observe } = this.#options
    const ms = performance.now() - request.startedMs
    if (this.#isTold(request, status)) {
      log[isQuiet(request, status) ? 'debug' : 'info']('http', {
        requestId: request.id,
        method: request.shownMethod,
        path: request.shownPath,
        status,
        ms: Math.round(ms * 100) / 100,
        address: request.address,
        ...(request.staff && { staff: request.staff.username }),
      })
    }
    observe?.(request.shownMethod, routePath, status, ms / 1000)
  }

  #isTold(request: CopiedRequest, status: number): boolean {
    return !isQuiet(request, status) || this.#options.log.writes('debug')
  }
}

const isQuiet = ({ method }: CopiedRequest, status: number): boolean =>
  status < 400 && (method === 'GET' || method === 'HEAD')

/** One request on its way through. */
class RequestContext {
  readonly request: CopiedRequest
  readonly exchange: Exchange
  door: Door = 'public'
  route: Route | null = null
  routePath = 'unknown'
  isFinished = false

  constructor(request: CopiedRequest, exchange: Exchange) {
    this.request = request
    this.exchange = exchange
  }
}

function handle({ route, request, door }: RequestContext, found: Found): Reply | Promise<Reply> {
  if (!route) return refusal(door, 405, methodNotAllowedText(request.method), [['Allow', found.allow]])
  return route.handler(request)
}
