import type { Reply } from './call.ts'
import { errorReply } from './errors.ts'
import { clientGoneStatus, type Exchange } from './exchange.ts'
import type { EndedSessions, Gate, SocketSession } from './gate.ts'
import type { CopiedRequest } from './request.ts'
import { Socket, type SocketBehaviour, type SocketState } from './socket.ts'
import { type HttpRequest, type HttpResponse, type NativeBehaviour, noCompression, type UpgradeContext } from './uws.ts'

const signedOutCode = 4401
const goingAwayCode = 1001

/** Copies a request. Returns null when it could not be read; its connection is closed then. */
type Begin = (res: HttpResponse, req: HttpRequest) => { request: CopiedRequest; exchange: Exchange } | null

type SocketsOptions = {
  gate: Gate
  onError: (error: unknown, where: string) => void
  /** Called for each answered upgrade with 101 or the status of the refusal. */
  onAnswer: (request: CopiedRequest, path: string, status: number) => void
}

/** All open WebSockets of a server. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #open = new Set<Socket<unknown>>()
  #isClosing = false

  constructor(options: SocketsOptions) {
    this.#options = options
    options.gate.onSessionEnd((ended) => {
      for (const socket of this.#open)
        if (socket.session && isAmong(socket.session, ended)) socket.end(signedOutCode, 'signed out')
    })
  }

  get count(): number {
    return this.#open.size
  }

  /** Closes sockets whose session has expired or whose staff user is disabled. To be called regularly. */
  async sweep(): Promise<void> {
    for (const socket of [...this.#open]) {
      if (socket.session && !(await isStillSignedIn(socket.session))) socket.end(signedOutCode, 'signed out')
    }
  }

  /** Closes all sockets with 1001 and accepts no new ones. */
  endAll(): void {
    this.#isClosing = true
    for (const socket of [...this.#open]) socket.end(goingAwayCode, 'going away')
  }

  native<T>(path: string, behaviour: SocketBehaviour<T>, begin: Begin): NativeBehaviour<SocketState<T>> {
    const { onError, onAnswer } = this.#options
    const guarded = (where: string, work: () => void) => {
      try {
        work()
      } catch (error) {
        onError(error, where)
      }
    }
    return {
      maxPayloadLength: behaviour.messageBytesMax ?? 64 * 1024,
      maxBackpressure: behaviour.bufferedBytesMax ?? 1024 * 1024,
      idleTimeout: behaviour.idleSeconds ?? 60,
      compression: noCompression,
      sendPingsAutomatically: true,
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
      open: (native) => {
        const { socket } = native.getUserData()
        socket.native = native
        this.#open.add(socket)
        if (this.#isClosing) socket.end(goingAwayCode, 'going away')
        else guarded('open', () => behaviour.open?.(socket))
      },
      message: (native, message, isBinary) =>
        // uWebSockets.js reuses the memory of a message after this call, so it is copied.
        guarded('message', () =>
          behaviour.message(native.getUserData().socket, Buffer.from(message.slice(0)), isBinary),
        ),
      drain: (native) => guarded('drain', () => behaviour.drain?.(native.getUserData().socket)),
      close: (native, code, reason) => {
        const { socket } = native.getUserData()
        socket.native = null
        this.#open.delete(socket)
        guarded('close', () => behaviour.close?.(socket, code, Buffer.from(reason).toString('utf8')))
      },
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
    return { state: { socket: new Socket(answer.data, session) }, protocol: answer.protocol ?? '' }
  }
}

const isAmong = ({ id, staff }: SocketSession, ended: EndedSessions): boolean =>
  ended.kind === 'session' ? id === ended.id : staff.id === ended.id

async function isStillSignedIn(session: SocketSession): Promise<boolean> {
  try {
    return await session.stillHolds()
  } catch {
    // The database is unavailable, which is no reason to sign anybody out.
    return true
  }
}

/** Answers an upgrade and returns the status for the log. */
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
