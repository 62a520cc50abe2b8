import type { Socket } from '../platform/http/socket.ts'

export type LiveSocket = Pick<Socket<unknown>, 'send' | 'together' | 'bufferedBytes' | 'end'>

/** Why we close a socket. After `slow`, `tooMany` and `stopping` the client may reconnect, after a short delay. */
const closings = {
  slow: { code: 1013, reason: 'too slow' },
  tooMany: { code: 1013, reason: 'too many connections' },
  noise: { code: 1008, reason: 'too many messages' },
  signedOut: { code: 4401, reason: 'signed out' },
  stopping: { code: 1001, reason: 'stopping' },
} as const satisfies Record<string, { code: number; reason: string }>
export type Closing = keyof typeof closings

export function endSocket(socket: LiveSocket, closing: Closing): void {
  const { code, reason } = closings[closing]
  socket.end(code, reason)
}

/** A frame's JSON without its closing brace: serialised once for all sockets, the seq of each is appended. */
export type FrameBody = string

export type FrameFate = 'sent' | 'replaced' | 'dropped'

/** When a socket has this much to send, frames wait here instead, where they can still be replaced. */
export const socketBytesMax = 64 * 1024
/** Room for a NAS that reboots with thousands of sessions. The frames are shared by all sockets that wait for them. */
export const waitingFramesMax = 5000
const waitingBytesMax = 4 * 1024 * 1024

/** Calls back when frames are to leave. */
export type Soon = (leave: () => void) => void

type Waiting = {
  seq: number
  /** Null: a place held for a frame that is being made. */
  body: FrameBody | null
  replaceable: boolean
}

/**
 * The frames of one socket on their way out.
 *
 *     flowing ──the socket is full──► waiting ──it drained──► flowing
 *                                        │
 *                                        └─too much waits: frames that will come again are dropped; still too much: cut
 *
 * Flowing frames leave when `soon` says, those that came until then by one write, because a write of the kernel costs
 * more than making a frame does.
 *
 * While frames wait, a newer one takes the place of an older one with the same key. Every frame meant for the socket
 * gets a number, sent or not, so that the client sees by a gap that something was replaced or dropped.
 */
export class FrameQueue {
  readonly #socket: LiveSocket
  readonly #observe: (fate: FrameFate) => void
  readonly #onStuck: () => void
  readonly #soon: Soon
  #leaving: { readonly seq: number; readonly body: FrameBody }[] = []
  #leavingBytes = 0
  /** In the order of sending; the key is what a newer frame replaces, else the frame's own number. */
  readonly #waiting = new Map<string | number, Waiting>()
  #waitingBytes = 0
  #seq = 0
  /** The number of the frame that was sent last. */
  #sentSeq = 0
  #sent = 0
  #over = false

  /** Without `soon` each frame leaves at once. */
  constructor(
    socket: LiveSocket,
    onStuck: () => void,
    observe: (fate: FrameFate) => void,
    soon: Soon = (leave) => leave(),
  ) {
    this.#socket = socket
    this.#soon = soon
    this.#onStuck = onStuck
    this.#observe = observe
  }

  /** Frames sent so far. When it does not grow while frames wait, the client does not read. */
  get sent(): number {
    return this.#sent
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** With `replaces`, a waiting frame with the same key is removed, because this one supersedes it. */
  push(body: FrameBody, replaces?: string): void {
    if (this.#over) return
    const seq = ++this.#seq
    if (this.#waiting.size === 0 && this.#hasRoom) this.#leave(seq, body)
    else this.#wait(replaces ?? seq, { seq, body, replaceable: replaces !== undefined })
  }

  /**
   * An answer that says nothing of the state, such as a pong, does not wait for a frame that is still being made: it
   * goes past it, under the number of the frame before. Otherwise a client that asks whether we are still there would
   * give up a connection that only waits for the database.
   */
  answer(body: FrameBody): void {
    const [first] = this.#waiting.values()
    const waitsForUs = first !== undefined && first.body === null && this.#hasRoom
    if (!waitsForUs || this.#over) this.push(body)
    else if (!this.#write(this.#sentSeq, body)) this.#stuck()
  }

  /**
   * Reserves the next position for a frame that is still being made; later frames wait behind it. The returned function
   * fills it.
   */
  reserve(): (body: FrameBody) => void {
    const place: Waiting = { seq: ++this.#seq, body: null, replaceable: false }
    this.#waiting.set(place.seq, place)
    return (body) => {
      if (this.#over || place.body !== null) return
      place.body = body
      this.#waitingBytes += body.length
      this.pump()
    }
  }

  /** Sends what waits, as far as the socket takes it. To be called when the socket has drained. */
  pump(): void {
    for (const [key, { seq, body }] of this.#waiting) {
      if (this.#over || body === null || !this.#hasRoom) return
      this.#forget(key)
      this.#leave(seq, body)
    }
  }

  /** Sends what is about to leave, discards what waits, and takes nothing more. */
  end(): void {
    this.#over = true
    this.#flush()
    this.#waiting.clear()
    this.#waitingBytes = 0
  }

  get #hasRoom(): boolean {
    return this.#socket.bufferedBytes + this.#leavingBytes < socketBytesMax
  }

  #leave(seq: number, body: FrameBody): void {
    this.#leavingBytes += body.length
    if (this.#leaving.push({ seq, body }) === 1) this.#soon(() => this.#flush())
  }

  #flush(): void {
    const frames = this.#leaving
    this.#leaving = []
    this.#leavingBytes = 0
    let isTaken = true
    const write = () => {
      isTaken = frames.every(({ seq, body }) => this.#write(seq, body))
    }
    if (frames.length > 1) this.#socket.together(write)
    else write()
    if (!isTaken && !this.#over) this.#stuck()
  }

  /** Whether the socket has taken it. */
  #write(seq: number, body: FrameBody): boolean {
    if (this.#socket.send(`${body},"seq":${seq}}`) === 'dropped') return false
    this.#sentSeq = seq
    this.#sent++
    this.#observe('sent')
    return true
  }

  #wait(key: string | number, frame: Waiting & { body: FrameBody }): void {
    if (this.#forget(key)) this.#observe('replaced')
    this.#waiting.set(key, frame)
    this.#waitingBytes += frame.body.length
    if (this.#exceeds(1)) this.#dropOldest()
    if (this.#exceeds(1)) this.#stuck()
  }

  #exceeds(share: number): boolean {
    return this.#waiting.size > waitingFramesMax * share || this.#waitingBytes > waitingBytesMax * share
  }

  /** Discards the older half of the frames. The numbers of the newer ones show the client the gap. */
  #dropOldest(): void {
    for (const [key, { replaceable }] of this.#waiting) {
      if (!this.#exceeds(0.5)) return
      if (!replaceable) continue
      this.#forget(key)
      this.#observe('dropped')
    }
  }

  #forget(key: string | number): boolean {
    const frame = this.#waiting.get(key)
    if (!frame) return false
    this.#waiting.delete(key)
    this.#waitingBytes -= frame.body?.length ?? 0
    return true
  }

  #stuck(): void {
    this.end()
    this.#onStuck()
  }
}
