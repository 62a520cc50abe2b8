import { createCipheriv, createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { encryptDes } from '../../../../src/network/radius/wire/des.ts'
import { md4 } from '../../../../src/network/radius/wire/md4.ts'
import { addMd5, beginMd5, endMd5, HmacMd5Key, md5 } from '../../../../src/network/radius/wire/md5.ts'
import { addSha1, beginSha1, endSha1 } from '../../../../src/network/radius/wire/sha1.ts'
import { SipHashKey } from '../../../../src/network/radius/wire/siphash.ts'
import { hex } from './builder.ts'
import { sipHash } from './siphash-reference.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Bytes that look random and are the same in every run. */
const noise = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length)
  let x = seed * 2654435761 + 1
  for (let i = 0; i < length; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0
    bytes[i] = x >>> 16
  }
  return bytes
}

const md5Of = (input: Uint8Array): string => {
  const out = new Uint8Array(16)
  md5(input, 0, input.length, out, 0)
  return text(out)
}

const hmacOf = (key: Uint8Array, input: Uint8Array): string => {
  const out = new Uint8Array(16)
  const hmac = new HmacMd5Key(key)
  hmac.begin()
  addMd5(input, 0, input.length)
  hmac.end(out, 0)
  return text(out)
}

/** The messages of RFC 1320 section A.5 and RFC 1321 section A.5. */
const messages = [
  '',
  'a',
  'abc',
  'message digest',
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
]

t.test('MD5 gives the digests of RFC 1321', async (t) => {
  t.strictSame(
    messages.map((message) => md5Of(Buffer.from(message))),
    [
      'd41d8cd98f00b204e9800998ecf8427e',
      '0cc175b9c0f1b6a831c399e269772661',
      '900150983cd24fb0d6963f7d28e17f72',
      'f96b697d7cb7938d525a2f31aaf161d0',
      'c3fcd3d76192e4007dfb496cca67e13b',
      'd174ab98d277d9f5a5611c2c9f419d9f',
      '57edf4a22be3c955ac49da2e2107b67a',
    ],
  )
})

t.test('MD4 gives the digests of RFC 1320', async (t) => {
  t.strictSame(
    messages.map((message) => text(md4(Buffer.from(message)))),
    [
      '31d6cfe0d16ae931b73c59d7e0c089c0',
      'bde52cb31de33e46245e05fbdbd6fb24',
      'a448017aaf21d8525fc10ae87aa6729d',
      'd9130a8164549fe818874806e1c7014b',
      'd79e1c308aa5bbcdeea8ed63df412da9',
      '043f8582f241db351ce627e153e7f0e4',
      'e33b4ddc9c38f2199c3e7b164fcc0536',
    ],
  )
})

