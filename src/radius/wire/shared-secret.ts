import { inspect } from 'node:util'
import { HmacMd5Key } from './md5.ts'

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
