/** Hundreds of thousands of hostile datagrams: the codec refuses or reads them, and never throws nor looks outside. */
import fc from 'fast-check'
import t from 'tap'
import { readAccounting } from '../../../../src/network/radius/wire/accounting.ts'
import {
  verifyMessageAuthenticator,
  verifyRequestAuthenticator,
} from '../../../../src/network/radius/wire/authenticator.ts'
import { writeEapFailure } from '../../../../src/network/radius/wire/eap.ts'
import { readMsChap, verifyMsChap } from '../../../../src/network/radius/wire/ms-chap.ts'
import { PacketView, packetFaults } from '../../../../src/network/radius/wire/packet.ts'
import { passwordMethod, verifyChap, verifyPap } from '../../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../../src/network/radius/wire/writer.ts'
import { attributesOf } from '../../../support/attributes.ts'
import { build, hex, integer, sealed, type Tlv, vendorSpecific, zeros } from './builder.ts'

const secret = new SharedSecret('testing123')
const random = hex('000102030405060708090a0b0c0d0e0f')
const view = new PacketView()
const writer = new PacketWriter()
/** Where a datagram lies: bytes before and after it belong to others. */
const arena = Buffer.alloc(16_384, 0xee)
const arenaAt = 1000

const seeds: Buffer[] = [
  sealed(
    build(1, 1, random, [
      [80, zeros(16)],
      [1, 'steve'],
      [2, zeros(32)],
      [4, hex('c0a80110')],
      [31, 'AA-BB-CC-DD-EE-FF'],
      [33, 'proxy'],
      vendorSpecific(14988, [8, '10M'], [19, 'vip']),
    ]),
    random,
    'testing123',
  ),
  build(1, 2, random, [
    [1, 'DOM\\steve'],
    vendorSpecific(311, [11, zeros(16)]),
    vendorSpecific(311, [25, zeros(50)], [1, zeros(50)]),
  ]),
  build(1, 3, random, [
    [1, 'steve'],
    [3, zeros(17)],
    [60, zeros(16)],
  ]),
  build(4, 4, random, [
    [40, integer(3)],
    [44, 's1'],
    [42, integer(1)],
    [52, integer(1)],
    [97, hex('004020010db800010002')],
    [123, hex('003820010db8aabbcc')],
  ]),
  build(1, 6, random, [
    [1, 'steve'],
    [79, hex('02')],
    [79, hex('0700060373')],
    [79, zeros(0)],
  ]),
  build(43, 5, random, [
    [1, 'steve'],
    [101, integer(503)],
  ]),
]

/** Reads everything there is to read; returns the fault, or throws when a view leaves the packet. */
function inspect(datagram: Uint8Array): string | null {
  arena.set(datagram, arenaAt)
  const fault = view.reset(arena, arenaAt, arenaAt + datagram.length)
  if (fault !== null) {
    if (!packetFaults.includes(fault)) throw new Error(`unknown fault ${fault}`)
    return fault
  }
  if (view.start !== arenaAt || view.length > datagram.length || view.length > 4096) throw new Error('out of bounds')
  rewrite()
  readValues()
  return null
}

/** Writing the attributes again must give the same bytes. */
function rewrite(): void {
  writer.begin(view.code, view.identifier, view.authenticator)
  let end = view.start + 20
  for (const { type, value } of attributesOf(view)) {
    if (value.byteOffset !== arena.byteOffset + end + 2) throw new Error('an attribute lies elsewhere')
    end += 2 + value.length
    if (!writer.octets(type, value)) throw new Error('an attribute was refused')
  }
  writer.bytes.writeUInt16BE(writer.length, 2)
  if (end !== view.end || !writer.packet.equals(view.packet)) throw new Error('written differently')
}

function readValues(): void {
  for (const type of [1, 2, 8, 25, 33, 97, 200]) {
    view.text(type)
    view.integer(type)
    view.ipv4(type)
    view.ipv6(type)
    view.ipv6Prefix(type)
    for (const value of view.findAll(type)) inside(value)
  }
  for (const [vendor, type] of [
    [311, 11],
    [311, 25],
    [14988, 8],
    [14988, 19],
  ] as const) {
    const value = view.vendor(vendor, type)
    if (value !== null) inside(value)
  }
  readAccounting(view)
  passwordMethod(view)
  eapFailure()
  verifyMessageAuthenticator(view, secret, random)
  verifyRequestAuthenticator(view, secret)
  verifyPap(view, secret, 'password')
  verifyChap(view, 'password')
  for (const version of [1, 2] as const) {
    const request = readMsChap(view, version)
    if (request !== null) verifyMsChap(request, random)
  }
}

