import { mix } from './station.ts'

/** Where the parts of the index are in the memory of a pool, in words. */
type Place = { readonly slots: number; readonly mask: number; readonly stations: number }

/**
 * Leads from login and station to the addresses that they lease or had last, in shared memory. Linear probing without
 * tombstones.
 */
export class HolderIndex {
  readonly #words: Int32Array
  readonly #logins: Float64Array
  readonly #slots: number
  readonly #mask: number
  readonly #stations: number

  constructor(words: Int32Array, logins: Float64Array, { slots, mask, stations }: Place) {
    this.#words = words
    this.#logins = logins
    this.#slots = slots
    this.#mask = mask
    this.#stations = stations
  }

  clear(): void {
    this.#words.fill(0, this.#slots, this.#slots + this.#mask + 1)
  }

  add(at: number): void {
    let slot = this.#homeOf(at)
    while (this.#words[this.#slots + slot] !== 0) slot = (slot + 1) & this.#mask
    this.#words[this.#slots + slot] = at + 1
  }

  /** The entries behind the removed one move up, so that probe sequences stay short. */
  remove(at: number): void {
    const { mask, base } = { mask: this.#mask, base: this.#slots }
    let hole = this.#homeOf(at)
    while (this.#words[base + hole] !== at + 1) hole = (hole + 1) & mask
    for (let slot = (hole + 1) & mask; this.#words[base + slot] !== 0; slot = (slot + 1) & mask) {
      const home = this.#homeOf(this.#words[base + slot]! - 1)
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      this.#words[base + hole] = this.#words[base + slot]!
      hole = slot
    }
    this.#words[base + hole] = 0
  }

  /** The first place of this login and station that suits; -1 when there is none. */
  find(loginId: number, station: number, suits: (at: number) => boolean): number {
    for (let slot = keyHash(loginId, station) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = this.#words[this.#slots + slot]! - 1
      if (at < 0) return -1
      if (this.isOf(at, loginId, station) && suits(at)) return at
    }
  }

  isOf(at: number, loginId: number, station: number): boolean {
    return this.#logins[at] === loginId && this.#words[this.#stations + at] === (station | 0)
  }

  #homeOf(at: number): number {
    return keyHash(this.#logins[at]!, this.#words[this.#stations + at]!) & this.#mask
  }
}

const keyHash = (loginId: number, station: number) =>
  mix(Math.imul(loginId | 0, 0x9e3779b1) ^ Math.imul((loginId / 0x1_0000_0000) | 0, 0x85ebca6b) ^ station)
