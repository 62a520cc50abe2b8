import { BlockList } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasSlot } from '../../../src/network/radius/worker/messages.ts'
import { parseIpv6 } from '../../../src/network/radius/wire/address.ts'
import { PacketView } from '../../../src/network/radius/wire/packet.ts'
import { secretKeyBytes } from '../../../src/network/radius/wire/shared-secret.ts'
import { NasTable } from '../../../src/network/radius/worker/nas-table.ts'
import type { KnownNas } from '../../../src/network/radius/worker/signature-rules.ts'
import { nasEntry } from './fixture.ts'
import { build } from './wire/builder.ts'

const seatOf = (id: number, ip: string, changes: Partial<NasSlot> = {}): NasSlot => ({
  ...nasEntry({ id: nasId(id), ip }),
  nasSlot: id,
  edition: 1,
  ...changes,
})

const packet = new PacketView()

/** The record that an Access-Request from this address belongs to, with this NAS-Identifier. */
function chosen(table: NasTable, address: string, identifier: string | null = null, code = 1): KnownNas | null {
  packet.reset(build(code, 1, Buffer.alloc(16), identifier === null ? [] : [[32, identifier]]))
  const place = table.find(from(address), 8)
  return place && table.choose(place, packet)
}

/** A datagram from this address, described behind another one. */
function from(address: string): Int32Array {
  const words = new Int32Array(16)
  words.set(new Int32Array(parseIpv6(address.includes(':') ? address : `::ffff:${address}`)!.buffer), 12)
  return words
}

t.test('each NAS is found by its address in either family, and nobody else', async (t) => {
  const many = Array.from({ length: 500 }, (_, id) => seatOf(id + 1, `10.${id >> 8}.${id & 255}.1`))
  const table = new NasTable([
    ...many,
    seatOf(900, '2001:DB8::1'),
    seatOf(901, '::ffff:192.0.2.7'),
    seatOf(902, '192.0.2.8', { enabled: false }),
    seatOf(903, '192.0.2.9'),
    seatOf(904, '192.0.2.9'),
    seatOf(905, 'no address'),
    seatOf(906, '192.0.2.10', { secret: 'long '.repeat(40) }),
  ])
  const idOf = (address: string) => chosen(table, address)?.record.id ?? null
  t.ok(many.every(({ id, ip }) => idOf(ip!) === id))
  t.equal(idOf('2001:db8::1'), 900)
  t.equal(idOf('192.0.2.7'), 901)
  t.equal(idOf('192.0.2.8'), null, 'switched off')
  t.equal(idOf('192.0.2.9'), 904, 'the later of two')
  t.equal(idOf('10.9.9.9'), null)
  t.equal(idOf('::1'), null)
  const long = chosen(table, '192.0.2.10')!
  t.equal(long.key, -1, 'its digests are worked out one by one')
  t.ok(chosen(table, '10.1.0.1')!.key * secretKeyBytes < table.keys.length)
  t.equal(chosen(new NasTable([]), '10.0.0.1'), null)
})

/** A record of a network, or of an address when it has no prefix length. */
const recordOf = (id: number, place: string, changes: Partial<NasSlot> = {}): NasSlot => ({
  ...seatOf(id, ''),
  ip: place.includes('/') ? null : place,
  network: place.includes('/') ? place : null,
  ...changes,
})

t.test(
  'an address comes before a narrow network, that before a wide one, and a record that is off shuts its place',
  async (t) => {
    const table = new NasTable([
      recordOf(1, '10.0.0.0/8'),
      recordOf(2, '10.1.0.0/16'),
      recordOf(3, '10.1.2.3'),
      recordOf(4, '10.2.0.0/16', { enabled: false }),
      recordOf(5, '10.1.2.4', { enabled: false }),
      recordOf(6, '2001:db8::/32'),
      recordOf(7, '2001:db8:1::/48'),
      recordOf(8, '::/0'),
      recordOf(9, 'fe80::1'),
      recordOf(10, '192.0.2.64/26'),
      recordOf(11, '198.51.100.9/32'),
    ])
    const idOf = (address: string) => chosen(table, address)?.record.id ?? null
    t.equal(idOf('10.9.9.9'), 1)
    t.equal(idOf('10.1.9.9'), 2)
    t.equal(idOf('10.1.2.3'), 3)
    t.equal(idOf('10.2.0.1'), null)
    t.equal(idOf('10.1.2.4'), null)
    t.equal(idOf('2001:db8:2::1'), 6)
    t.equal(idOf('2001:db8:1::1'), 7)
    t.equal(idOf('2a00::1'), 8)
    t.equal(idOf('fe80::1'), 9)
    t.equal(idOf('192.0.2.63'), null, 'all of IPv6 has no IPv4 in it')
    t.equal(idOf('192.0.2.127'), 10)
    t.equal(idOf('198.51.100.9'), 11)
    t.equal(idOf('198.51.100.8'), null)
    t.equal(chosen(new NasTable([recordOf(1, '0.0.0.0/0')]), '203.0.113.1')?.record.id, 1)
    t.equal(chosen(new NasTable([recordOf(1, '0.0.0.0/0')]), '2001:db8::1'), null)
  },
)

