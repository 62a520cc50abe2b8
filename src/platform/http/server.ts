import { setTimeout as pause } from 'node:timers/promises'
import type { ReadingTimes } from '../actors/reading-times.ts'
import type { Log } from '../log.ts'
import type { LogFields } from '../log-fields.ts'
import { StartRefusal } from '../start-refusal.ts'
import { asUnavailable } from '../storage/unavailability.ts'
import { AccessLog, type Observe } from './access-log.ts'
import { type TrustedProxies, trustedProxies } from './address.ts'
import type { Route } from './call.ts'
import { Dispatcher } from './dispatcher.ts'
import { Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import { InFlight } from './in-flight.ts'
import { checkTls, listenFault } from './listening.ts'
import { CopiedRequest } from './request.ts'
import { RequestContext } from './request-context.ts'
import { type ClientPage, Responder } from './responder.ts'
import { compileRoutes, type Router } from './routes.ts'
import type { SocketBehaviour } from './socket.ts'
import { type ClosedSocket, Sockets } from './sockets.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { HttpRequest, HttpResponse, TlsFiles, Transport, TransportApp } from './transport.ts'

export type HttpServerOptions = {
  readonly transport: Transport
  readonly host: string
  /** The TCP port; 0 picks a free one. */
  readonly port: number
  readonly tls?: TlsFiles | undefined
  /** CIDRs of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  readonly trustProxy?: readonly string[] | undefined
  readonly log: Log
  readonly routes: readonly Route[]
  readonly gate: Gate
  /** Renders refusals for clients as pages of the portal; without it they are a bare sentence. */
  readonly clientPage?: ClientPage | undefined
  readonly observe?: Observe
  /** Knows which requests wait for their answer; left out: the server has one of its own. */
  readonly inFlight?: InFlight
  /** Null: no request is traced. */
  readonly tracing?: Tracing | null
  /** Notices, in one of several programs, that it stood still: changes that waited meanwhile are not begun. */
  readonly readingTimes?: Pick<ReadingTimes, 'hasWaited'> | null
}

const sweepMs = 30_000
/**
 * How long a server whose clients were led away still serves when it is told to stop. Until a balancer has asked
 * again, it sends requests here, and what it sent before that is under way.
 */
const farewellMs = 1_000
/** How long a stop, with its farewell, waits for the requests in flight. */
const requestsMs = 5_000
const lookAfterSocketsMs = 5_000

/** A client that leaves, and a stop of the program, need no line of their own. */
const isUsual = ({ by, code }: ClosedSocket): boolean =>
  by === 'client' || (by === 'us' && (code === 1001 || code === 1012))

/**
 * The HTTP server: it translates between a transport and our own Call and Reply, and nothing of the transport leaves
 * platform/http. Add the WebSockets first, then call `listen`. The constructor throws an error with a sentence
 * for the operator when the TLS files or the CIDRs are wrong.
 */
export class HttpServer {
  /** All routes, for callers without a socket. */
  readonly router: Router
  readonly #options: HttpServerOptions
  readonly #app: TransportApp
  readonly #trusted: TrustedProxies
  readonly #inFlight: InFlight
  readonly #responder: Responder
  readonly #dispatcher: Dispatcher
  readonly #sockets: Sockets
  #isLeadingAway = false
  #sweeping: NodeJS.Timeout | undefined
  #lookingAfter: NodeJS.Timeout | undefined

  constructor(options: HttpServerOptions) {
    const {
      transport,
      log,
      routes,
      gate,
      tls,
      trustProxy = [],
      clientPage,
      observe,
      inFlight = new InFlight(),
      tracing = null,
      readingTimes = null,
    } = options
    this.#options = options
    this.#inFlight = inFlight
    this.#trusted = trustedProxies(trustProxy)
    const accessLog = new AccessLog(log, observe)
    this.#responder = new Responder({ log, accessLog, inFlight, clientPage })
    this.router = compileRoutes(routes)
    this.#dispatcher = new Dispatcher({ router: this.router, gate, responder: this.#responder, tracing, readingTimes })
    this.#sockets = new Sockets({
      gate,
      onError: (error, where) =>
        log[asUnavailable(error) ? 'warn' : 'error']('A socket handler failed', { where, error }),
      onAnswer: (request, path, status) => accessLog.add(request, path, status),
      onClosed: (closed) =>
        log[isUsual(closed) ? 'debug' : 'info']('A WebSocket was closed', closed satisfies LogFields),
    })
    if (tls) checkTls(tls)
    this.#app = transport.createApp(tls ?? null)
    this.#app.any((res, req) => this.#take(res, req))
  }

  /** Accepts WebSockets at `path`, with or without a trailing slash. Must be called before `listen`. */
  ws<T>(path: string, behaviour: SocketBehaviour<T>): void {
    const native = this.#sockets.native(path, behaviour, (res, req) => {
      const begun = this.#begin(res, req)
      begun?.request.detach({ keepAddress: true })
      begun?.exchange.leaveHandler()
      return begun
    })
    this.#app.ws(path, native)
    this.#app.ws(`${path}/`, native)
  }

  /** Starts to listen and returns the port. Rejects with a StartRefusal when the port is not available. */
  async listen(): Promise<number> {
    const { host, port } = this.#options
    const taken = await this.#app.listen(host, port)
    if (taken === null) throw new StartRefusal(await listenFault(host, port))
    this.#sweeping = setInterval(() => void this.#sockets.sweep(), sweepMs)
    this.#sweeping.unref()
    this.#lookingAfter = setInterval(() => this.lookAfterSockets(), lookAfterSocketsMs)
    this.#lookingAfter.unref()
    return taken
  }

  get transportKind(): Transport['kind'] {
    return this.#options.transport.kind
  }

  /** The number of open WebSockets. */
  get socketCount(): number {
    return this.#sockets.count
  }

  /**
   * Closes WebSockets whose session is no longer valid. To be called when rows of staff change; also runs twice a
   * minute.
   */
  recheckSockets(): Promise<void> {
    return this.#sockets.sweep()
  }

  /** Closes all WebSockets with 1012: their clients connect again, and a balancer gives them to another node. */
  endSocketsForRestart(): void {
    this.#sockets.endForRestart()
  }

  /**
   * Prepares for a stop: everything is served as before, but every connection is closed behind its next answer, and
   * WebSockets are closed at once. So clients connect anew, which leads them to another node, and few connections are
   * left on which a request could come while they are closed.
   */
  leadAway(): void {
    this.#isLeadingAway = true
    this.#responder.closesConnections = true
    this.endSocketsForRestart()
  }

  /** Resolves when nobody sends a request here any more who could have noticed that clients are being led away. */
  async farewell(): Promise<void> {
    if (this.#isLeadingAway) await pause(farewellMs)
  }

  /** Closes WebSockets whose client has been silent for too long. Runs every few seconds. */
  lookAfterSockets(): void {
    this.#sockets.lookAfter()
  }

  /** Accepts no new connections, waits at most `withinMs` for the requests in flight, then closes everything. */
  async stop(withinMs = this.#isLeadingAway ? requestsMs - farewellMs : requestsMs): Promise<void> {
    if (this.#dispatcher.isStopping) return
    this.#dispatcher.isStopping = true
    this.#responder.closesConnections = true
    clearInterval(this.#sweeping)
    clearInterval(this.#lookingAfter)
    this.#app.stopListening()
    this.#sockets.endAll()
    const requests = await this.#inFlight.drain(withinMs)
    if (requests > 0) this.#options.log.warn('Requests were cut by the stop', { requests })
    this.#app.close()
  }

  /** Copies the request. Returns null when it could not be read; its connection is closed then. */
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

  #take(res: HttpResponse, req: HttpRequest): void {
    const begun = this.#begin(res, req)
    if (!begun) return
    const context = new RequestContext(begun.request, begun.exchange)
    this.#inFlight.begin(context)
    this.#dispatcher.take(res, context)
  }
}
