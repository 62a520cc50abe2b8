/**
 * Runs `work` for every item, at most `atOnce` at the same time and in no particular order. Items are read from the
 * source only as work ends, so that a million of them are never held in memory. The first error of `work` or of the
 * source, or an aborted signal, ends the run; work in progress is awaited first.
 */
export async function inFlight<T>(
  items: AsyncIterable<T>,
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const broken: unknown[] = []
  try {
    for await (const item of items) {
      signal.throwIfAborted()
      const done: Promise<void> = work(item).then(
        () => void underWay.delete(done),
        (error) => {
          underWay.delete(done)
          broken.push(error)
        },
      )
      underWay.add(done)
      if (underWay.size >= atOnce) await Promise.race(underWay)
      if (broken.length > 0) break
    }
  } finally {
    await Promise.all(underWay)
  }
  if (broken.length > 0) throw broken[0]
  signal.throwIfAborted()
}
