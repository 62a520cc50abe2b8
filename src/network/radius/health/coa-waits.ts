import type { CoaResult } from '../../../domain/events.ts'

/** How many of the last requests to a NAS are remembered. */
export const coaRemembered = 200

/** How a NAS answered Disconnect and CoA lately. Waits are null while it has answered none. */
export type CoaShare = {
  readonly ack: number
  readonly nak: number
  readonly noAnswer: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

const results = ['ack', 'nak', 'no_answer'] as const satisfies readonly CoaResult[]

/** The last answers of one NAS. */
export class CoaWaits {
  readonly #results = new Uint8Array(coaRemembered)
  readonly #ms = new Float64Array(coaRemembered)
  #count = 0

  add(result: CoaResult, tookMs: number): void {
    const at = this.#count++ % coaRemembered
    this.#results[at] = results.indexOf(result)
    this.#ms[at] = tookMs
  }

  share(): CoaShare {
    const known = Math.min(this.#count, coaRemembered)
    const counts = [0, 0, 0]
    const waits: number[] = []
    for (let at = 0; at < known; at++) {
      const result = this.#results[at]!
      counts[result]!++
      if (results[result] !== 'no_answer') waits.push(this.#ms[at]!)
    }
    waits.sort((a, b) => a - b)
    const [ack, nak, noAnswer] = counts as [number, number, number]
    return { ack, nak, noAnswer, p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) }
  }
}

/** The smallest value that so large a part of the sorted ones does not exceed. */
const quantile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
