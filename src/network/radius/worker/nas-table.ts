import { mix } from '../../access/station.ts'
import type { NasSlot } from './messages.ts'
import { addressWords, datagramWord } from '../udp/udp-port.ts'
import { parseAddress } from '../wire/address.ts'
import { secretKeyBytes } from '../wire/shared-secret.ts'
import { type KnownNas, knownNas } from './signature-rules.ts'

const { address: addressAt } = datagramWord

/**
 * Every enabled NAS by its source address, found without making a string. What `auto` has learned comes with the
 * record.
 */
export class NasTable {
  /** The prepared secrets, each at offset KnownNas.key × secretKeyBytes. */
  readonly keys: Uint8Array
  readonly #known: KnownNas[] = []
  readonly #addresses: Int32Array
  /** Open addressing: the index in `#known` plus one; 0 is an empty slot. */
  readonly #slots: Int32Array
  readonly #mask: number

  constructor(list: readonly NasSlot[]) {
    let slots = 16
    while (slots < list.length * 2) slots *= 2
    this.#slots = new Int32Array(slots)
    this.#mask = slots - 1
    this.#addresses = new Int32Array(list.length * addressWords)
    for (const record of list) if (record.enabled) this.#put(record)
    this.keys = new Uint8Array(this.#known.length * secretKeyBytes)
    for (const [position, nas] of this.#known.entries()) {
      if (nas.secret.writeKey(this.keys, position * secretKeyBytes)) nas.key = position
    }
  }

  /** The NAS whose source address is described from words[at] on. */
  find(words: Int32Array, at: number): KnownNas | null {
    const slot = this.#slotOf(words, at + addressAt)
    const position = this.#slots[slot]!
    return position === 0 ? null : this.#known[position - 1]!
  }

  /** When two records have the same address, the later one counts. */
  #put(record: NasSlot): void {
    const words = addressOf(record.ip)
    if (words === null) return
    const slot = this.#slotOf(words, 0)
    const position = this.#slots[slot]!
    if (position !== 0) {
      this.#known[position - 1] = knownNas(record)
      return
    }
    this.#addresses.set(words, this.#known.length * addressWords)
    this.#slots[slot] = this.#known.push(knownNas(record))
  }

  /** The slot of the address, or the empty slot where it would be. */
  #slotOf(words: Int32Array, at: number): number {
    const hash = mix(words[at]! ^ Math.imul(words[at + 1]!, 0x9e3779b1) ^ mix(words[at + 2]! ^ mix(words[at + 3]!)))
    const addresses = this.#addresses
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const position = this.#slots[slot]!
      if (position === 0) return slot
      const known = (position - 1) * addressWords
      if (
        addresses[known] === words[at] &&
        addresses[known + 1] === words[at + 1] &&
        addresses[known + 2] === words[at + 2] &&
        addresses[known + 3] === words[at + 3]
      )
        return slot
    }
  }
}

function addressOf(text: string): Int32Array | null {
  const bytes = parseAddress(text)
  return bytes && new Int32Array(bytes.buffer)
}
