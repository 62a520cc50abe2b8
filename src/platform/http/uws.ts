/**
 * The part of uWebSockets.js that this program uses, with the types that the package lacks or declares wrongly (the
 * exclusive-port flag, the compression constants, `listen` with host and options). No other file imports the package.
 */
import './uws-limits.ts'
import * as native from 'uWebSockets.js'

export type ListenSocket = { readonly __listenSocket: unique symbol }
export type UpgradeContext = { readonly __upgradeContext: unique symbol }

/** Valid only until the handler returns. */
export type HttpRequest = {
  getCaseSensitiveMethod(): string
  getUrl(): string
  getQuery(): string | undefined
  getHeader(lowerCaseName: string): string
  forEach(callback: (name: string, value: string) => void): void
}

/** Valid until it is answered or aborted; any later use throws. */
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
  upgrade<T>(data: T, key: string, protocol: string, extensions: string, context: UpgradeContext): void
}

/** Valid until its close callback returns. */
export type NativeSocket<T> = {
  /** Returns 0: queued because of backpressure, 1: sent, 2: dropped because the backpressure limit is reached. */
  send(message: string | Buffer, isBinary?: boolean): number
  getBufferedAmount(): number
  end(code: number, reason: string): void
  close(): void
  getUserData(): T
}

export type NativeBehaviour<T> = {
  maxPayloadLength: number
  maxBackpressure: number
  idleTimeout: number
  compression: number
  sendPingsAutomatically: boolean
  readonly upgrade: (res: HttpResponse, req: HttpRequest, context: UpgradeContext) => void
  readonly open: (socket: NativeSocket<T>) => void
  readonly message: (socket: NativeSocket<T>, message: ArrayBuffer, isBinary: boolean) => void
  readonly drain: (socket: NativeSocket<T>) => void
  readonly close: (socket: NativeSocket<T>, code: number, reason: ArrayBuffer) => void
}

export type NativeApp = {
  any(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): NativeApp
  ws<T>(pattern: string, behaviour: NativeBehaviour<T>): NativeApp
  listen(host: string, port: number, options: number, callback: (socket: ListenSocket | false) => void): NativeApp
  close(): NativeApp
}

type Native = {
  App(): NativeApp
  SSLApp(options: { cert_file_name: string; key_file_name: string }): NativeApp
  us_listen_socket_close(socket: ListenSocket): void
  us_socket_local_port(socket: ListenSocket): number
  LIBUS_LISTEN_EXCLUSIVE_PORT: number
  DISABLED: number
}

const uws = native as unknown as Native

export const createApp = (tls: { certFile: string; keyFile: string } | null): NativeApp =>
  tls ? uws.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile }) : uws.App()

export const closeListenSocket = (socket: ListenSocket): void => uws.us_listen_socket_close(socket)
export const localPort = (socket: ListenSocket): number => uws.us_socket_local_port(socket)
/** Without this option a second listener on a used port succeeds and shares the port. */
export const exclusivePort = uws.LIBUS_LISTEN_EXCLUSIVE_PORT
export const noCompression = uws.DISABLED
