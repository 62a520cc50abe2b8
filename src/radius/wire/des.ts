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

/** Six key bits for every box of every round. */
const schedule = new Uint8Array(16 * 8)
const chosen = new Uint8Array(56)

/**
 * Encrypts the 8 bytes of `block` under the 7 bytes of `key` that begin at `keyAt`, and writes 8 bytes.
 * Bytes past the end of the key count as zero: RFC 2433 pads the password hash that way.
 */
export function encryptDes(key: Uint8Array, keyAt: number, block: Uint8Array, out: Uint8Array, at: number): void {
  scheduleKey(key, keyAt)
  let left = 0
  let right = 0
  // The initial permutation gathers the even bits of all bytes into the left half, the odd ones into the right.
  for (let row = 0; row < 8; row += 2) {
    for (let byte = 7; byte >= 0; byte--) {
      left = (left << 1) | ((block[byte]! >> (6 - row)) & 1)
      right = (right << 1) | ((block[byte]! >> (7 - row)) & 1)
    }
  }
  for (let round = 0; round < 16; round++) {
    let mixed = left
    for (let box = 0; box < 8; box++) {
      // The expansion gives each box four bits of its own and one of each neighbour.
      const turn = 4 * box + 5
      const six = ((right << turn) | (right >>> (32 - turn))) & 63
      mixed ^= spread[box * 64 + (six ^ schedule[round * 8 + box]!)]!
    }
    left = right
    right = mixed
  }
  out.fill(0, at, at + 8)
  let bit = 31
  for (let row = 0; row < 8; row += 2) {
    for (let byte = 7; byte >= 0; byte--) {
      out[at + byte]! |= (((right >>> bit) & 1) << (6 - row)) | (((left >>> bit) & 1) << (7 - row))
      bit--
    }
  }
}

function scheduleKey(key: Uint8Array, keyAt: number): void {
  for (let i = 0; i < 56; i++) {
    const bit = choice1[i]! - 1
    chosen[i] = ((key[keyAt + (bit >> 3)] ?? 0) >> (7 - (bit & 7))) & 1
  }
  let shift = 0
  for (let round = 0; round < 16; round++) {
    shift += rotations[round]!
    for (let box = 0; box < 8; box++) {
      let six = 0
      for (let i = box * 6; i < box * 6 + 6; i++) {
        const half = i < 24 ? 0 : 28
        let place = choice2[i]! - 1 - half + shift
        if (place >= 28) place -= 28
        six = (six << 1) | chosen[half + place]!
      }
      schedule[round * 8 + box] = six
    }
  }
}
