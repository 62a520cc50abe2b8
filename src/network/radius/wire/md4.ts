/**
 * MD4 (RFC 1320), which OpenSSL 3 no longer offers and the NT password hash of MS-CHAP needs. It is broken for any
 * other purpose.
 */
const blockBytes = 64
const digestBytes = 16
const shifts = Uint8Array.of(3, 7, 11, 19, 3, 5, 9, 13, 3, 9, 11, 15)
/** The order in which each round takes the words of a block. */
const order = Uint8Array.of(
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  ...[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  ...[0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
)
const constants = Int32Array.of(0, 0x5a827999, 0x6ed9eba1)

// Little-endian words, as on every platform we run on (md5.ts).
const block = new Uint8Array(blockBytes)
const words = new Int32Array(block.buffer)
const state = new Int32Array(4)
const stateBytes = new Uint8Array(state.buffer)

/** The 16 bytes of the digest. */
export function md4(message: Uint8Array): Uint8Array {
  state[0] = 0x67452301
  state[1] = 0xefcdab89 | 0
  state[2] = 0x98badcfe | 0
  state[3] = 0x10325476
  const { length } = message
  let at = 0
  for (; at + blockBytes <= length; at += blockBytes) {
    for (let index = 0; index < blockBytes; index++) block[index] = message[at + index]!
    mixBlock()
  }
  let filled = 0
  while (at < length) block[filled++] = message[at++]!
  block[filled++] = 0x80
  if (filled > 56) {
    block.fill(0, filled)
    mixBlock()
    filled = 0
  }
  block.fill(0, filled)
  words[14] = length << 3
  words[15] = length >>> 29
  mixBlock()
  const digest = new Uint8Array(digestBytes)
  for (let index = 0; index < digestBytes; index++) digest[index] = stateBytes[index]!
  return digest
}

function mixBlock(): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  for (let step = 0; step < 48; step++) {
    const round = step >> 4
    const mixed = round === 0 ? d ^ (b & (c ^ d)) : round === 1 ? (b & c) | (d & (b | c)) : b ^ c ^ d
    const sum = (a + mixed + words[order[step]!]! + constants[round]!) | 0
    const shift = shifts[(round << 2) | (step & 3)]!
    a = d
    d = c
    c = b
    b = (sum << shift) | (sum >>> (32 - shift))
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}
