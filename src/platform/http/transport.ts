/**
 * What the HTTP server needs from below: requests, responses and WebSockets over TCP or TLS. `uws.ts` has it from
 * uWebSockets.js, a binary for some versions of Node; `node-http.ts` from node:http and the package `ws`, for all.
 */

/** Memory of the transport, valid only during the call: an ArrayBuffer from uWebSockets.js, else a Uint8Array. */
export type Borrowed = ArrayBuffer | Uint8Array<ArrayBuffer>

/** Valid only until the handler returns. */
export type HttpRequest = {
  /** As sent. */
  getCaseSensitiveMethod(): string
  /** The path as sent, percent-encoded, without the query. */
  getUrl(): string
  /** What follows the question mark. */
  getQuery(): string | undefined
  /** Every header line as sent, its name in lower case. */
  forEach(callback: (name: string, value: string) => void): void
}

/** Valid until it is answered or aborted; any later use may throw. */
export type HttpResponse = {
  writeStatus(status: string): HttpResponse
  writeHeader(name: string, value: string): HttpResponse
  /**
   * Behind pieces of a body it must not close: uWebSockets.js would write `Connection: close` between the last two.
   */
  end(body: string | Buffer, closeConnection?: boolean): HttpResponse
  /**
   * Writes a chunk of a body of unknown length. false: it is buffered, because the client is slow; see `onWritable`.
   */
  write(chunk: string | Uint8Array): boolean
  /**
   * Called when the client has taken part of the buffer. With uWebSockets.js the rest of the buffer is sent only on the
   * next `write`.
   */
  onWritable(callback: (offset: number) => boolean): HttpResponse
  endWithoutBody(): HttpResponse
  /** Cuts the connection. */
  close(): HttpResponse
  cork(callback: () => void): HttpResponse
  /** Called when the client leaves before it is answered. */
  onAborted(callback: () => void): HttpResponse
  onData(callback: (chunk: Borrowed, isLast: boolean) => void): HttpResponse
  getRemoteAddressAsText(): Borrowed
  upgrade<T>(data: T, key: string, protocol: string, extensions: string, context: UpgradeContext): void
}

export const socketVersion = '13'

/**
 * Whether a GET asks for a WebSocket (RFC 6455 section 4.2.1), by its Upgrade and Sec-WebSocket-Version. A proxy that
 * drops the Upgrade passes on what only means something beside it.
 */
export const asksForSocket = (upgrade: string | undefined, version: string | undefined): boolean =>
  upgrade?.toLowerCase() === 'websocket' && version === socketVersion

/** What the transport gave with the request and needs again when it carries out the upgrade. */
export type UpgradeContext = object

/** A copy of what is valid during the call only. */
export const copyOf = (borrowed: Borrowed): Buffer => Buffer.from(borrowed.slice(0) as ArrayBuffer)

/** An open WebSocket. Valid until its close callback has returned. */
export type TransportSocket<T> = {
  getUserData(): T
  /** 0: queued, because the client is slow; 1: sent; 2: dropped, because the limit of what waits is reached. */
  send(message: string | Uint8Array, isBinary: boolean): number
  /** What `work` sends leaves by one write. */
  cork(work: () => void): void
  ping(): void
  /** Closes with a close frame. The close callback is called at once. */
  end(code: number, reason: string): void
  getBufferedAmount(): number
}

export type SocketHandlers<T> = {
  /** The most bytes of a message; a longer one ends the socket. */
  readonly maxPayloadLength: number
  /** The most bytes that wait for a slow client. */
  readonly maxBackpressure: number
  /** Seconds of silence after which the transport may close the socket without a close frame. */
  readonly idleTimeout: number
  readonly upgrade: (res: HttpResponse, req: HttpRequest, context: UpgradeContext) => void
  readonly open: (socket: TransportSocket<T>) => void
  readonly message: (socket: TransportSocket<T>, message: Borrowed, isBinary: boolean) => void
  readonly pong: (socket: TransportSocket<T>) => void
  readonly drain: (socket: TransportSocket<T>) => void
  readonly close: (socket: TransportSocket<T>, code: number, reason: Borrowed) => void
}

export type TlsFiles = { readonly certFile: string; readonly keyFile: string }

export type TransportApp = {
  /** Takes every request that is no upgrade at a path of `ws`. */
  any(handler: (res: HttpResponse, req: HttpRequest) => void): void
  ws<T>(path: string, handlers: SocketHandlers<T>): void
  /** The port; null: it is not possible to listen there. */
  listen(host: string, port: number): Promise<number | null>
  /** Accepts no new connections and closes idle ones. */
  stopListening(): void
  /** Closes all connections. */
  close(): void
}

export type Transport = {
  readonly kind: 'uws' | 'node'
  createApp(tls: TlsFiles | null): TransportApp
}

export const transportKinds = ['auto', 'uws', 'node'] as const
export type TransportChoice = (typeof transportKinds)[number]

/** The most bytes of a request line and its headers; the usual 4 KiB are too few for a REST list with many filters. */
export const headBytesMax = 16 * 1024
/** A connection on which nothing is asked, sent or taken for so long is closed. */
export const idleSeconds = 10
/** A client that sends less of a body than this in `idleSeconds` is disconnected. */
export const slowestBodyBytes = idleSeconds * 16 * 1024

/**
 * TLS is 1.2 or 1.3. These are the suites of 1.2, all with forward secrecy; those of 1.3 have it in any case.
 */
export const forwardSecret = 'ECDHE+AESGCM:ECDHE+CHACHA20'
