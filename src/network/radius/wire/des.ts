/**
 * One block of single DES (FIPS 46-3) under the 56-bit keys of MS-CHAP. OpenSSL 3 has moved single DES to its legacy
 * provider, which is not everywhere. Bits are counted from 1 at the left, as the standard counts them.
 */

/** The four rows of each S-box, S1 to S8, as hexadecimal digits. */
const boxes = [
  'e4d12fb83a6c5907 0f74e2d1a6cb9538 41e8d62bfc973a50 fc8249175b3ea06d',
  'f18e6b34972dc05a 3d47f28ec01a69b5 0e7ba4d158c6932f d8a13f42b67c05e9',
  'a09e63f51dc7b428 d709346a285ecbf1 d6498f30b12c5ae7 1ad069874fe3b52c',
  '7de3069a1285bc4f d8b56f03472c1ae9 a690cb7df13e5284 3f06a1d8945bc72e',
  '2c417ab6853fd0e9 eb2c47d150fa3986 421bad78f9c5630e b8c71e2d6f09a453',
  'c1af92680d34e75b af427c9561de0b38 9ef528c3704a1db6 432c95fabe17608d',
  '4b2ef08d3c975a61 d0b7491ae35c2f86 14bdc37eaf680592 6bd814a7950fe23c',
  'd2846fb1a93e50c7 1fd8a374c56b0e92 7b419ce206adf358 21e74a8dfc90356b',
].map((rows) => rows.replaceAll(' ', ''))
const permutation = [
  16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
]
/** Permuted choice 1 over an eight-byte key, here counted over the 56 bits that are left without parity. */
const choice1 = [
  57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36, 63, 55,
  47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
].map((bit) => bit - Math.floor(bit / 8))
const choice2 = [
  14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37, 47, 55, 30,
  40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
]
const rotations = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]

/** Box and permutation in one step: spread[box * 64 + six bits] is 32 bits to be combined by exclusive or. */
const spread = new Int32Array(8 * 64)
for (const [box, digits] of boxes.entries()) {
  for (let six = 0; six < 64; six++) {
    const row = ((six >> 4) & 2) | (six & 1)
    const four = Number.parseInt(digits[row * 16 + ((six >> 1) & 15)]!, 16)
    const before = four << (28 - box * 4)
    for (const [to, from] of permutation.entries())
      spread[box * 64 + six]! |= ((before >>> (32 - from)) & 1) << (31 - to)
  }
}

/** Permuted choice 1 by tables: the halves of 28 bits that four bits of the key contribute to. */
const halves = new Int32Array(14 * 16 * 2)
for (const [to, bit] of choice1.entries()) {
  const nibble = (bit - 1) >> 2
  for (let value = 0; value < 16; value++)
    if ((value >> (3 - ((bit - 1) & 3))) & 1)
      halves[(nibble * 16 + value) * 2 + (to < 28 ? 0 : 1)]! |= 1 << (27 - (to % 28))
}

/**
 * Permuted choice 2 by tables: the 24 bits of a round's key that seven bits of a half contribute to; four tables for
 * each half.
 */
const chosen = new Int32Array(8 * 128)
for (const [to, place] of choice2.entries()) {
  const half = to < 24 ? 0 : 1
  const bit = place - 1 - half * 28
  const table = half * 4 + Math.floor(bit / 7)
  for (let value = 0; value < 128; value++)
    if ((value >> (6 - (bit % 7))) & 1) chosen[table * 128 + value]! |= 1 << (23 - (to % 24))
}

/** Two words for every round: the key bits of boxes 1 to 4, then of 5 to 8, six for each. */
const schedule = new Int32Array(16 * 2)

/** The left and the right half of the block that is being encrypted. */
const pair = new Int32Array(2)
const left = 0
const right = 1

/**
 * Encrypts the 8 bytes of `block` under the 7 bytes of `key` that begin at `keyAt`, and writes 8 bytes.
 * Bytes past the end of the key count as zero: RFC 2433 pads the password hash that way.
 */
