/** Milliseconds of a clock that all threads share and that nobody sets. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** Milliseconds since 1970, of which one number says how far they are ahead of `steadyMs`; NaN: nobody has told it. */
export const timeOfDay = ([originMs]: Float64Array, ofMachine: () => number): number =>
  Number.isNaN(originMs!) ? ofMachine() : steadyMs() + originMs!

/** The same as a function, for a thread that was given Clock.origin; null: by the clock of the machine. */
export function dayTimeOf(origin: SharedArrayBuffer | null): () => number {
  if (origin === null) return () => Date.now()
  const originMs = new Float64Array(origin)
  return () => timeOfDay(originMs, () => Date.now())
}
