import { setTimeout as pause } from 'node:timers/promises'

const seconds = 10

/**
 * What grows by itself while nobody asks for anything, a second. What a node does every second whether or not it is
 * asked, such as heartbeats, is the cost of no request.
 */
export async function unaskedPerSecond<K extends string>(
  look: () => Readonly<Record<K, number>> | Promise<Readonly<Record<K, number>>>,
): Promise<Readonly<Record<K, number>>> {
  const before = await look()
  await pause(seconds * 1_000)
  const after = await look()
  const names = Object.keys(before) as K[]
  return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / seconds])) as Record<K, number>
}