export function encryptDes(key: Uint8Array, keyAt: number, block: Uint8Array, out: Uint8Array, at: number): void {
  scheduleKey(key, keyAt)
  pair[left] = word(block, 0)
  pair[right] = word(block, 4)
  // The initial permutation is five exchanges of bits between the halves.
  exchangeBits(left, right, 4, 0x0f0f0f0f)
  exchangeBits(left, right, 16, 0x0000ffff)
  exchangeBits(right, left, 2, 0x33333333)
  exchangeBits(right, left, 8, 0x00ff00ff)
  exchangeBits(left, right, 1, 0x55555555)
  runRounds()
  // The inverse permutation is the same exchanges in reverse order, on halves that have changed places.
  exchangeBits(right, left, 1, 0x55555555)
  exchangeBits(left, right, 8, 0x00ff00ff)
  exchangeBits(left, right, 2, 0x33333333)
  exchangeBits(right, left, 16, 0x0000ffff)
  exchangeBits(right, left, 4, 0x0f0f0f0f)
  for (let index = 0; index < 4; index++) {
    out[at + index] = pair[right]! >>> (24 - index * 8)
    out[at + 4 + index] = pair[left]! >>> (24 - index * 8)
  }
}

/** Exchanges the masked bits of `low` with the bits of `high` that are `shift` places further left. */
function exchangeBits(high: number, low: number, shift: number, mask: number): void {
  const difference = ((pair[high]! >>> shift) ^ pair[low]!) & mask
  pair[low]! ^= difference
  pair[high]! ^= difference << shift
}

function runRounds(): void {
  let first = pair[left]!
  let second = pair[right]!
  for (let round = 0; round < 32; round += 2) {
    const mixed = first ^ scrambled(second, schedule[round]!, schedule[round + 1]!)
    first = second
    second = mixed
  }
  pair[left] = first
  pair[right] = second
}

/** The expansion gives each box four bits of its own and one of each neighbour. */
function scrambled(half: number, first: number, second: number): number {
  return (
    spread[(((half << 5) | (half >>> 27)) & 63) ^ (first >>> 18)]! ^
    spread[64 + (((half >>> 23) & 63) ^ ((first >>> 12) & 63))]! ^
    spread[128 + (((half >>> 19) & 63) ^ ((first >>> 6) & 63))]! ^
    spread[192 + (((half >>> 15) & 63) ^ (first & 63))]! ^
    spread[256 + (((half >>> 11) & 63) ^ (second >>> 18))]! ^
    spread[320 + (((half >>> 7) & 63) ^ ((second >>> 12) & 63))]! ^
    spread[384 + (((half >>> 3) & 63) ^ ((second >>> 6) & 63))]! ^
    spread[448 + ((((half << 1) | (half >>> 31)) & 63) ^ (second & 63))]!
  )
}

function scheduleKey(key: Uint8Array, keyAt: number): void {
  let first = 0
  let second = 0
  for (let index = 0; index < 7; index++) {
    const byte = key[keyAt + index] ?? 0
    const high = (index * 32 + (byte >> 4)) * 2
    const low = (index * 32 + 16 + (byte & 15)) * 2
    first |= halves[high]! | halves[low]!
    second |= halves[high + 1]! | halves[low + 1]!
  }
  for (let round = 0; round < 16; round++) {
    const shift = rotations[round]!
    first = ((first << shift) | (first >>> (28 - shift))) & 0xfffffff
    second = ((second << shift) | (second >>> (28 - shift))) & 0xfffffff
    schedule[round * 2] =
      chosen[first >>> 21]! |
      chosen[128 + ((first >>> 14) & 127)]! |
      chosen[256 + ((first >>> 7) & 127)]! |
      chosen[384 + (first & 127)]!
    schedule[round * 2 + 1] =
      chosen[512 + (second >>> 21)]! |
      chosen[640 + ((second >>> 14) & 127)]! |
      chosen[768 + ((second >>> 7) & 127)]! |
      chosen[896 + (second & 127)]!
  }
}

const word = (bytes: Uint8Array, at: number) =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
