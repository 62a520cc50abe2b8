import type { Door, Reply } from './call.ts'
import { errorReply } from './errors.ts'
import { clientGoneStatus, type Exchange } from './exchange.ts'
import type { EndedSessions, Gate, SocketSession } from './gate.ts'
import type { CopiedRequest } from './request.ts'
import { Socket, type SocketBehaviour, type SocketState } from './socket.ts'
import {
  copyOf,
  type HttpRequest,
  type HttpResponse,
  type SocketHandlers,
  type TransportSocket,
  type UpgradeContext,
} from './transport.ts'

const signedOut = [4401, 'signed out'] as const
const goingAway = [1001, 'going away'] as const
const restarting = [1012, 'service restart'] as const
const silent = [4408, 'silent for too long'] as const
const tooLong = [1009, 'message too long'] as const
const failed = [1011, 'internal error'] as const
/** The close code of a socket for which no close frame came. */
const lostCode = 1006

const idleSecondsUsual = 60
/**
 * uWebSockets.js closes a silent socket, and one with a message beyond its limit, without a close frame. Its limits are
 * wider than ours, which say why. It keeps a message whose end has not come, so strangers may not send as much as
 * staff, and reads a text before we do, which takes the main thread some milliseconds at most.
 */
const idleGraceSeconds = 30
const messageBytesMaxNative = (door: Door): number => (door === 'public' ? 256 * 1024 : 8 * 1024 * 1024)
/** The reasons of uWebSockets.js for refusing what came in: a message that is too long, or no valid frame or text. */
const refusedNatively = /^Received (too big|invalid)/

/** Copies a request. Returns null when it could not be read; its connection is closed then. */
type Begin = (res: HttpResponse, req: HttpRequest) => { request: CopiedRequest; exchange: Exchange } | null

type SocketsOptions = {
  gate: Gate
  onError: (error: unknown, where: string) => void
  /** Called for each answered upgrade with 101 or the status of the refusal. */
  onAnswer: (request: CopiedRequest, path: string, status: number) => void
  /** Called for each socket that has closed, whoever closed it. */
  onClosed: (closed: ClosedSocket) => void
}

export type ClosedSocket = {
  readonly path: string
  readonly code: number
  readonly reason: string
  /** network: the connection ended without a close frame, and not because of what the client sent. */
  readonly by: 'us' | 'client' | 'network'
  readonly user: string | null
  readonly seconds: number
}

