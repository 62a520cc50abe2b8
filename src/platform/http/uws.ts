/**
 * The HTTP transport by uWebSockets.js: the part of it that this program uses, with the types that the package lacks or
 * declares wrongly (the exclusive-port flag, the compression constants, `listen` with host and options). No other file
 * imports the package, and nothing imports this file but `choose-transport.ts`, because the binary is there for some
 * versions of Node only.
 */
import './uws-limits.ts'
import * as native from 'uWebSockets.js'
import {
  asksForSocket,
  forwardSecret,
  type HttpRequest,
  type HttpResponse,
  type SocketHandlers,
  type TlsFiles,
  type Transport,
  type TransportApp,
  type UpgradeContext,
} from './transport.ts'

type Upgrade = (res: HttpResponse, req: YieldingRequest, context: UpgradeContext) => void

type NativeTerms = Pick<native.WebSocketBehavior<unknown>, 'compression' | 'sendPingsAutomatically'>

/** A request that yields is given to the next handler of its path, which is `any` of createApp. */
type YieldingRequest = HttpRequest & { getHeader(name: string): string; setYield(yields: boolean): void }

type Listened = (socket: native.us_listen_socket | false) => void

/** The app with the requests, responses and sockets of transport.ts, because the package's types allow any member. */
type NativeApp = {
  any(pattern: string, handler: Parameters<TransportApp['any']>[0]): void
  ws<T>(pattern: string, behaviour: Omit<SocketHandlers<T>, 'upgrade'> & NativeTerms & { upgrade: Upgrade }): void
  listen(host: string, port: number, options: number, callback: Listened): void
  close(): void
}

const constants = native as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number; DISABLED: native.CompressOptions }

/**
 * The handlers of an app. uWebSockets.js keeps them until the process ends, and with them all that they refer to, which
 * is the whole program. So they are let go here when the app is closed.
 */
class Handlers {
  readonly #held: { handler: unknown }[] = []

  hold<Args extends readonly unknown[]>(handler: (...args: Args) => unknown): (...args: Args) => void {
    const held: { handler: typeof handler | null } = { handler }
    this.#held.push(held)
    return (...args) => void held.handler?.(...args)
  }

  letGo(): void {
    for (const held of this.#held) held.handler = null
  }
}

function createApp(tls: TlsFiles | null): TransportApp {
  const handlers = new Handlers()
  const app = (tls
    ? native.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile, ssl_ciphers: forwardSecret })
    : native.App()) as unknown as NativeApp
  let listening: native.us_listen_socket | null = null
  return {
    any: (handler) => app.any('/*', handlers.hold(handler)),
    ws: <T>(path: string, { upgrade, open, message, pong, drain, close, ...terms }: SocketHandlers<T>) =>
      app.ws(path, {
        ...terms,
        compression: constants.DISABLED,
        sendPingsAutomatically: true,
        upgrade: handlers.hold((res: HttpResponse, req: YieldingRequest, context: UpgradeContext) =>
          asksForSocket(req.getHeader('upgrade'), req.getHeader('sec-websocket-version'))
            ? upgrade(res, req, context)
            : req.setYield(true),
        ),
        open: handlers.hold(open),
        message: handlers.hold(message),
        pong: handlers.hold(pong),
        drain: handlers.hold(drain),
        close: handlers.hold(close),
      }),
    listen: (host, port) =>
      new Promise((resolve) => {
        // Without this option a second listener on a used port succeeds and shares the port.
        app.listen(host, port, constants.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
          if (socket) listening = socket
          resolve(socket ? native.us_socket_local_port(socket) : null)
        })
      }),
    stopListening: () => {
      if (listening) native.us_listen_socket_close(listening)
      listening = null
    },
    close: () => {
      app.close()
      handlers.letGo()
    },
  }
}

export const uwsTransport: Transport = { kind: 'uws', createApp }
