/**
 * The part of uWebSockets.js that this program uses, with the types that the package lacks or declares wrongly (the
 * exclusive-port flag, the compression constants, `listen` with host and options). No other file imports the package.
 */
import './uws-limits.ts'
import * as native from 'uWebSockets.js'

/**
 * HttpRequest is valid only until the handler returns, and NativeSocket until its close callback does. `send` returns
 * 0: queued because of backpressure, 1: sent, 2: dropped because the backpressure limit is reached.
 */
export type {
  HttpRequest,
  us_listen_socket as ListenSocket,
  us_socket_context_t as UpgradeContext,
  WebSocket as NativeSocket,
} from 'uWebSockets.js'

/** Every handler is there. */
export type NativeBehaviour<T> = native.WebSocketBehavior<T> &
  Required<Pick<native.WebSocketBehavior<T>, 'upgrade' | 'open' | 'message' | 'pong' | 'drain' | 'close'>>

/** Valid until it is answered or aborted; any later use throws. The type of the package allows any other member too. */
export type HttpResponse = {
  writeStatus(status: string): HttpResponse
  writeHeader(name: string, value: string): HttpResponse
  end(body: string | Buffer, closeConnection?: boolean): HttpResponse
  /**
   * Writes a chunk of a body of unknown length. false: it is buffered, because the client is slow; see `onWritable`.
   */
  write(chunk: string | Uint8Array): boolean
  /** Called when the client has taken part of the buffer. The rest of the buffer is sent only on the next `write`. */
  onWritable(callback: (offset: number) => boolean): HttpResponse
  /**
   * With a length as argument the response never completes (seen in 20.0.8), so Content-Length is written as a header
   * instead.
   */
  endWithoutBody(): HttpResponse
  close(): HttpResponse
  cork(callback: () => void): HttpResponse
  onAborted(callback: () => void): HttpResponse
  onData(callback: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse
  getRemoteAddressAsText(): ArrayBuffer
  upgrade<T>(data: T, key: string, protocol: string, extensions: string, context: native.us_socket_context_t): void
}

type Listened = (socket: native.us_listen_socket | false) => void

export type NativeApp = {
  any(pattern: string, handler: (res: native.HttpResponse, req: native.HttpRequest) => void): void
  ws<T>(pattern: string, behaviour: NativeBehaviour<T>): void
  listen(host: string, port: number, options: number, callback: Listened): void
  close(): void
}

const constants = native as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number; DISABLED: native.CompressOptions }

/**
 * TLS is 1.2 or 1.3, the least that uWebSockets.js takes. These are the suites of 1.2, all with forward secrecy; those
 * of 1.3 have it in any case.
 */
const forwardSecret = 'ECDHE+AESGCM:ECDHE+CHACHA20'

/**
 * The handlers of an app. uWebSockets.js keeps them until the process ends, and behind them stands the whole program;
 * here they are let go when the app is closed.
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

export function createApp(tls: { certFile: string; keyFile: string } | null): NativeApp {
  const handlers = new Handlers()
  const app = tls
    ? native.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile, ssl_ciphers: forwardSecret })
    : native.App()
  const listen = app.listen.bind(app) as unknown as NativeApp['listen']
  return {
    any: (pattern, handler) => app.any(pattern, handlers.hold(handler)),
    ws: (pattern, { upgrade, open, message, pong, drain, close, ...terms }) =>
      app.ws(pattern, {
        ...terms,
        upgrade: handlers.hold(upgrade),
        open: handlers.hold(open),
        message: handlers.hold(message),
        pong: handlers.hold(pong),
        drain: handlers.hold(drain),
        close: handlers.hold(close),
      }),
    listen,
    close: () => {
      app.close()
      handlers.letGo()
    },
  }
}

export const { us_listen_socket_close: closeListenSocket, us_socket_local_port: localPort } = native
/** Without this option a second listener on a used port succeeds and shares the port. */
export const exclusivePort = constants.LIBUS_LISTEN_EXCLUSIVE_PORT
export const noCompression = constants.DISABLED
