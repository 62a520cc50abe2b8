import { uptime } from 'node:os'

/**
 * Milliseconds of a clock that all threads share and that nobody sets. It stands still while the machine is suspended.
 */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/**
 * For how many milliseconds the machine has been suspended since its boot, to a hundredth of a second: CLOCK_BOOTTIME
 * of Linux, which /proc/uptime shows, counts that time, and CLOCK_MONOTONIC of `steadyMs`, of performance.now() and of
 * timers does not. It reads a file, so it is for what is asked now and then.
 */
export const suspendedMs = (): number => uptime() * 1000 - steadyMs()

/**
 * Milliseconds since 1970. The number in the array says how far they are ahead of `steadyMs`; while it is NaN, nobody
 * has said so and the clock of the machine counts.
 */
export const timeOfDay = ([originMs]: Float64Array, ofMachine: () => number): number =>
  Number.isNaN(originMs!) ? ofMachine() : steadyMs() + originMs!

/** The same as a function, for a thread that was given Clock.origin; null: by the clock of the machine. */
export function dayTimeOf(origin: SharedArrayBuffer | null): () => number {
  if (origin === null) return () => Date.now()
  const originMs = new Float64Array(origin)
  return () => timeOfDay(originMs, () => Date.now())
}
