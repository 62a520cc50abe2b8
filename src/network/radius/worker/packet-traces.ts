import type { RefusalReason } from '../../../domain/access.ts'
import type { NasId } from '../../../domain/ids.ts'
import type { TracedPacket } from './messages.ts'

/** The most requests of a batch that are traced; more are no sample any more and cost the main thread too much. */
const perSecondMax = 10

/** Chooses Access-Requests to be traced, and posts those of a batch when its answers have left. */
export class PacketTraces {
  readonly #share: number
  readonly #post: (packets: TracedPacket[]) => void
  #chosen: Omit<TracedPacket, 'tookMs'>[] = []
  #second = 0
  #ofSecond = 0
  /** Why the present request is rejected. */
  reason: RefusalReason | null = null

  constructor(share: number, post: (packets: TracedPacket[]) => void) {
    this.#share = share
    this.#post = post
  }

  answered(nasId: NasId, result: 'accept' | 'reject', beganAtMs: number): void {
    const reason = result === 'reject' ? this.reason : null
    if (Math.random() >= this.#share) return
    const second = Math.floor(beganAtMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#ofSecond = 0
    }
    if (++this.#ofSecond > perSecondMax) return
    this.#chosen.push({ nasId, result, reason, beganAtMs })
  }

  /** Posts the chosen requests. `tookMs` is the time from the batch to the end of its answers. */
  sent(tookMs: number): void {
    if (this.#chosen.length === 0) return
    this.#post(this.#chosen.map((packet) => ({ ...packet, tookMs })))
    this.#chosen = []
  }
}
