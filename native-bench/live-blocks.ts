import { once } from 'node:events'
import { WebSocket } from 'ws'

/** An operator's screen that watches blocks: tells when a subscriber's financial block is seen to be gone. */
export class LiveBlocks {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, () => void>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (text) => {
      const frame = JSON.parse(String(text)) as { type: string; abonent_id?: number; enabled?: boolean }
      if (frame.type !== 'block.changed' || frame.enabled !== true) return
      const id = Number(frame.abonent_id)
      this.#waiting.get(id)?.()
      this.#waiting.delete(id)
    })
  }

  static async open(http: string, session: string): Promise<LiveBlocks> {
    const socket = new WebSocket(`${http.replace('http', 'ws')}/admin/live/`, {
      headers: { Cookie: `sessionid=${session}`, Origin: http },
    })
    await once(socket, 'open')
    const live = new LiveBlocks(socket)
    const snapshot = once(socket, 'message')
    socket.send(JSON.stringify({ type: 'subscribe', topics: ['blocks'] }))
    await snapshot
    return live
  }

  /** Resolves at the frame to come. */
  opened(subscriber: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(subscriber, resolve))
  }

  close(): void {
    this.#socket.terminate()
  }
}
