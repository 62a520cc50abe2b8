export type CountTerms = {
  /** This many failures within the window lock a key, until the first of them leaves the window. */
  readonly failuresMax: number
  /** A key with a good history is locked by this many. */
  readonly knownMax: number
  readonly windowMs: number
  /** How many locked keys are remembered, and as many that have failed and are not locked. */
  readonly entriesMax: number
}

/** How many may wait for the tries of one key. */
const waitingMax = 64

/**
 * Failures by key within a window. Keys that are not locked may be forgotten when there are too many of them, the one
 * that failed longest ago first; a locked one never before its time.
 */
export class FailureCounts {
  readonly #terms: CountTerms
  /** Moments of failures in milliseconds, by key. In both maps the key that failed longest ago comes first. */
  readonly #open = new Map<string, readonly number[]>()
  readonly #locked = new Map<string, readonly number[]>()
  /** How many tries are being checked. Each of them may fail. */
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(terms: CountTerms) {
    this.#terms = terms
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#open.size + this.#locked.size
  }

  /** How many keys are locked. */
  lockedAt(nowMs: number): number {
    this.#dropExpired(nowMs)
    return this.#locked.size
  }

  /**
   * Milliseconds until a key may be tried again; 0: now. When no further locked key can be remembered, only those with
   * a good history may go on.
   */
  lockedForMs(key: string, isKnown: boolean, nowMs: number): number {
    const max = this.#maxOf(isKnown)
    const failures = this.#failuresOf(key, nowMs)
    if (failures.length >= max) return failures.at(-max)! + this.#terms.windowMs - nowMs
    return isKnown ? 0 : this.#fullForMs(nowMs)
  }

  /** Whether one more may be checked at once: even if everything that is being checked fails, the limit holds. */
  hasRoom(key: string, isKnown: boolean, nowMs: number): boolean {
    return this.#failuresOf(key, nowMs).length + (this.#running.get(key) ?? 0) < this.#maxOf(isKnown)
  }

  /** Resolves when something that is being checked ends. Null: too many wait for that. */
  nextEnd(key: string): Promise<void> | null {
    const waiting = this.#waiting.get(key) ?? []
    if (waiting.length >= waitingMax) return null
    this.#waiting.set(key, waiting)
    return new Promise((resolve) => waiting.push(resolve))
  }

  begin(key: string): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
  }

  end(key: string): void {
    const running = this.#running.get(key)! - 1
    if (running > 0) this.#running.set(key, running)
    else this.#running.delete(key)
    const woken = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const resolve of woken) resolve()
  }

  failed(key: string, nowMs: number): void {
    const failures = [...this.#failuresOf(key, nowMs), nowMs]
    this.forget(key)
    const { failuresMax, entriesMax } = this.#terms
    if (failures.length >= failuresMax) this.#locked.set(key, failures)
    else this.#open.set(key, failures)
    this.#dropExpired(nowMs)
    if (this.#open.size > entriesMax) this.#open.delete(this.#open.keys().next().value!)
  }

  forget(key: string): void {
    this.#open.delete(key)
    this.#locked.delete(key)
  }

  #maxOf(isKnown: boolean): number {
    return isKnown ? this.#terms.knownMax : this.#terms.failuresMax
  }

  #failuresOf(key: string, nowMs: number): readonly number[] {
    const failures = this.#open.get(key) ?? this.#locked.get(key) ?? []
    return failures.filter((atMs) => this.#isWithin(atMs, nowMs))
  }

  #fullForMs(nowMs: number): number {
    if (this.#locked.size < this.#terms.entriesMax) return 0
    this.#dropExpired(nowMs)
    if (this.#locked.size < this.#terms.entriesMax) return 0
    return this.#unlockAtMs(this.#locked.values().next().value!) - nowMs
  }

  #dropExpired(nowMs: number): void {
    for (const [key, failures] of this.#open) {
      if (this.#isWithin(failures.at(-1)!, nowMs)) break
      this.#open.delete(key)
    }
    for (const [key, failures] of this.#locked) {
      if (this.#unlockAtMs(failures) > nowMs) break
      this.#locked.delete(key)
    }
  }

  #unlockAtMs(failures: readonly number[]): number {
    return failures.at(-this.#terms.failuresMax)! + this.#terms.windowMs
  }

  #isWithin(atMs: number, nowMs: number): boolean {
    return atMs > nowMs - this.#terms.windowMs
  }
}
