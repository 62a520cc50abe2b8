/** A token bucket: `perSecond` tokens are added per second, up to `burst`. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #left: number
  #filledAtMs: number

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#left = burst
    this.#filledAtMs = nowMs
  }

  has(nowMs: number): boolean {
    // A clock that was set back adds and removes nothing.
    this.#left = Math.min(this.#burst, this.#left + Math.max(0, nowMs - this.#filledAtMs) * this.#perMs)
    this.#filledAtMs = nowMs
    return this.#left >= 1
  }

  take(): void {
    this.#left--
  }
}
