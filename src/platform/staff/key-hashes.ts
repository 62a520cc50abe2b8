import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const keptMax = 1_000

/** SHA-256 of keys, hex. Hashing costs more than the rest of a sign-in from memory, so those of the last callers are kept. */
export class KeyHashes {
  readonly #known = new LRUCache<string, string>({ max: keptMax })

  of(key: string): string {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = hash('sha256', key)
    this.#known.set(key, made)
    return made
  }
}
