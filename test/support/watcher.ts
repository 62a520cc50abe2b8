import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Json } from './program.ts'

export type Frame = { type: string; at: string; seq: number } & Record<string, Json>

/** A browser on `/admin/live/`: remembers every frame and waits for those to come. */
export class Watcher {
  readonly frames: Frame[] = []
  readonly #socket: WebSocket
  #waiting: (() => void)[] = []
  #closed: string | null = null

  constructor(http: string, session: string) {
    this.#socket = new WebSocket(`${http.replace('http', 'ws')}/admin/live/`, {
      headers: { Cookie: `sessionid=${session}`, Origin: http },
    })
    this.#socket.on('message', (text) => {
      this.frames.push(JSON.parse(String(text)) as Frame)
      for (const look of this.#waiting) look()
    })
    this.#socket.on('close', (code, reason) => {
      this.#closed = `The socket closed with ${code} ${reason}.`
      for (const look of this.#waiting) look()
    })
  }

  async open(topics: readonly string[]): Promise<this> {
    await once(this.#socket, 'open')
    this.#socket.send(JSON.stringify({ type: 'subscribe', topics }))
    await Promise.all(topics.map((topic) => this.seen((frame) => frame.type === 'snapshot' && frame.topic === topic)))
    return this
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
    this.#socket.terminate()
  }
}
