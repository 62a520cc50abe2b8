import { LRUCache } from 'lru-cache'

/**
 * A cache of so many entries, which drops the one used longest ago when it is full. Its memory grows with its entries,
 * where LRUCache with `max` takes that of all of them at once: 5 MB and 6 ms for a hundred thousand.
 */
export const growingCache = <Key extends {}, Value extends {}>(
  entriesMax: number,
  options: LRUCache.OptionsBase<Key, Value, unknown> = {},
): LRUCache<Key, Value> => new LRUCache({ ...options, maxSize: entriesMax, sizeCalculation: () => 1 })