/** All open WebSockets of a server. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #open = new Set<Socket<unknown>>()
  #isClosing = false

  constructor(options: SocketsOptions) {
    this.#options = options
    options.gate.onSessionEnd((ended) => {
      for (const socket of this.#open) if (socket.session && isAmong(socket.session, ended)) socket.end(...signedOut)
    })
  }

  get count(): number {
    return this.#open.size
  }

  /** Closes sockets whose session has expired or whose staff user is disabled. To be called regularly. */
  async sweep(): Promise<void> {
    for (const socket of [...this.#open]) await endIfSignedOut(socket)
  }

  /** Pings sockets that are silent, and closes those that do not answer. To be called every few seconds. */
  lookAfter(): void {
    const nowMs = performance.now()
    for (const socket of [...this.#open]) {
      const silentMs = nowMs - socket.heardMs
      if (silentMs >= socket.idleMs) socket.end(...silent)
      else if (silentMs >= socket.idleMs / 2) socket.native?.ping()
    }
  }

  /** Closes all sockets with 1001 and accepts no new ones. */
  endAll(): void {
    this.#isClosing = true
    for (const socket of [...this.#open]) socket.end(...goingAway)
  }

  /** Closes all sockets with 1012, so that their clients connect again, perhaps to another node. */
  endForRestart(): void {
    for (const socket of [...this.#open]) socket.end(...restarting)
  }

  native<T>(path: string, behaviour: SocketBehaviour<T>, begin: Begin): SocketHandlers<SocketState<T>> {
    const { onError, onAnswer } = this.#options
    const { messageBytesMax = 64 * 1024, idleSeconds = idleSecondsUsual } = behaviour
    return {
      maxPayloadLength: Math.max(messageBytesMax, messageBytesMaxNative(behaviour.door)),
      maxBackpressure: behaviour.bufferedBytesMax ?? 1024 * 1024,
      idleTimeout: idleSeconds + idleGraceSeconds,
      upgrade: (res, req, context) => {
        const begun = begin(res, req)
        if (!begun) return
        const { request, exchange } = begun
        const keys = upgradeKeysOf(request)
        this.#state(behaviour, request).then(
          (opened) => onAnswer(request, path, answerUpgrade(opened, exchange, request, keys, context)),
          (error: unknown) => {
            onError(error, 'upgrade')
            const status = answerUpgrade(errorReply(behaviour.door, error), exchange, request, keys, context)
            onAnswer(request, path, status)
          },
        )
      },
      open: (native) => this.#opened(native, behaviour),
      message: (native, message, isBinary) => {
        const { socket } = native.getUserData()
        socket.heardMs = performance.now()
        if (message.byteLength > messageBytesMax) return socket.end(...tooLong)
        this.#guarded('message', () => behaviour.message(socket, copyOf(message), isBinary))
      },
      pong: (native) => {
        native.getUserData().socket.heardMs = performance.now()
      },
      drain: (native) => void this.#guarded('drain', () => behaviour.drain?.(native.getUserData().socket)),
      close: (native, code, reason) => {
        const { socket } = native.getUserData()
        socket.native = null
        this.#open.delete(socket)
        const text = copyOf(reason).toString('utf8')
        this.#options.onClosed(closedOf(socket, path, code, text))
        this.#guarded('close', () => behaviour.close?.(socket, code, text))
      },
    }
  }

  #opened<T>(native: TransportSocket<SocketState<T>>, behaviour: SocketBehaviour<T>): void {
    const { socket } = native.getUserData()
    socket.native = native
    this.#open.add(socket)
    if (this.#isClosing) socket.end(...goingAway)
    // A socket whose handler failed would otherwise stay open in silence.
    else if (!this.#guarded('open', () => behaviour.open?.(socket))) socket.end(...failed)
    // The session may have ended after it was let in and before it was among the open ones.
    else void endIfSignedOut(socket)
  }

  /** Calls a handler and reports what it throws. Whether it threw nothing. */
  #guarded(where: string, work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      this.#options.onError(error, where)
      return false
    }
  }

  async #state<T>(
    behaviour: SocketBehaviour<T>,
    request: CopiedRequest,
  ): Promise<Reply | { state: SocketState<T>; protocol: string }> {
    const admission = await this.#options.gate.admitSocket(request, behaviour.door)
    if (admission.kind === 'refused') return admission.reply
    const { session } = admission
    request.staff = session?.staff ?? null
    const answer = await behaviour.upgrade(request)
    if (answer.kind === 'refused') return answer.reply
    const idleMs = (behaviour.idleSeconds ?? idleSecondsUsual) * 1000
    return { state: { socket: new Socket(answer.data, session, idleMs) }, protocol: answer.protocol ?? '' }
  }
}

const isAmong = ({ id, staff }: SocketSession, ended: EndedSessions): boolean =>
  ended.kind === 'session' ? id === ended.id : staff.id === ended.id

async function endIfSignedOut(socket: Socket<unknown>): Promise<void> {
  if (socket.session && !(await isStillSignedIn(socket.session))) socket.end(...signedOut)
}

const closedOf = (socket: Socket<unknown>, path: string, code: number, reason: string): ClosedSocket => ({
  path,
  code,
  reason,
  by: socket.isEnded || refusedNatively.test(reason) ? 'us' : code === lostCode ? 'network' : 'client',
  user: socket.staff?.username ?? null,
  seconds: Math.round((performance.now() - socket.openedMs) / 1000),
})

async function isStillSignedIn(session: SocketSession): Promise<boolean> {
  try {
    return await session.stillHolds()
  } catch {
    // The database is unavailable, which is no reason to sign anybody out.
    return true
  }
}

/**
 * Answers an upgrade and returns the status for the log. Seldom, the socket is closed without a close frame as soon as
 * it is open: the end of a cork reads a word of the response's memory, which the upgrade has freed (uWebSockets issue
 * 1929, mended in 20.79, of which there is no build for glibc before 2.38). Clients connect again. Without the cork
 * uWebSockets.js prints a warning for each socket; with the work of `open` after the cork it happens far more often.
 */
function answerUpgrade<T>(
  opened: Reply | { state: SocketState<T>; protocol: string },
  exchange: Exchange,
  request: CopiedRequest,
  keys: { key: string; extensions: string },
  context: UpgradeContext,
): number {
  if (!exchange.isOpen) return clientGoneStatus
  if (!('state' in opened)) {
    exchange.send(opened, request.id)
    return opened.status
  }
  const res = exchange.take()
  res?.cork(() => res.upgrade(opened.state, keys.key, opened.protocol, keys.extensions, context))
  return 101
}

const upgradeKeysOf = (request: CopiedRequest) => ({
  key: request.header('sec-websocket-key'),
  extensions: request.header('sec-websocket-extensions'),
})
