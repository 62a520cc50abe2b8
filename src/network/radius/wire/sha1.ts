/**
 * SHA-1 (FIPS 180-4), which MS-CHAPv2 and its keys use. For their two or three blocks this is quicker than the call
 * into node:crypto and the copies before it. Nothing is allocated per digest.
 */
const blockBytes = 64
export const sha1Bytes = 20

const state = new Int32Array(5)
const schedule = new Int32Array(80)
/** The block as bytes; the words of SHA-1 are big-endian, so they are put together byte by byte. */
const block = new Uint8Array(blockBytes)
let waiting = 0
let total = 0

/** Begins a digest. Only one can be in progress, so there must be no await between begin and end. */
export function beginSha1(): void {
  state[0] = 0x67452301
  state[1] = 0xefcdab89 | 0
  state[2] = 0x98badcfe | 0
  state[3] = 0x10325476
  state[4] = 0xc3d2e1f0 | 0
  waiting = 0
  total = 0
}

/** Adds bytes[from..to). */
export function addSha1(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
  let filled = waiting
  total += to - from
  for (let at = from; at < to; at++) {
    block[filled++] = bytes[at]!
    if (filled === blockBytes) {
      mixBlock()
      filled = 0
    }
  }
  waiting = filled
}

/** Writes the first `length` bytes of the digest. */
export function endSha1(out: Uint8Array, at: number, length = sha1Bytes): void {
  const bits = total * 8
  block[waiting++] = 0x80
  if (waiting > 56) {
    block.fill(0, waiting)
    mixBlock()
    waiting = 0
  }
  block.fill(0, waiting, 60)
  for (let index = 0; index < 4; index++) block[60 + index] = bits >>> (24 - index * 8)
  mixBlock()
  for (let index = 0; index < length; index++) out[at + index] = state[index >> 2]! >>> (24 - (index & 3) * 8)
}

/** FIPS 180-4 section 6.1.2. */
function mixBlock(): void {
  for (let step = 0; step < 16; step++) {
    const at = step * 4
    schedule[step] = (block[at]! << 24) | (block[at + 1]! << 16) | (block[at + 2]! << 8) | block[at + 3]!
  }
  for (let step = 16; step < 80; step++) {
    const word = schedule[step - 3]! ^ schedule[step - 8]! ^ schedule[step - 14]! ^ schedule[step - 16]!
    schedule[step] = (word << 1) | (word >>> 31)
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let step = 0
  let sum = 0
  for (; step < 20; step++) {
    sum = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + schedule[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = sum
  }
  for (; step < 40; step++) {
    sum = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + schedule[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = sum
  }
  for (; step < 60; step++) {
    sum = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + (0x8f1bbcdc | 0) + schedule[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = sum
  }
  for (; step < 80; step++) {
    sum = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + (0xca62c1d6 | 0) + schedule[step]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = sum
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
  state[4] = state[4]! + e
}
