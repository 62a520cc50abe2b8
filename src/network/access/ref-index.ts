/** A slot is a pair: the hash of the key and the reference of its record. */
export const emptyRef = 0
export const removedRef = -1

/**
 * A hash index with open addressing over references, for one writer and many readers. An entry never moves within one
 * buffer, so a reader that probes during a write sees each entry either before or after its change. A table that fills
 * up is rebuilt into a new buffer.
 */
export class RefIndex {
  readonly #onGrown: () => void
  slots: Int32Array
  #mask: number
  #count = 0
  /** Slots that are not empty, removed ones included. */
  #taken = 0

  constructor(slotsCount: number, onGrown: () => void) {
    this.#onGrown = onGrown
    this.slots = slotsOf(slotsCount)
    this.#mask = slotsCount - 1
  }

  get count(): number {
    return this.#count
  }

  insert(hash: number, ref: number): void {
    // At most three quarters full: an unsuccessful lookup then takes about eight probes, all in one or two cache lines.
    if ((this.#taken + 1) * 4 > (this.#mask + 1) * 3) this.#rebuild()
    this.#count++
    this.#put(hash, ref)
  }

  /** The reference that `matches`, or 0. */
  find(hash: number, matches: (ref: number) => boolean): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const ref = this.slots[slot * 2 + 1]!
      if (ref === emptyRef) return 0
      if (ref !== removedRef && this.slots[slot * 2] === hash && matches(ref)) return ref
    }
  }

  /** Replaces a reference by one atomic store, so that readers find either the old record or the new one. */
  replace(hash: number, ref: number, by: number): void {
    Atomics.store(this.slots, this.#slotOf(hash, ref) * 2 + 1, by)
  }

  remove(hash: number, ref: number): void {
    this.#count--
    Atomics.store(this.slots, this.#slotOf(hash, ref) * 2 + 1, removedRef)
  }

  #slotOf(hash: number, ref: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const found = this.slots[slot * 2 + 1]!
      if (found === ref && this.slots[slot * 2] === hash) return slot
      if (found === emptyRef) throw new Error('The access table lost an entry.')
    }
  }

  #put(hash: number, ref: number): void {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const found = this.slots[slot * 2 + 1]!
      if (found !== emptyRef && found !== removedRef) continue
      if (found === emptyRef) this.#taken++
      // The hash is stored first, so a reader between the two stores sees an empty slot.
      Atomics.store(this.slots, slot * 2, hash)
      Atomics.store(this.slots, slot * 2 + 1, ref)
      return
    }
  }

  #rebuild(): void {
    const old = this.slots
    let slotsCount = this.#mask + 1
    while (this.#count * 2 >= slotsCount) slotsCount *= 2
    this.slots = slotsOf(slotsCount)
    this.#mask = slotsCount - 1
    this.#taken = 0
    for (let at = 0; at < old.length; at += 2) {
      const ref = old[at + 1]!
      if (ref !== emptyRef && ref !== removedRef) this.#put(old[at]!, ref)
    }
    this.#onGrown()
  }
}

const slotsOf = (count: number) => new Int32Array(new SharedArrayBuffer(count * 8))
