/** Writes whole numbers from 0 on as LEB128: seven bits an octet, the low ones first; the last has no high bit. */
export class NumberWriter {
  #bytes = Buffer.allocUnsafeSlow(1 << 12)
  #at = 0

  get isEmpty(): boolean {
    return this.#at === 0
  }

  put(value: number): void {
    this.#reserve(longest)
    const bytes = this.#bytes
    let at = this.#at
    let rest = value
    while (rest >= 2 ** 31) {
      bytes[at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest >= 128) {
      bytes[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    bytes[at] = rest
    this.#at = at + 1
  }

  putBig(value: bigint): void {
    if (value <= safe) {
      this.put(Number(value))
      return
    }
    this.#reserve(longest)
    let rest = value
    for (; rest >= 128n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128
    this.#bytes[this.#at++] = Number(rest)
  }

  /** Returns what has been written since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at))
    this.#at = 0
    return taken
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(this.#bytes.length * 2)
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

/** Reads what NumberWriter has written. */
export class NumberReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  get(): number {
    const bytes = this.#bytes
    let octet = bytes[this.#at++]!
    let value = octet & 127
    for (let factor = 128; octet > 127; factor *= 128) {
      octet = bytes[this.#at++]!
      value += (octet & 127) * factor
    }
    return value
  }

  getBig(): bigint {
    const from = this.#at
    const value = this.get()
    if (value < Number.MAX_SAFE_INTEGER) return BigInt(value)
    // A sum beyond 2^53 would be rounded, so such a number is read once more, exactly.
    let exact = 0n
    for (let at = this.#at - 1; at >= from; at--) exact = (exact << 7n) | BigInt(this.#bytes[at]! & 127)
    return exact
  }
}

/** Octets that a number of 63 bits takes. */
const longest = 10
const safe = BigInt(Number.MAX_SAFE_INTEGER)
