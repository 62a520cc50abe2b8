/**
 * SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF") of messages of whole words of 32
 * bits: 64 bits that nobody can tell from chance, or make, without the key of 128 bits. Numbers of 64 bits are pairs
 * of halves here, and nothing is allocated. Words are read in the byte order of the machine, which is little-endian on
 * every platform of Node we run on, like SipHash.
 */
const keyBytes = 16

export class SipHashKey {
  readonly #words: Int32Array

  /** RangeError when the key has not 16 bytes. */
  constructor(key: Uint8Array) {
    if (key.length !== keyBytes) throw new RangeError(`A key of SipHash has ${keyBytes} bytes, not ${key.length}.`)
    this.#words = new Int32Array(Uint8Array.from(key).buffer)
  }

  /** Writes the low and the high half of the digest into `out`. */
  digest(message: Int32Array, out: Int32Array): void {
    const key = this.#words
    // "somepseudorandomlygeneratedbytes"
    let low0 = key[0]! ^ 0x70736575
    let high0 = key[1]! ^ 0x736f6d65
    let low1 = key[2]! ^ 0x6e646f6d
    let high1 = key[3]! ^ 0x646f7261
    let low2 = key[0]! ^ 0x6e657261
    let high2 = key[1]! ^ 0x6c796765
    let low3 = key[2]! ^ 0x79746573
    let high3 = key[3]! ^ 0x74656462
    const { length } = message
    // The last pair of words holds the length in bytes in its highest byte; behind it there are four rounds more.
    const lastAt = length & ~1
    for (let at = 0; at <= lastAt + 2; at += 2) {
      const isEnd = at > lastAt
      const low = at < length ? message[at]! : 0
      const high = at < lastAt ? message[at + 1]! : isEnd ? 0 : length << 26
      low3 ^= low
      high3 ^= high
      if (isEnd) low2 ^= 0xff
      for (let rounds = isEnd ? 4 : 2; rounds > 0; rounds--) {
        // v0 += v1; v1 <<<= 13; v1 ^= v0; v0 <<<= 32
        let sum = (low0 + low1) | 0
        let rotated = (low1 << 13) | (high1 >>> 19)
        low0 = (high0 + high1 + carryOf(low0, low1, sum)) | 0
        high1 = ((high1 << 13) | (low1 >>> 19)) ^ low0
        low1 = rotated ^ sum
        high0 = sum
        // v2 += v3; v3 <<<= 16; v3 ^= v2
        sum = (low2 + low3) | 0
        rotated = (low3 << 16) | (high3 >>> 16)
        high2 = (high2 + high3 + carryOf(low2, low3, sum)) | 0
        high3 = ((high3 << 16) | (low3 >>> 16)) ^ high2
        low3 = rotated ^ sum
        low2 = sum
        // v0 += v3; v3 <<<= 21; v3 ^= v0
        sum = (low0 + low3) | 0
        rotated = (low3 << 21) | (high3 >>> 11)
        high0 = (high0 + high3 + carryOf(low0, low3, sum)) | 0
        high3 = ((high3 << 21) | (low3 >>> 11)) ^ high0
        low3 = rotated ^ sum
        low0 = sum
        // v2 += v1; v1 <<<= 17; v1 ^= v2; v2 <<<= 32
        sum = (low2 + low1) | 0
        rotated = (low1 << 17) | (high1 >>> 15)
        low2 = (high2 + high1 + carryOf(low2, low1, sum)) | 0
        high1 = ((high1 << 17) | (low1 >>> 15)) ^ low2
        low1 = rotated ^ sum
        high2 = sum
      }
      low0 ^= low
      high0 ^= high
    }
    out[0] = low0 ^ low1 ^ low2 ^ low3
    out[1] = high0 ^ high1 ^ high2 ^ high3
  }
}

/** What a sum of two low halves carries over into the high ones; a comparison would be a branch nobody can predict. */
const carryOf = (a: number, b: number, sum: number): number => ((a & b) | ((a | b) & ~sum)) >>> 31
