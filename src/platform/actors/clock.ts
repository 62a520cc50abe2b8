/** Time, which is injected so that tests can set it. */
export type Clock = {
  now(): Date
  /** Milliseconds since an arbitrary moment, for measuring: a monotonic clock, unlike the time of day. */
  elapsedMs(): number
  /** Calls back once after `ms` and returns a function that cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void
  /** Gives other threads the same time of day (day-time.ts); left out: they have that of the machine. */
  readonly origin?: SharedArrayBuffer
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
