/**
 * MD5 (RFC 1321) and HMAC-MD5 (RFC 2104), as RADIUS prescribes them. Nothing is allocated per digest, and for inputs of a
 * few hundred bytes this is faster than the call into node:crypto. The words of a block are read in the byte order of the
 * machine, which is little-endian on every platform of Node we run on (x64 and arm64).
 */
const blockBytes = 64
/** A digest, and the authenticator of a RADIUS packet. */
export const digestBytes = 16

const state = new Int32Array(4)
const stateBytes = new Uint8Array(state.buffer)
const block = new Uint8Array(blockBytes)
const words = new Int32Array(block.buffer)
/** Bytes waiting in `block`. */
let waiting = 0
/** Bytes taken since the beginning. */
let total = 0

/** Begins a digest. There is one at a time: begin, add, end run without an await between them. */
export function beginMd5(): void {
  state[0] = 0x67452301
  state[1] = 0xefcdab89 | 0
  state[2] = 0x98badcfe | 0
  state[3] = 0x10325476
  waiting = 0
  total = 0
}

/** Takes the bytes from `from` up to, not including, `to`. */
export function addMd5(bytes: Uint8Array, from: number, to: number): void {
  let at = from
  let filled = waiting
  total += to - from
  while (at < to) {
    const until = Math.min(to, at + blockBytes - filled)
    while (at < until) block[filled++] = bytes[at++]!
    if (filled === blockBytes) {
      mixBlock()
      filled = 0
    }
  }
  waiting = filled
}

/** Writes the 16 bytes of the digest. */
export function endMd5(out: Uint8Array, at: number): void {
  block[waiting++] = 0x80
  if (waiting > 56) {
    while (waiting < blockBytes) block[waiting++] = 0
    mixBlock()
    waiting = 0
  }
  while (waiting < 56) block[waiting++] = 0
  words[14] = total << 3
  words[15] = total >>> 29
  mixBlock()
  for (let i = 0; i < digestBytes; i++) out[at + i] = stateBytes[i]!
}

/** The digest of one range, which may overlap the place it is written to. */
export function md5(bytes: Uint8Array, from: number, to: number, out: Uint8Array, at: number): void {
  beginMd5()
  addMd5(bytes, from, to)
  endMd5(out, at)
}

/** A key of HMAC-MD5 with its two padded blocks digested once, which halves the work of every later use. */
export class HmacMd5Key {
  readonly #inner = new Int32Array(4)
  readonly #outer = new Int32Array(4)