/** Against the packet as it would be in one piece. */
function eapFailure(): void {
  const parts = view.findAll(79)
  writer.begin(3, view.identifier)
  writeEapFailure(writer, view)
  const expected = parts.length > 0 ? [79, 6, 4, Buffer.concat(parts)[1] ?? 0, 0, 4] : []
  if (!writer.packet.subarray(20).equals(Buffer.from(expected))) throw new Error('another EAP-Failure')
}

function inside(value: Buffer): void {
  const from = value.byteOffset - arena.byteOffset
  if (value.length > 0 && (from < view.start + 20 || from + value.length > view.end))
    throw new Error('a view leaves the packet')
}

/** A small quick generator, seeded by fast-check, for the bulk of the packets. */
function generator(seed: number): (below: number) => number {
  let x = seed | 1
  return (below) => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) % below
  }
}

const scratch = Buffer.alloc(5000)

/** One good packet with a few bytes changed, cut, or lengthened; the length field follows in two cases of three. */
function mutated(next: (below: number) => number): Buffer {
  const seed = seeds[next(seeds.length)]!
  let length = seed.copy(scratch)
  for (let i = next(4); i >= 0; i--) {
    const at = next(length)
    const way = next(4)
    if (way === 0) scratch[at] = next(256)
    else if (way === 1) scratch[at]! ^= 1 << next(8)
    else if (way === 2) length = Math.max(1, length - next(8))
    else for (let n = next(8); n > 0; n--) scratch[length++] = next(256)
  }
  if (next(3) > 0 && length >= 4) scratch.writeUInt16BE(length, 2)
  return scratch.subarray(0, length)
}

function noise(next: (below: number) => number): Buffer {
  const length = next(200)
  for (let i = 0; i < length; i++) scratch[i] = next(256)
  // Pure noise ends at the length field; half of it is let through.
  if (next(2) === 0 && length >= 4) scratch.writeUInt16BE(length, 2)
  return scratch.subarray(0, length)
}

t.test('any random and mutated datagrams are read or refused', async (t) => {
  const faults = new Set<string>()
  let taken = 0
  let total = 0
  const each = 1000
  fc.assert(
    fc.property(fc.integer(), fc.nat(3), (seed, way) => {
      const next = generator(seed)
      for (let i = 0; i < each; i++) {
        const fault = inspect(way > 0 ? mutated(next) : noise(next))
        if (fault === null) taken++
        else faults.add(fault)
        total++
      }
    }),
    { numRuns: 300 },
  )
  t.equal(total, 300_000)
  t.ok(taken > 60_000, `${taken} were packets`)
  t.strictSame(
    [...faults].sort(),
    packetFaults.filter((fault) => fault !== 'lengthAboveMaximum' || faults.has(fault)).sort(),
  )
})

t.test('arrays of any bytes, as fast-check makes and shrinks them', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), (datagram) => {
      inspect(datagram)
    }),
    { numRuns: 3000 },
  )
  t.pass()
})

t.test('any attributes that fit are written and read back', async (t) => {
  const attributes = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 255 }).filter((type) => type !== 80),
      fc.uint8Array({ maxLength: 253 }),
    ),
    { maxLength: 15 },
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 255 }),
      attributes,
      (code, identifier, list) => {
        const tlvs = list.map(([type, value]): Tlv => [type, Buffer.from(value)])
        const datagram = build(code, identifier, random, tlvs)
        if (inspect(datagram) !== null) throw new Error('a good packet was refused')
        const read = Array.from(attributesOf(view), ({ type, value }) => [type, value.toString('hex')])
        const written = tlvs.map(([type, value]) => [type, (value as Buffer).toString('hex')])
        if (JSON.stringify(read) !== JSON.stringify(written)) throw new Error('read differently')
        for (const [type] of tlvs) {
          if (view.findAll(type).length !== tlvs.filter(([other]) => other === type).length) throw new Error('lost')
        }
      },
    ),
    { numRuns: 1000 },
  )
  t.pass()
})
