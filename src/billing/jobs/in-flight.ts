/**
 * Does a deed for every item with so many under way at once, in no order. Items are asked for as places become free, so a source of a
 * million is never held at once. The first deed that throws, the source that throws or an aborted signal ends it; what is under way
 * then is waited for.
 */
export async function inFlight<T>(
  items: AsyncIterable<T>,
  atOnce: number,
  signal: AbortSignal,
  deed: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const broken: unknown[] = []
  try {
    for await (const item of items) {
      signal.throwIfAborted()
      const done: Promise<void> = deed(item).then(
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