  constructor(key: Uint8Array) {
    const padded = new Uint8Array(blockBytes)
    if (key.length > blockBytes) md5(key, 0, key.length, padded, 0)
    else padded.set(key)
    for (const [pad, kept] of [
      [0x36, this.#inner],
      [0x5c, this.#outer],
    ] as const) {
      beginMd5()
      addMd5(
        padded.map((byte) => byte ^ pad),
        0,
        blockBytes,
      )
      kept.set(state)
    }
  }

  /** Begins; bytes are given with addMd5, and `end` replaces endMd5. */
  begin(): void {
    resume(this.#inner)
  }

  end(out: Uint8Array, at: number): void {
    endMd5(out, at)
    resume(this.#outer)
    addMd5(out, at, at + digestBytes)
    endMd5(out, at)
  }
}

function resume(kept: Int32Array): void {
  state[0] = kept[0]!
  state[1] = kept[1]!
  state[2] = kept[2]!
  state[3] = kept[3]!
  waiting = 0
  total = blockBytes
}

/** RFC 1321 section 3.4, written out: a loop over tables takes about twice the time. */
function mixBlock(): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  const w0 = words[0]!
  const w1 = words[1]!
  const w2 = words[2]!
  const w3 = words[3]!
  const w4 = words[4]!
  const w5 = words[5]!
  const w6 = words[6]!
  const w7 = words[7]!
  const w8 = words[8]!
  const w9 = words[9]!
  const w10 = words[10]!
  const w11 = words[11]!
  const w12 = words[12]!
  const w13 = words[13]!
  const w14 = words[14]!
  const w15 = words[15]!

  a = (a + ((b & c) | (~b & d)) + w0 - 0x28955b88) | 0
  a = (((a << 7) | (a >>> 25)) + b) | 0
  d = (d + ((a & b) | (~a & c)) + w1 - 0x173848aa) | 0
  d = (((d << 12) | (d >>> 20)) + a) | 0
  c = (c + ((d & a) | (~d & b)) + w2 + 0x242070db) | 0
  c = (((c << 17) | (c >>> 15)) + d) | 0
  b = (b + ((c & d) | (~c & a)) + w3 - 0x3e423112) | 0
  b = (((b << 22) | (b >>> 10)) + c) | 0
  a = (a + ((b & c) | (~b & d)) + w4 - 0xa83f051) | 0
  a = (((a << 7) | (a >>> 25)) + b) | 0
  d = (d + ((a & b) | (~a & c)) + w5 + 0x4787c62a) | 0
  d = (((d << 12) | (d >>> 20)) + a) | 0
  c = (c + ((d & a) | (~d & b)) + w6 - 0x57cfb9ed) | 0
  c = (((c << 17) | (c >>> 15)) + d) | 0
  b = (b + ((c & d) | (~c & a)) + w7 - 0x2b96aff) | 0
  b = (((b << 22) | (b >>> 10)) + c) | 0
  a = (a + ((b & c) | (~b & d)) + w8 + 0x698098d8) | 0
  a = (((a << 7) | (a >>> 25)) + b) | 0
  d = (d + ((a & b) | (~a & c)) + w9 - 0x74bb0851) | 0
  d = (((d << 12) | (d >>> 20)) + a) | 0
  c = (c + ((d & a) | (~d & b)) + w10 - 0xa44f) | 0
  c = (((c << 17) | (c >>> 15)) + d) | 0
  b = (b + ((c & d) | (~c & a)) + w11 - 0x76a32842) | 0
  b = (((b << 22) | (b >>> 10)) + c) | 0
  a = (a + ((b & c) | (~b & d)) + w12 + 0x6b901122) | 0
  a = (((a << 7) | (a >>> 25)) + b) | 0
  d = (d + ((a & b) | (~a & c)) + w13 - 0x2678e6d) | 0
  d = (((d << 12) | (d >>> 20)) + a) | 0
  c = (c + ((d & a) | (~d & b)) + w14 - 0x5986bc72) | 0
  c = (((c << 17) | (c >>> 15)) + d) | 0
  b = (b + ((c & d) | (~c & a)) + w15 + 0x49b40821) | 0
  b = (((b << 22) | (b >>> 10)) + c) | 0

  a = (a + ((b & d) | (c & ~d)) + w1 - 0x9e1da9e) | 0
  a = (((a << 5) | (a >>> 27)) + b) | 0
  d = (d + ((a & c) | (b & ~c)) + w6 - 0x3fbf4cc0) | 0
  d = (((d << 9) | (d >>> 23)) + a) | 0
  c = (c + ((d & b) | (a & ~b)) + w11 + 0x265e5a51) | 0
  c = (((c << 14) | (c >>> 18)) + d) | 0
  b = (b + ((c & a) | (d & ~a)) + w0 - 0x16493856) | 0
  b = (((b << 20) | (b >>> 12)) + c) | 0
  a = (a + ((b & d) | (c & ~d)) + w5 - 0x29d0efa3) | 0
  a = (((a << 5) | (a >>> 27)) + b) | 0
  d = (d + ((a & c) | (b & ~c)) + w10 + 0x2441453) | 0
  d = (((d << 9) | (d >>> 23)) + a) | 0
  c = (c + ((d & b) | (a & ~b)) + w15 - 0x275e197f) | 0
  c = (((c << 14) | (c >>> 18)) + d) | 0
  b = (b + ((c & a) | (d & ~a)) + w4 - 0x182c0438) | 0
  b = (((b << 20) | (b >>> 12)) + c) | 0
  a = (a + ((b & d) | (c & ~d)) + w9 + 0x21e1cde6) | 0
  a = (((a << 5) | (a >>> 27)) + b) | 0
  d = (d + ((a & c) | (b & ~c)) + w14 - 0x3cc8f82a) | 0
  d = (((d << 9) | (d >>> 23)) + a) | 0
  c = (c + ((d & b) | (a & ~b)) + w3 - 0xb2af279) | 0
  c = (((c << 14) | (c >>> 18)) + d) | 0
  b = (b + ((c & a) | (d & ~a)) + w8 + 0x455a14ed) | 0
  b = (((b << 20) | (b >>> 12)) + c) | 0
  a = (a + ((b & d) | (c & ~d)) + w13 - 0x561c16fb) | 0
  a = (((a << 5) | (a >>> 27)) + b) | 0
  d = (d + ((a & c) | (b & ~c)) + w2 - 0x3105c08) | 0
  d = (((d << 9) | (d >>> 23)) + a) | 0
  c = (c + ((d & b) | (a & ~b)) + w7 + 0x676f02d9) | 0
  c = (((c << 14) | (c >>> 18)) + d) | 0
  b = (b + ((c & a) | (d & ~a)) + w12 - 0x72d5b376) | 0
  b = (((b << 20) | (b >>> 12)) + c) | 0

  a = (a + (b ^ c ^ d) + w5 - 0x5c6be) | 0
  a = (((a << 4) | (a >>> 28)) + b) | 0
  d = (d + (a ^ b ^ c) + w8 - 0x788e097f) | 0
  d = (((d << 11) | (d >>> 21)) + a) | 0
  c = (c + (d ^ a ^ b) + w11 + 0x6d9d6122) | 0
  c = (((c << 16) | (c >>> 16)) + d) | 0
  b = (b + (c ^ d ^ a) + w14 - 0x21ac7f4) | 0
  b = (((b << 23) | (b >>> 9)) + c) | 0
  a = (a + (b ^ c ^ d) + w1 - 0x5b4115bc) | 0
  a = (((a << 4) | (a >>> 28)) + b) | 0
  d = (d + (a ^ b ^ c) + w4 + 0x4bdecfa9) | 0
  d = (((d << 11) | (d >>> 21)) + a) | 0
  c = (c + (d ^ a ^ b) + w7 - 0x944b4a0) | 0
  c = (((c << 16) | (c >>> 16)) + d) | 0
  b = (b + (c ^ d ^ a) + w10 - 0x41404390) | 0
  b = (((b << 23) | (b >>> 9)) + c) | 0
  a = (a + (b ^ c ^ d) + w13 + 0x289b7ec6) | 0
  a = (((a << 4) | (a >>> 28)) + b) | 0
  d = (d + (a ^ b ^ c) + w0 - 0x155ed806) | 0
  d = (((d << 11) | (d >>> 21)) + a) | 0
  c = (c + (d ^ a ^ b) + w3 - 0x2b10cf7b) | 0
  c = (((c << 16) | (c >>> 16)) + d) | 0
  b = (b + (c ^ d ^ a) + w6 + 0x4881d05) | 0
  b = (((b << 23) | (b >>> 9)) + c) | 0
  a = (a + (b ^ c ^ d) + w9 - 0x262b2fc7) | 0
  a = (((a << 4) | (a >>> 28)) + b) | 0
  d = (d + (a ^ b ^ c) + w12 - 0x1924661b) | 0
  d = (((d << 11) | (d >>> 21)) + a) | 0
  c = (c + (d ^ a ^ b) + w15 + 0x1fa27cf8) | 0
  c = (((c << 16) | (c >>> 16)) + d) | 0
  b = (b + (c ^ d ^ a) + w2 - 0x3b53a99b) | 0
  b = (((b << 23) | (b >>> 9)) + c) | 0

  a = (a + (c ^ (b | ~d)) + w0 - 0xbd6ddbc) | 0
  a = (((a << 6) | (a >>> 26)) + b) | 0
  d = (d + (b ^ (a | ~c)) + w7 + 0x432aff97) | 0
  d = (((d << 10) | (d >>> 22)) + a) | 0
  c = (c + (a ^ (d | ~b)) + w14 - 0x546bdc59) | 0
  c = (((c << 15) | (c >>> 17)) + d) | 0
  b = (b + (d ^ (c | ~a)) + w5 - 0x36c5fc7) | 0
  b = (((b << 21) | (b >>> 11)) + c) | 0
  a = (a + (c ^ (b | ~d)) + w12 + 0x655b59c3) | 0
  a = (((a << 6) | (a >>> 26)) + b) | 0
  d = (d + (b ^ (a | ~c)) + w3 - 0x70f3336e) | 0
  d = (((d << 10) | (d >>> 22)) + a) | 0
  c = (c + (a ^ (d | ~b)) + w10 - 0x100b83) | 0
  c = (((c << 15) | (c >>> 17)) + d) | 0
  b = (b + (d ^ (c | ~a)) + w1 - 0x7a7ba22f) | 0
  b = (((b << 21) | (b >>> 11)) + c) | 0
  a = (a + (c ^ (b | ~d)) + w8 + 0x6fa87e4f) | 0
  a = (((a << 6) | (a >>> 26)) + b) | 0
  d = (d + (b ^ (a | ~c)) + w15 - 0x1d31920) | 0
  d = (((d << 10) | (d >>> 22)) + a) | 0
  c = (c + (a ^ (d | ~b)) + w6 - 0x5cfebcec) | 0
  c = (((c << 15) | (c >>> 17)) + d) | 0
  b = (b + (d ^ (c | ~a)) + w13 + 0x4e0811a1) | 0
  b = (((b << 21) | (b >>> 11)) + c) | 0
  a = (a + (c ^ (b | ~d)) + w4 - 0x8ac817e) | 0
  a = (((a << 6) | (a >>> 26)) + b) | 0
  d = (d + (b ^ (a | ~c)) + w11 - 0x42c50dcb) | 0
  d = (((d << 10) | (d >>> 22)) + a) | 0
  c = (c + (a ^ (d | ~b)) + w2 + 0x2ad7d2bb) | 0
  c = (((c << 15) | (c >>> 17)) + d) | 0
  b = (b + (d ^ (c | ~a)) + w9 - 0x14792c6f) | 0
  b = (((b << 21) | (b >>> 11)) + c) | 0

  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}
