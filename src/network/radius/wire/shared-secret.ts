import { inspect } from 'node:util'
import { digestBytes, HmacMd5Key } from './md5.ts'

/** Bytes of a prepared secret (radius-digests.h). */
export const secretKeyBytes = 192
const keyHeadBytes = 2 * digestBytes + 4

/** The secret of one NAS, prepared for hashing. It never appears in a log: as text it is `[secret]`. */
export class SharedSecret {
  readonly #bytes: Uint8Array
  readonly #hmac: HmacMd5Key

  /** Text counts as UTF-8. */
  constructor(secret: string | Uint8Array) {
    this.#bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : Uint8Array.from(secret)
    this.#hmac = new HmacMd5Key(this.#bytes)
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  get hmac(): HmacMd5Key {
    return this.#hmac
  }

  /**
   * Writes the secret in the form for digests of a batch: the states of HMAC, its length, its bytes. False when it is
   * too long.
   */
  writeKey(into: Uint8Array, at: number): boolean {
    if (this.#bytes.length > secretKeyBytes - keyHeadBytes) return false
    this.#hmac.writeStates(into, at)
    new DataView(into.buffer, into.byteOffset).setUint32(at + keyHeadBytes - 4, this.#bytes.length, true)
    into.set(this.#bytes, at + keyHeadBytes)
    return true
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
