import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const cachedMax = 1_000

/**
 * SHA-256 of session keys and tokens in hex. Hashing costs more than the rest of an authentication from memory, so the
 * hashes of the most recent callers are cached.
 */
export class KeyHashes {
  readonly #known = new LRUCache<string, string>({ max: cachedMax })

  of(key: string): string {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = hash('sha256', key)
    this.#known.set(key, made)
    return made
  }
}
