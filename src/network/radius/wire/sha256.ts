/**
 * HMAC-SHA-256 (FIPS 180-4, RFC 2104) of short messages, for which the call into node:crypto and the object it makes
 * cost several times as much. Nothing is allocated per digest.
 */
const blockBytes = 64
const digestBytes = 32
/** With its end mark and its length a message of this size fits one block. */
const messageBytesMax = blockBytes - 9

/** The first 32 bits of the fractional parts of the roots of the first 64 primes. */
const [fractionBits, rounds] = [2 ** 32, 64]
const constants = new Int32Array(rounds)
const initial = new Int32Array(8)
for (let count = 0, prime = 2; count < rounds; prime++) {
  let divisor = 2
  while (divisor * divisor <= prime && prime % divisor !== 0) divisor++
  if (divisor * divisor <= prime) continue
  if (count < 8) initial[count] = (Math.sqrt(prime) % 1) * fractionBits
  constants[count++] = (Math.cbrt(prime) % 1) * fractionBits
}

const state = new Int32Array(8)
const schedule = new Int32Array(rounds)
const block = new Uint8Array(blockBytes)

/** A key whose two states of HMAC are prepared, so that a message costs two blocks. */
export class HmacSha256Key {
  readonly #inner: Int32Array
  readonly #outer: Int32Array

  /** RangeError when the key has more than 64 bytes. */
  constructor(key: Uint8Array) {
    if (key.length > blockBytes) throw new RangeError(`A key has at most ${blockBytes} bytes.`)
    this.#inner = padded(key, 0x36)
    this.#outer = padded(key, 0x5c)
  }

  /** Writes the first `length` bytes of the HMAC of message[0..end). RangeError beyond 55 bytes. */
  sign(message: Uint8Array, end: number, out: Uint8Array, at: number, length: number): void {
    if (end > messageBytesMax) throw new RangeError(`A message has at most ${messageBytesMax} bytes.`)
    for (let index = 0; index < end; index++) block[index] = message[index]!
    finish(this.#inner, end)
    for (let index = 0; index < digestBytes; index++) block[index] = byteOfState(index)
    finish(this.#outer, digestBytes)
    for (let index = 0; index < length; index++) out[at + index] = byteOfState(index)
  }
}

function padded(key: Uint8Array, pad: number): Int32Array {
  block.fill(pad)
  for (const [index, byte] of key.entries()) block[index]! ^= byte
  state.set(initial)
  mixBlock()
  return Int32Array.from(state)
}

/** The last block of a message of which `from` holds the state after the first one. */
function finish(from: Int32Array, end: number): void {
  block[end] = 0x80
  block.fill(0, end + 1)
  const bits = (blockBytes + end) * 8
  block[62] = bits >>> 8
  block[63] = bits
  for (let index = 0; index < 8; index++) state[index] = from[index]!
  mixBlock()
}

const byteOfState = (index: number): number => (state[index >> 2]! >>> (24 - (index & 3) * 8)) & 0xff

/** FIPS 180-4 section 6.2.2. */
function mixBlock(): void {
  for (let step = 0; step < 16; step++) {
    const at = step * 4
    schedule[step] = (block[at]! << 24) | (block[at + 1]! << 16) | (block[at + 2]! << 8) | block[at + 3]!
  }
  for (let step = 16; step < rounds; step++) {
    const x = schedule[step - 15]!
    const y = schedule[step - 2]!
    const first = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const second = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    schedule[step] = schedule[step - 16]! + first + schedule[step - 7]! + second
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let step = 0; step < rounds; step++) {
    const second = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const one = (h + second + (g ^ (e & (f ^ g))) + constants[step]! + schedule[step]!) | 0
    const first = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const two = (first + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
  state[4] = state[4]! + e
  state[5] = state[5]! + f
  state[6] = state[6]! + g
  state[7] = state[7]! + h
}
