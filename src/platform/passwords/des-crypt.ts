/** The letters of crypt(3) for the numbers 0 to 63. */
export const cryptLetters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** DES (FIPS 46-3): which bits of the key, counted from 1 and with those of parity, become C and D. */
const permutedChoice1 = [
  ...[57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36],
  ...[63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4],
]
/** Which bits of C and D, counted from 1, are the key of a round. */
const permutedChoice2 = [
  ...[14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2],
  ...[41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32],
]
/** By how many places C and D are turned to the left before each round. */
const turns = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]
/** The four rows of each selection function, S1 to S8, a hexadecimal digit for each value. */
const selections = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
]
/** How the values of the selection functions are mixed, counted from 1. */
const permutation = [
  ...[16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10],
  ...[2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25],
]
/** By selection function: what each six bits come to, mixed. Bit 1 of FIPS 46-3 is the highest of a number. */
const mixed = selections.map((rows, which) =>
  Int32Array.from({ length: 64 }, (_, six) => {
    const at = ((six >> 5) << 5) | ((six & 1) << 4) | ((six >> 1) & 15)
    const value = Number.parseInt(rows[at]!, 16) << (28 - which * 4)
    return permutation.reduce((all, place, bit) => all | (bitOf(value, place) << (31 - bit)), 0)
  }),
)

/**
 * crypt(3) of the Seventh Edition of Unix: a block of zeros, encrypted 25 times by DES with seven bits of each of the
 * first eight bytes of the password as the key, where the two letters of the salt change the expansion of each round.
 * The result is the eleven letters behind the salt.
 */
export function desCrypt(password: Uint8Array, salt: string): string {
  const keys = keysOf(password)
  const exchanges = [...salt].map((letter) => reversedSix(cryptLetters.indexOf(letter)))
  let [left, right] = [0, 0]
  // The final permutation of one encryption and the initial one of the next take each other away.
  for (let time = 0; time < 25; time++) {
    for (const key of keys) [left, right] = [right, left ^ changed(right, key, exchanges)]
    ;[left, right] = [right, left]
  }
  return lettersOf(left, right)
}

/** The keys of the sixteen rounds: six bits for each selection function. */
function keysOf(password: Uint8Array): number[][] {
  // The lowest bit of each byte is that of parity, so the seven bits of a letter stand one place higher.
  const bits = permutedChoice1.map((place) => ((password[(place - 1) >> 3] ?? 0) >> (6 - ((place - 1) & 7))) & 1)
  let turned = 0
  return turns.map((by) => {
    turned += by
    const key = permutedChoice2.map((place) => {
      const half = place > 28 ? 28 : 0
      return bits[half + ((place - 1 - half + turned) % 28)]!
    })
    return numbersOf(key)
  })
}

/**
 * The function f of DES: of the right half each selection function takes six bits, of which the first and the last
 * belong to its neighbours too. Bits that are set in the salt are exchanged between the first and the fifth of them,
 * and between the second and the sixth.
 */
function changed(right: number, key: readonly number[], exchanges: readonly number[]): number {
  let result = 0
  for (let which = 0; which < 4; which++) {
    const [one, other] = [sixOf(right, which), sixOf(right, which + 4)]
    const exchanged = (one ^ other) & (exchanges[which] ?? 0)
    result ^= mixed[which]![one ^ exchanged ^ key[which]!]!
    result ^= mixed[which + 4]![other ^ exchanged ^ key[which + 4]!]!
  }
  return result
}

function sixOf(half: number, which: number): number {
  const by = (which * 4 + 5) & 31
  return ((half << by) | (half >>> (32 - by))) & 63
}

/** The first bit of a letter of the salt is its lowest. */
const reversedSix = (number: number): number =>
  [0, 1, 2, 3, 4, 5].reduce((all, bit) => all | (((number >> bit) & 1) << (5 - bit)), 0)

/** A bit of a half, counted from 1. */
function bitOf(half: number, place: number): number {
  return (half >>> (32 - place)) & 1
}

/** Six bits a number, the highest first. */
const numbersOf = (bits: readonly number[]): number[] =>
  Array.from({ length: bits.length / 6 }, (_, at) =>
    bits.slice(at * 6, at * 6 + 6).reduce((all, bit) => (all << 1) | bit, 0),
  )

/** The final permutation, and a letter for each six bits; two bits of the last one are zero. */
function lettersOf(left: number, right: number): string {
  const bits = Array.from({ length: 64 }, (_, at) =>
    bitOf(at % 2 === 0 ? right : left, Math.floor((at % 8) / 2) * 8 + 8 - Math.floor(at / 8)),
  )
  return numbersOf([...bits, 0, 0])
    .map((number) => cryptLetters[number])
    .join('')
}