t.test('HMAC-MD5 gives the digests of RFC 2202', async (t) => {
  const cases: [Buffer, Buffer, string][] = [
    [Buffer.alloc(16, 0x0b), Buffer.from('Hi There'), '9294727a3638bb1c13f48ef8158bfc9d'],
    [Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'), '750c783e6ab0b503eaa86e310a5db738'],
    [Buffer.alloc(16, 0xaa), Buffer.alloc(50, 0xdd), '56be34521d144c88dbb8c733f0e8b3f6'],
    [
      hex('0102030405060708090a0b0c0d0e0f10111213141516171819'),
      Buffer.alloc(50, 0xcd),
      '697eaf0aca3a3aea3a75164746ffaa79',
    ],
    [Buffer.alloc(16, 0x0c), Buffer.from('Test With Truncation'), '56461ef2342edc00f9bab995690efd4c'],
    [
      Buffer.alloc(80, 0xaa),
      Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
      '6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd',
    ],
    [
      Buffer.alloc(80, 0xaa),
      Buffer.from('Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data'),
      '6f630fad67cda0ee1fb1f562db3aa53e',
    ],
  ]
  for (const [key, data, digest] of cases) t.equal(hmacOf(key, data), digest)
})

t.test('MD5 and HMAC-MD5 agree with node:crypto at every length around the block borders', async (t) => {
  let different = 0
  for (let length = 0; length < 400; length++) {
    const input = noise(length, length)
    const key = noise(length % 100, length + 1)
    if (md5Of(input) !== createHash('md5').update(input).digest('hex')) different++
    if (hmacOf(key, input) !== createHmac('md5', key).update(input).digest('hex')) different++
  }
  t.equal(different, 0)
})

t.test('a digest does not depend on how its input is cut', async (t) => {
  const input = noise(300, 7)
  const whole = md5Of(input)
  for (const cut of [0, 1, 63, 64, 65, 128, 299, 300]) {
    const out = new Uint8Array(20)
    beginMd5()
    addMd5(input, 0, cut)
    addMd5(input, cut, input.length)
    endMd5(out, 3)
    t.equal(text(out.subarray(3, 19)), whole)
  }
})

t.test('DES gives known answers', async (t) => {
  // FIPS 81 table B1, the worked example of many textbooks, and four of NBS Special Publication 500-20.
  const cases = [
    ['0123456789abcdef', '4e6f772069732074', '3fa40e8a984d4815'],
    ['133457799bbcdff1', '0123456789abcdef', '85e813540f0ab405'],
    ['7ca110454a1a6e57', '01a1d6d039776742', '690f5b0d9a26939b'],
    ['0131d9619dc1376e', '5cd54ca83def57da', '7a389d10354bd271'],
    ['07a1133e4a0b2686', '0248d43806f67172', '868ebb51cab4599a'],
    ['3849674c2602319e', '51454b582ddf440a', '7178876e01f19b2a'],
  ] as const
  for (const [key, block, answer] of cases) {
    const out = new Uint8Array(8)
    encryptDes(withoutParity(hex(key)), 0, hex(block), out, 0)
    t.equal(text(out), answer)
  }
})

t.test('DES agrees with triple DES of one key in OpenSSL', async (t) => {
  let different = 0
  for (let i = 0; i < 500; i++) {
    const [key, block, out] = [noise(8, i), noise(8, i + 1000), Buffer.alloc(8)]
    const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
    encryptDes(withoutParity(key), 0, block, out, 0)
    if (!cipher.update(block).equals(out)) different++
  }
  t.equal(different, 0)
})

t.test('a DES key that ends early is padded with zeros', async (t) => {
  const [short, long] = [new Uint8Array(8), new Uint8Array(8)]
  encryptDes(hex('89ae'), 0, hex('d02e4386bce91226'), short, 0)
  encryptDes(hex('89ae0000000000'), 0, hex('d02e4386bce91226'), long, 0)
  t.equal(text(short), text(long))
})

/** The seven upper bits of each of eight bytes, as seven bytes. */
function withoutParity(key: Buffer): Buffer {
  let bits = 0n
  for (const byte of key) bits = (bits << 7n) | BigInt(byte >> 1)
  return Buffer.from(bits.toString(16).padStart(14, '0'), 'hex')
}

t.test('SHA-1 is that of node:crypto, whatever the length and however it is cut', async (t) => {
  let wrong = 0
  for (let length = 0; length < 300; length++) {
    const input = noise(length, length + 1)
    const digest = new Uint8Array(20)
    beginSha1()
    addSha1(input, 0, length >> 1)
    addSha1(input, length >> 1)
    endSha1(digest, 0)
    if (text(digest) !== createHash('sha1').update(input).digest('hex')) wrong++
  }
  t.equal(wrong, 0)
})

/** What OpenSSL and the reference implementation give for the key 00 01 … 0f and 0, 4, 8 … 60 bytes 00 01 02 … */
const sipHashes = [
  '310e0edd47db6f72',
  'b7877127e09427cf',
  '6224939a79f5f593',
  'fbe50e86bc8f1e75',
  'db9bc2577fcc2a3f',
  '98eea21af25cd6be',
  '94af49f6c650adb8',
  'a5c91da7acaa4dde',
  'ce7cf2722f512771',
  'b4a31508beff4d31',
  'd0a704536ba93e0e',
  'f21df2e41d4535f9',
  '51a9cb9ecba312e6',
  'b274cb8ebf87870a',
  'bd838d3aafbf8db7',
  'e1915f5cb1eca46c',
]

t.test('SipHash-2-4 gives the digests of the reference implementation', async (t) => {
  const out = new Int32Array(2)
  const counting = (length: number) => Uint8Array.from({ length }, (_, index) => index)
  const key = new SipHashKey(counting(16))
  for (const [index, expected] of sipHashes.entries()) {
    key.digest(new Int32Array(counting(index * 4).buffer), out)
    t.equal(text(new Uint8Array(out.buffer)), expected, `${index * 4} bytes`)
  }
  t.throws(() => new SipHashKey(counting(15)), RangeError)
  t.throws(() => new SipHashKey(counting(32)), RangeError)
})

t.test('SipHash-2-4 agrees with arithmetic of 64 bits for any key and message', async () => {
  const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const words = fc.nat(20).chain((count) => octets(count * 4))
  const out = new Int32Array(2)
  fc.assert(
    fc.property(octets(16), words, (key, message) => {
      new SipHashKey(key).digest(new Int32Array(Uint8Array.from(message).buffer), out)
      return (
        Buffer.from(out.buffer).readBigUInt64LE() === BigInt(`0x${sipHash(Buffer.from(key), Buffer.from(message))}`)
      )
    }),
  )
})
