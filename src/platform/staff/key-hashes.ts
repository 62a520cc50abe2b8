import { hash } from 'node:crypto'

const keptMax = 1_000

/** SHA-256 of keys, hex. Hashing costs more than the rest of a sign-in from memory, so those of the last callers are kept. */
export class KeyHashes {
  readonly #known = new Map<string, string>()

  of(key: string): string {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = hash('sha256', key)
    if (this.#known.size >= keptMax) this.#known.clear()
    this.#known.set(key, made)
    return made
  }
}
