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
  let ended = () => {}
  try {
    for await (const item of items) {
      signal.throwIfAborted()
      const done: Promise<void> = work(item)
        .catch((error: unknown) => void broken.push(error))
        .finally(() => {
          underWay.delete(done)
          ended()
        })
      underWay.add(done)
      // A race of all promises under way would cost more than the work, because each item would subscribe to each.
      if (underWay.size >= atOnce) {
        await new Promise<void>((resolve) => {
          ended = resolve
        })
      }
      if (broken.length > 0) break
    }
  } finally {
    await Promise.all(underWay)
  }
  if (broken.length > 0) throw broken[0]
  signal.throwIfAborted()
}

/** Enough turns of accounts to share one commit, few enough to keep the mailboxes of other accounts short. */
const turnsAtOnce = 250

/**
 * Runs `work`, a turn of an account, for every item as inFlight does. An item that fails does not hold up the others:
 * the errors are returned. After as many as there are turns at once the first error ends the run.
 */
export async function inFlightTolerant<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<readonly unknown[]> {
  const failures: unknown[] = []
  await inFlight(items, turnsAtOnce, signal, async (item) => {
    await work(item).catch((error: unknown) => failures.push(error))
    if (failures.length >= turnsAtOnce) throw failures[0]
  })
  return failures
}
