import type { LiveSocket } from '../../src/live/sockets.ts'

export type Frame = { type: string; seq: number; at?: string; topic?: string } & Record<string, unknown>

/** A socket whose network the test decides over. */
export class FakeSocket implements LiveSocket {
  readonly texts: string[] = []
  bufferedBytes = 0
  /** Nothing leaves: what is sent stays in the buffer. */
  isSlow = false
  refuses = false
  closedWith: { code: number; reason: string } | null = null

  send(text: string): 'sent' | 'dropped' {
    if (this.closedWith || this.refuses) return 'dropped'
    this.texts.push(text)
    if (this.isSlow) this.bufferedBytes += text.length
    return 'sent'
  }

  /** How many frames each write had that had several. */
  readonly writes: number[] = []

  together(work: () => void): void {
    const before = this.texts.length
    work()
    this.writes.push(this.texts.length - before)
  }

  end(code: number, reason: string): void {
    this.closedWith = { code, reason }
  }

  frames(): Frame[] {
    return this.texts.map((text) => JSON.parse(text))
  }

  ofType(type: string): Frame[] {
    return this.frames().filter((frame) => frame.type === type)
  }
}
