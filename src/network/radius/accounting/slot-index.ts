/**
 * A hash index over numbered slots with chained buckets in flat arrays: bucket → first slot → next slot. It takes a few
 * bytes per slot, whatever the key is. The caller compares the keys, because different keys may share a bucket.
 */
export class SlotIndex {
  /** The first slot of each bucket plus one; 0 for an empty bucket. */
  #first = new Int32Array(1024)
  #next = new Int32Array(1024)
  #hashes = new Int32Array(1024)
  #count = 0

  add(slot: number, hash: number): void {
    if (slot >= this.#next.length) this.#widen(slot)
    if (this.#count >= this.#first.length) this.#rehash()
    this.#hashes[slot] = hash
    this.#link(slot)
    this.#count++
  }

  remove(slot: number): void {
    const bucket = this.#hashes[slot]! & (this.#first.length - 1)
    let before = -1
    for (let at = this.#first[bucket]! - 1; at >= 0; at = this.#next[at]! - 1) {
      if (at === slot) {
        if (before < 0) this.#first[bucket] = this.#next[slot]!
        else this.#next[before] = this.#next[slot]!
        this.#count--
        return
      }
      before = at
    }
  }

  /** The first slot that may have this hash, or -1. */
  first(hash: number): number {
    return this.#first[hash & (this.#first.length - 1)]! - 1
  }

  next(slot: number): number {
    return this.#next[slot]! - 1
  }

  #link(slot: number): void {
    const bucket = this.#hashes[slot]! & (this.#first.length - 1)
    this.#next[slot] = this.#first[bucket]!
    this.#first[bucket] = slot + 1
  }

  #widen(slot: number): void {
    const length = Math.max(slot + 1, this.#next.length * 2)
    this.#next = grown(this.#next, length)
    this.#hashes = grown(this.#hashes, length)
  }

  #rehash(): void {
    const linked: number[] = []
    for (const head of this.#first) for (let at = head - 1; at >= 0; at = this.#next[at]! - 1) linked.push(at)
    this.#first = new Int32Array(this.#first.length * 2)
    for (const slot of linked) this.#link(slot)
  }
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length)
  wider.set(array)
  return wider
}

/** FNV-1a over the UTF-16 code units, which is fast for short keys and allocates nothing. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}
