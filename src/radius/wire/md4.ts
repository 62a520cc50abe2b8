/** MD4 (RFC 1320), which OpenSSL 3 no longer offers and the NT password hash of MS-CHAP needs. Broken for any other purpose. */
const blockBytes = 64
const shifts = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
] as const
/** The order in which each round takes the words of a block. */
const orders = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
] as const
const constants = [0, 0x5a827999, 0x6ed9eba1] as const

/** The 16 bytes of the digest. */
export function md4(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor((message.length + 8) / blockBytes) + 1) * blockBytes)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, message.length << 3, true)
  view.setUint32(padded.length - 4, message.length >>> 29, true)
  let a = 0x67452301
  let b = 0xefcdab89 | 0
  let c = 0x98badcfe | 0
  let d = 0x10325476
  for (let start = 0; start < padded.length; start += blockBytes) {
    const [a0, b0, c0, d0] = [a, b, c, d]
    for (let round = 0; round < 3; round++) {
      for (let step = 0; step < 16; step++) {
        const word = view.getInt32(start + orders[round]![step]! * 4, true)
        const sum = (a + mixed(round, b, c, d) + word + constants[round]!) | 0
        const shift = shifts[round]![step & 3]!
        a = d
        d = c
        c = b
        b = (sum << shift) | (sum >>> (32 - shift))
      }
    }
    a = (a + a0) | 0
    b = (b + b0) | 0
    c = (c + c0) | 0
    d = (d + d0) | 0
  }
  const digest = new DataView(new ArrayBuffer(16))
  for (const [i, word] of [a, b, c, d].entries()) digest.setInt32(i * 4, word, true)
  return new Uint8Array(digest.buffer)
}

function mixed(round: number, x: number, y: number, z: number): number {
  if (round === 0) return (x & y) | (~x & z)
  if (round === 1) return (x & y) | (x & z) | (y & z)
  return x ^ y ^ z
}
