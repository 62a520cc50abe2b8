import type { AccountingBatch } from './messages.ts'

/** An accounting request that waits to be durable, with the answer it will get. */
export type PendingAnswer = {
  seat: number
  address: string
  port: number
  request: Uint8Array
  response: Uint8Array
  length: number
}

/** Requests in work at once; beyond that the NAS has to repeat. */
export const pendingMax = 50_000

/** Collects the accounting requests of one event-loop turn for the main thread and remembers whom to answer. */
export class PendingAccounting {
  readonly #waiting = new Map<number, PendingAnswer>()
  #tokens: number[] = []
  #nasIds: number[] = []
  #packets: Uint8Array[] = []
  #lastToken = 0

  /** Requests not yet answered. */
  get size(): number {
    return this.#waiting.size
  }

  /** Requests not yet taken by takeBatch. */
  get collected(): number {
    return this.#tokens.length
  }

  add(nasId: number, answer: PendingAnswer): void {
    // Tokens are 31 bits; they come round after two thousand million requests, when the old ones are long gone.
    this.#lastToken = (this.#lastToken + 1) & 0x7fffffff
    this.#waiting.set(this.#lastToken, answer)
    this.#tokens.push(this.#lastToken)
    this.#nasIds.push(nasId)
    this.#packets.push(answer.request)
  }

  takeBatch(): AccountingBatch {
    const ends = new Int32Array(this.#packets.length)
    let end = 0
    for (const [index, packet] of this.#packets.entries()) ends[index] = end += packet.length
    const packets = new Uint8Array(end)
    for (const [index, packet] of this.#packets.entries()) packets.set(packet, ends[index]! - packet.length)
    const batch: AccountingBatch = {
      kind: 'accounting',
      tokens: Int32Array.from(this.#tokens),
      nasIds: Int32Array.from(this.#nasIds),
      ends,
      packets,
    }
    this.#tokens = []
    this.#nasIds = []
    this.#packets = []
    return batch
  }

  /** Ends the wait; undefined for a token that is unknown. */
  take(token: number): PendingAnswer | undefined {
    const answer = this.#waiting.get(token)
    this.#waiting.delete(token)
    return answer
  }
}
