import { createCipheriv } from 'node:crypto'

export const nonceBytes = 12
export const tagBytes = 16
const blockBytes = 16

/**
 * Opens many short values of AES-256-GCM at once (NIST SP 800-38D section 7.2). node:crypto needs an object for each
 * value, which costs ten times as much as what it computes. Here one call of the cipher encrypts the counter blocks of
 * all values, and the tags are computed here (section 6.4).
 */
export class GcmBatch {
  readonly #key: Buffer
  readonly #hash: TagHash

  constructor(key: Buffer) {
    this.#key = key
    this.#hash = new TagHash(this.#encrypted(Buffer.alloc(blockBytes)))
  }

  /**
   * The values lie one behind another in `bytes`, each a nonce, a tag and encrypted UTF-8; `ends` tells where each of
   * them ends. Null where a tag is wrong.
   */
  open(bytes: Buffer, ends: readonly number[]): (string | null)[] {
    const stream = this.#encrypted(counterBlocks(bytes, ends))
    let start = 0
    let streamAt = 0
    return ends.map((end) => {
      const tagAt = start + nonceBytes
      const sealedAt = tagAt + tagBytes
      const textAt = streamAt + blockBytes
      const isRight = this.#hash.digest(bytes, sealedAt, end).isTag(bytes, tagAt, stream, streamAt)
      start = end
      streamAt += blocksOf(end - sealedAt) * blockBytes
      if (!isRight) return null
      for (let at = sealedAt; at < end; at++) stream[textAt + at - sealedAt]! ^= bytes[at]!
      return stream.toString('utf8', textAt, textAt + end - sealedAt)
    })
  }

  #encrypted(blocks: Buffer): Buffer {
    return createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false).update(blocks)
  }
}

/** A block for the tag and one for each 16 bytes of the text. */
const blocksOf = (textBytes: number): number => 1 + Math.ceil(textBytes / blockBytes)

/** Of all values: the nonce of each, counted from 1. */
function counterBlocks(bytes: Buffer, ends: readonly number[]): Buffer {
  const blocks = Buffer.allocUnsafe(bytes.length + ends.length * blockBytes)
  let start = 0
  let at = 0
  for (const end of ends) {
    const count = blocksOf(end - start - nonceBytes - tagBytes)
    for (let counter = 1; counter <= count; counter++) {
      for (let index = 0; index < nonceBytes; index++) blocks[at + index] = bytes[start + index]!
      at = blocks.writeUInt32BE(counter, at + nonceBytes)
    }
    start = end
  }
  return blocks.subarray(0, at)
}

/**
 * GHASH of section 6.4, without additional data: for each block a multiplication by the hash key in GF(2^128), byte by
 * byte from tables. A block is four big-endian words; its first bit is the coefficient of x^0 (section 6.3).
 */
class TagHash {
  /** The hash key times each byte in the place of the first one, as four words. */
  readonly #products = new Int32Array(256 * 4)
  /** What the bits of a byte that leave the block at its end add to the first word. */
  readonly #reductions = new Int32Array(256)
  readonly #sum = new Int32Array(4)

  constructor(key: Buffer) {
    const products = this.#products
    const power = Int32Array.from({ length: 4 }, (_, index) => key.readInt32BE(index * 4))
    for (let bit = 128; bit >= 1; bit >>= 1) {
      products.set(power, bit * 4)
      timesX(power)
    }
    for (let byte = 2; byte < 256; byte++) {
      const lowest = byte & -byte
      if (lowest === byte) continue
      for (let index = 0; index < 4; index++)
        products[byte * 4 + index] = products[lowest * 4 + index]! ^ products[(byte ^ lowest) * 4 + index]!
    }
    for (let byte = 0; byte < 256; byte++) {
      const block = Int32Array.of(0, 0, 0, byte)
      for (let bit = 0; bit < 8; bit++) timesX(block)
      this.#reductions[byte] = block[0]!
    }
  }

  /** Of the bytes from `start` to `end`. */
  digest(bytes: Buffer, start: number, end: number): this {
    const sum = this.#sum.fill(0)
    for (let at = start; at < end; at++) {
      const index = (at - start) % blockBytes
      sum[index >> 2]! ^= bytes[at]! << (24 - (index & 3) * 8)
      if (index === blockBytes - 1 || at === end - 1) this.#multiply()
    }
    // The last block has the lengths in bits, 64 for each.
    sum[3]! ^= (end - start) * 8
    this.#multiply()
    return this
  }

  /** Whether it and `mask` together are the tag. */
  isTag(tag: Buffer, tagAt: number, mask: Buffer, maskAt: number): boolean {
    let difference = 0
    for (let index = 0; index < tagBytes; index++)
      difference |= mask[maskAt + index]! ^ this.#byteAt(index) ^ tag[tagAt + index]!
    return difference === 0
  }

  #byteAt(index: number): number {
    return (this.#sum[index >> 2]! >>> (24 - (index & 3) * 8)) & 255
  }

  #multiply(): void {
    const sum = this.#sum
    const products = this.#products
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let index = blockBytes - 1; index >= 0; index--) {
      const product = this.#byteAt(index) * 4
      const leaving = this.#reductions[d & 255]!
      d = ((d >>> 8) | (c << 24)) ^ products[product + 3]!
      c = ((c >>> 8) | (b << 24)) ^ products[product + 2]!
      b = ((b >>> 8) | (a << 24)) ^ products[product + 1]!
      a = (a >>> 8) ^ leaving ^ products[product]!
    }
    sum[0] = a
    sum[1] = b
    sum[2] = c
    sum[3] = d
  }
}

/** Multiplies a block by x in place. */
function timesX(block: Int32Array): void {
  const [a, b, c, d] = block as unknown as [number, number, number, number]
  block[3] = (d >>> 1) | (c << 31)
  block[2] = (c >>> 1) | (b << 31)
  block[1] = (b >>> 1) | (a << 31)
  block[0] = (a >>> 1) ^ (d & 1 ? 0xe1 << 24 : 0)
}
