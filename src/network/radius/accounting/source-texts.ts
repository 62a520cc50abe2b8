import { addressWords } from '../udp/udp-port.ts'
import { formatAddress } from '../wire/address.ts'

/** More sources than any provider has NAS. */
const textsMax = 16_384

/** The texts of source addresses. All sessions of a NAS share one, and it is made once. */
export class SourceTexts {
  /** The texts by the last word of their address, which for IPv4 is the whole address. */
  readonly #texts = new Map<number, { words: Int32Array; text: string }>()

  /** The text of the address that is described from words[at] on. */
  textOf(words: Int32Array, at: number): string {
    const known = this.#texts.get(words[at + 3]!)
    if (known?.words.every((word, part) => word === words[at + part])) return known.text
    const own = words.slice(at, at + addressWords)
    const text = formatAddress(new Uint8Array(own.buffer))
    if (this.#texts.size >= textsMax) this.#texts.clear()
    this.#texts.set(own[3]!, { words: own, text })
    return text
  }
}
