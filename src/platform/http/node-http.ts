/**
 * The HTTP transport by node:http and the package `ws`, for every version of Node. It costs more CPU a request than
 * uWebSockets.js (native-bench has the figures) and differs outside in what HTTP leaves open: it serves HTTP/1.0, keeps
 * requests that are pipelined behind a slow one, and answers unknown methods with 400.
 */
import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { refusalText } from './errors.ts'
import { NodeResponse, requestOf } from './node-exchange.ts'
import { NodeSocket } from './node-socket.ts'
import {
  asksForSocket,
  forwardSecret,
  headBytesMax,
  idleSeconds,
  type SocketHandlers,
  type TlsFiles,
  type Transport,
  type TransportApp,
} from './transport.ts'

/** The suites of TLS 1.3, which have to be named because OpenSSL would otherwise leave TLS 1.3 out. */
const suitesOfTls13 = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256'

/** With the callback that decides which requests are upgrades; the types of Node 22 do not have it yet. */
type Options = ServerOptions & { readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean }

/** How often Node looks for connections that are too slow to send a head. */
const lookEveryMs = 2_000

class NodeApp implements TransportApp {
  readonly #server: Server
  readonly #paths = new Map<string, (request: IncomingMessage, tcp: Duplex, head: Buffer) => void>()
  readonly #upgraded = new Set<Duplex>()

  constructor(tls: TlsFiles | null) {
    const options: Options = {
      maxHeaderSize: headBytesMax,
      headersTimeout: idleSeconds * 1_000,
      // How slow a body may be is decided as it arrives.
      requestTimeout: 0,
      keepAliveTimeout: idleSeconds * 1_000,
      connectionsCheckingInterval: lookEveryMs,
      shouldUpgradeCallback: (request) => this.#isUpgrade(request),
    }
    this.#server = tls
      ? createTlsServer({
          ...options,
          cert: readFileSync(tls.certFile),
          key: readFileSync(tls.keyFile),
          minVersion: 'TLSv1.2',
          ciphers: `${suitesOfTls13}:${forwardSecret}`,
          handshakeTimeout: idleSeconds * 1_000,
        })
      : createServer(options)
    this.#server.on('clientError', refuseUnreadable)
    // Before the handshake is over nobody can be answered: what is written waits for it, and the connection would stay.
    this.#server.on('tlsClientError', (_: Error, tcp: Duplex) => tcp.destroy())
    this.#server.on('upgrade', (request: IncomingMessage, tcp: Duplex, head: Buffer) => {
      // A Node that does not know the callback takes every request with an Upgrade for one of ours.
      if (!this.#isUpgrade(request)) return refuse(tcp, 400, STATUS_CODES[400]!)
      this.#upgraded.add(tcp)
      tcp.once('close', () => this.#upgraded.delete(tcp)).on('error', () => tcp.destroy())
      // The timeout is that of an answer that the client does not take. A WebSocket has none.
      tcp.once('timeout', () => tcp.destroy())
      this.#paths.get(pathOf(request))!(request, tcp, head)
    })
  }

  any(handler: Parameters<TransportApp['any']>[0]): void {
    this.#server.on('request', (request: IncomingMessage, answer: ServerResponse<IncomingMessage>) =>
      handler(new NodeResponse(request, answer), requestOf(request)),
    )
  }

  ws<T>(path: string, handlers: SocketHandlers<T>): void {
    const protocols = new WeakMap<IncomingMessage, string>()
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: handlers.maxPayloadLength,
      handleProtocols: (_, request) => protocols.get(request) || false,
    })
    this.#paths.set(path, (request, tcp, head) => {
      const answer = new ServerResponse(request)
      // Whoever is refused may not go on with another request: what follows was meant as frames.
      answer.shouldKeepAlive = false
      answer.assignSocket(tcp as TcpSocket)
      // Node closes nothing behind the answer to an upgrade.
      answer.once('finish', () => (tcp as TcpSocket).destroySoon())
      const accept = (data: unknown, protocol: string) => {
        answer.detachSocket(tcp as TcpSocket)
        protocols.set(request, protocol)
        sockets.handleUpgrade(request, tcp, head, (socket) => {
          const opened = new NodeSocket<T>(socket, tcp as TcpSocket, data as T, handlers)
          handlers.open(opened)
        })
      }
      handlers.upgrade(new NodeResponse(request, answer, accept), requestOf(request), {})
    })
  }

  listen(host: string, port: number): Promise<number | null> {
    return new Promise((resolve) => {
      const fail = () => resolve(null)
      this.#server.once('error', fail)
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.off('error', fail)
        resolve((this.#server.address() as AddressInfo).port)
      })
    })
  }

  stopListening(): void {
    this.#server.close()
  }

  close(): void {
    this.#server.closeAllConnections()
    for (const tcp of this.#upgraded) tcp.destroy()
  }

  #isUpgrade(request: IncomingMessage): boolean {
    const { headers } = request
    const wanted = asksForSocket(headers.upgrade, headers['sec-websocket-version'])
    return wanted && request.method === 'GET' && this.#paths.has(pathOf(request))
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0]!

/** The status by the code of llhttp for a head that is too long, and for one that does not come to its end in time. */
const statusOfFault: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
/** The codes of requests that could be read in two ways (RFC 9112 section 11.2). */
const ambiguousFaults = /^HPE_(UNEXPECTED_CONTENT_LENGTH|INVALID_CONTENT_LENGTH|INVALID_TRANSFER_ENCODING)$/

function refuseUnreadable(error: NodeJS.ErrnoException, tcp: Duplex): void {
  if (error.code === 'ECONNRESET' || !tcp.writable) return void tcp.destroy()
  const code = error.code ?? ''
  const status = statusOfFault[code] ?? 400
  refuse(tcp, status, ambiguousFaults.test(code) ? refusalText.ambiguous : STATUS_CODES[status]!)
}

function refuse(tcp: Duplex, status: number, sentence: string): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(sentence) + 1}`,
    'Connection: close',
  ]
  tcp.end(`${head.join('\r\n')}\r\n\r\n${sentence}\n`)
}

export const nodeTransport: Transport = { kind: 'node', createApp: (tls) => new NodeApp(tls) }
