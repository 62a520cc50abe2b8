const mask = 2n ** 64n - 1n
const turned = (value: bigint, by: bigint) => ((value << by) | (value >> (64n - by))) & mask

/** SipHash-2-4 as the paper writes it, of any message, as 16 hexadecimal digits of the number. */
export function sipHash(key: Buffer, message: Buffer): string {
  const [k0, k1] = [key.readBigUInt64LE(0), key.readBigUInt64LE(8)]
  let [v0, v1] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn]
  let [v2, v3] = [k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n]
  const rounds = (count: number) => {
    for (let round = 0; round < count; round++) {
      v0 = (v0 + v1) & mask
      v1 = turned(v1, 13n) ^ v0
      v0 = turned(v0, 32n)
      v2 = (v2 + v3) & mask
      v3 = turned(v3, 16n) ^ v2
      v0 = (v0 + v3) & mask
      v3 = turned(v3, 21n) ^ v0
      v2 = (v2 + v1) & mask
      v1 = turned(v1, 17n) ^ v2
      v2 = turned(v2, 32n)
    }
  }
  const padded = Buffer.alloc((message.length & ~7) + 8)
  message.copy(padded)
  padded[padded.length - 1] = message.length
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at)
    v3 ^= word
    rounds(2)
    v0 ^= word
  }
  v2 ^= 0xffn
  rounds(4)
  return (v0 ^ v1 ^ v2 ^ v3).toString(16).padStart(16, '0')
}