t.test('NAS-Identifier tells apart the records of one place', async (t) => {
  const table = new NasTable([
    recordOf(1, '10.1.2.3', { identifier: 'bras-1' }),
    recordOf(2, '10.1.2.3', { identifier: 'bras-2' }),
    recordOf(3, '10.1.2.3'),
    recordOf(4, '10.1.2.4', { identifier: 'брас' }),
    recordOf(5, '10.1.2.4', { identifier: 'off', enabled: false }),
    recordOf(6, '10.0.0.0/8', { identifier: 'bras-1' }),
    recordOf(7, '10.0.0.0/8'),
    recordOf(8, '192.0.2.1', { identifier: 'away', enabled: false }),
    recordOf(9, '192.0.2.1', { identifier: 'alone' }),
  ])
  const idOf = (address: string, identifier: string | null, code = 1) =>
    chosen(table, address, identifier, code)?.record.id ?? null
  t.equal(idOf('10.1.2.3', 'bras-1'), 1)
  t.equal(idOf('10.1.2.3', 'bras-2'), 2)
  t.equal(idOf('10.1.2.3', 'BRAS-2'), 3)
  t.equal(idOf('10.1.2.3', null), 3)
  t.equal(idOf('10.1.2.4', 'брас'), 4)
  t.equal(idOf('10.1.2.4', 'off'), null)
  t.equal(idOf('10.1.2.4', 'bras-1'), 6, 'the network is asked when the address has no such record')
  t.equal(idOf('10.1.2.4', null), 7)
  t.equal(idOf('192.0.2.1', 'alone'), 9)
  t.equal(idOf('192.0.2.1', 'stranger'), null)
  t.equal(idOf('192.0.2.1', 'Are you alive?', 12), 9, 'a proxy is answered that it asks somebody alive')
})

t.test('any records and addresses: the table chooses as a plain search does', async (t) => {
  const octet = fc.constantFrom(0, 1, 2, 128, 255)
  const ipv4 = fc.tuple(octet, octet).map(([a, b]) => `10.${a}.0.${b}`)
  const ipv6 = fc.tuple(octet, octet).map(([a, b]) => `2001:db8:${a.toString(16)}::${b.toString(16)}`)
  const place = fc.oneof(
    ipv4,
    ipv6,
    fc.tuple(ipv4, fc.constantFrom(0, 8, 9, 15, 16, 17, 24, 31, 32)).map(([text, bits]) => `${text}/${bits}`),
    fc.tuple(ipv6, fc.constantFrom(0, 1, 32, 40, 48, 64, 127, 128)).map(([text, bits]) => `${text}/${bits}`),
  )
  const identifier = fc.constantFrom(null, 'a', 'b', 'é')
  const records = fc.array(fc.record({ place, identifier, enabled: fc.boolean() }), { maxLength: 12 })
  fc.assert(
    fc.property(records, fc.oneof(ipv4, ipv6), identifier, (given, address, asked) => {
      const list = given.map(({ place: text, ...changes }, index) => recordOf(index + 1, text, changes))
      const { id = null } = chosen(new NasTable(list), address, asked)?.record ?? {}
      return id === searched(list, address, asked)
    }),
    { numRuns: 500 },
  )
  t.pass('five hundred tables agree')
})

/** The last of the records of the longest prefix that says something of this identifier, by BlockList of Node. */
function searched(list: readonly NasSlot[], address: string, identifier: string | null): number | null {
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  const around = list.flatMap((record) => {
    const [text = '', length = family === 'ipv6' ? '128' : '32'] = (record.ip ?? record.network!).split('/')
    if (text.includes(':') !== (family === 'ipv6')) return []
    const inside = new BlockList()
    inside.addSubnet(text, Number(length), family)
    if (!inside.check(address, family)) return []
    // A single address comes before a network of one address.
    return [{ record, rank: Number(length) * 4 + (record.ip ? 2 : 0) + (record.identifier ? 1 : 0) }]
  })
  const said = around.filter(({ record }) => !record.identifier || record.identifier === identifier)
  const best = Math.max(...said.map(({ rank }) => rank))
  const last = said.filter(({ rank }) => rank === best).at(-1)
  return last?.record.enabled ? last.record.id : null
}
