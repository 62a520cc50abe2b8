import { setImmediate as nextTurn } from 'node:timers/promises'

/** So many are looked at in one turn of the event loop, a few milliseconds. */
const atOnce = 2_000

/**
 * The first `most` of these in an order, which is found in turns with everything else: to sort tens of thousands at
 * once would keep packets and requests waiting.
 */
export async function firstInOrder<T>(all: readonly T[], order: (a: T, b: T) => number, most: number): Promise<T[]> {
  let first: T[] = []
  for (let from = 0; from < all.length; from += atOnce) {
    if (from > 0) await nextTurn()
    const last = first.length < most ? undefined : first.at(-1)
    const next = all.slice(from, from + atOnce)
    const nearer = last === undefined ? next : next.filter((one) => order(one, last) < 0)
    if (nearer.length > 0) first = [...first, ...nearer].sort(order).slice(0, most)
  }
  return first
}
