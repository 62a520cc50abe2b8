import { WebSocket } from 'ws'
import type { Json } from './program.ts'

const closedAtOnce = 1006

export type Frame = { type: string; at: string; seq: number } & Record<string, Json>

/**
 * A browser on `/admin/live/`: remembers every frame and waits for those to come. Seldom a socket is closed as soon as
 * it is open (`answerUpgrade` in platform/http/sockets.ts says why); like every client it opens another one then.
 */
export class Watcher {
  readonly frames: Frame[] = []
  readonly #connect: () => WebSocket
  #socket: WebSocket
  #topics: readonly string[] = []
  #waiting: (() => void)[] = []
  #closed: string | null = null
  #isDone = false

  constructor(http: string, session: string) {
    const headers = { Cookie: `sessionid=${session}`, Origin: http }
    this.#connect = () => new WebSocket(`${http.replace('http', 'ws')}/admin/live/`, { headers })
    this.#socket = this.#listened()
  }

  async open(topics: readonly string[]): Promise<this> {
    this.#topics = topics
    if (this.#socket.readyState === WebSocket.OPEN) this.#subscribe()
    await Promise.all(topics.map((topic) => this.seen((frame) => frame.type === 'snapshot' && frame.topic === topic)))
    return this
  }

  #listened(): WebSocket {
    const socket = this.#connect()
    socket.on('open', () => this.#topics.length > 0 && this.#subscribe())
    socket.on('message', (text) => {
      this.frames.push(JSON.parse(String(text)) as Frame)
      for (const look of this.#waiting) look()
    })
    socket.on('close', (code, reason) => {
      if (code === closedAtOnce && this.frames.length === 0 && !this.#isDone) {
        this.#socket = this.#listened()
        return
      }
      this.#closed = `The socket closed with ${code} ${reason}.`
      for (const look of this.#waiting) look()
    })
    return socket
  }

  #subscribe(): void {
    this.#socket.send(JSON.stringify({ type: 'subscribe', topics: this.#topics }))
  }

  /** The first frame, past or to come, that fits. */
  seen(is: (frame: Frame) => boolean): Promise<Frame> {
    return this.#first(is, 0)
  }

  /** The first frame from now on that fits. */
  next(is: (frame: Frame) => boolean): Promise<Frame> {
    return this.#first(is, this.frames.length)
  }

  #first(is: (frame: Frame) => boolean, from: number): Promise<Frame> {
    return new Promise((resolve, reject) => {
      let looked = from
      const look = () => {
        for (; looked < this.frames.length; looked++) {
          const frame = this.frames[looked]!
          if (!is(frame)) continue
          this.#waiting = this.#waiting.filter((other) => other !== look)
          resolve(frame)
          return
        }
        if (this.#closed !== null) reject(new Error(this.#closed))
      }
      this.#waiting.push(look)
      look()
    })
  }

  close(): void {
    this.#isDone = true
    this.#socket.terminate()
  }
}
