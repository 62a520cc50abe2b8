type Entry<Value> = { readonly value: Value; readonly bytes: number }

/**
 * A map with a bound on memory that keeps what was used lately, for the price of one look-up: what is set or found goes into the young
 * half; when that is full it becomes the old half, and what nobody has found since the last time goes.
 */
export class LatelyUsed<Key, Value> {
  readonly #halfBytes: number
  #young = new Map<Key, Entry<Value>>()
  #old = new Map<Key, Entry<Value>>()
  #youngBytes = 0

  constructor(bytesMax: number) {
    this.#halfBytes = bytesMax / 2
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young) return young.value
    const old = this.#old.get(key)
    if (old) this.#add(key, old)
    return old?.value
  }

  set(key: Key, value: Value, bytes: number): void {
    this.delete(key)
    this.#add(key, { value, bytes })
  }

  delete(key: Key): void {
    const young = this.#young.get(key)
    if (young) this.#youngBytes -= young.bytes
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#youngBytes = 0
  }

  #add(key: Key, entry: Entry<Value>): void {
    if (this.#youngBytes + entry.bytes > this.#halfBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, entry)
    this.#youngBytes += entry.bytes
  }
}
