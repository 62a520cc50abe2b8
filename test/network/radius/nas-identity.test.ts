import fc from 'fast-check'
import t from 'tap'
import type { NasIdentity } from '../../../src/domain/nas.ts'
import {
  isSameNas,
  isSameNasSql,
  mayBeSameNas,
  mayBeSameNasSql,
} from '../../../src/network/radius/accounting/nas-identity.ts'
import { frameEnding, readFrame } from '../../../src/network/radius/accounting/spool-frames.ts'
import { decodePacket } from '../../../src/network/radius/wire/packet.ts'
import { attributes } from '../../../src/network/radius/wire/attribute-types.ts'
import { octetsOf, octetText, octetTextOf } from '../../../src/network/radius/wire/octet-text.ts'
import { nasId } from '../../../src/domain/ids.ts'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import { accountingRequest, type Attribute, batchOf, ip } from '../../support/nas.ts'
import { nasEntry } from './fixture.ts'

const shared = await SharedDatabase.open(t)

type Named = Parameters<typeof octetText>[1]
const { userName, nasIdentifier, acctSessionId } = attributes
const textOf = (type: Named, octets: Uint8Array) => {
  const read = decodePacket(accountingRequest('secret', [[type, Buffer.from(octets)]]))
  return 'packet' in read ? octetText(read.packet, type) : null
}
const unnamed: NasIdentity = { ipAddress: null, ipv6Address: null, identifier: null }
const ipv6 = Buffer.from('20010db8000000000000000000000001', 'hex')
/** Two NAS behind the proxy that is NAS 1. */
const west: readonly Attribute[] = [[4, ip('10.9.0.1')]]
const east: readonly Attribute[] = [[4, ip('10.9.0.2')]]
const live = (fixture: AccountingFixture) =>
  [...fixture.sessions.all()]
    .map(({ acctSessionId, nasIdentity }) => `${nasIdentity.ipAddress ?? nasIdentity.identifier} ${acctSessionId}`)
    .sort()

t.test('SQL and TypeScript distinguish NAS in the same way', async (t) => {
  const { pool } = await shared.anew()
  const texts = [null, 'a', 'b']
  const identities = texts.flatMap((ipAddress) =>
    texts.flatMap((ipv6Address) => texts.map((identifier) => ({ ipAddress, ipv6Address, identifier }))),
  )
  const pairs = identities.flatMap((a) => identities.map((b) => [a, b] as const))
  const column = (side: 0 | 1, field: keyof NasIdentity) => pairs.map((pair) => pair[side][field])
  const fields = ['ipAddress', 'ipv6Address', 'identifier'] as const
  const names = 'nas_ip_address, nas_ipv6_address, nas_identifier'
  const { rows } = await pool.query<{ same: boolean; may: boolean }>(
    `SELECT ${isSameNasSql('a', 'b')} AS same, ${mayBeSameNasSql('a', 'b')} AS may
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS a(${names}, ord)
    JOIN unnest($4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS b(${names}, ord) USING (ord) ORDER BY ord`,
    [...fields.map((field) => column(0, field)), ...fields.map((field) => column(1, field))],
  )
  t.strictSame(
    rows.map(({ same, may }) => [same, may]),
    pairs.map(([a, b]) => [isSameNas(a, b), mayBeSameNas(a, b)]),
  )
  t.equal(
    isSameNas({ ...unnamed, ipAddress: 'a', identifier: 'x' }, { ...unnamed, ipAddress: 'a', identifier: 'y' }),
    true,
  )
  t.equal(mayBeSameNas({ ...unnamed, ipAddress: 'a' }, { ...unnamed, identifier: 'x' }), false)
})

t.test('User-Name, NAS-Identifier and Acct-Session-Id are sent back octet by octet, whatever they were', async (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom<Named>(userName, nasIdentifier, acctSessionId),
      fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 253 }),
        fc.string({ minLength: 1 }).map((text) => Buffer.from(text)),
      ),
      (type, octets) => {
        const text = textOf(type, octets)!
        return !text.includes('\0') && octetsOf(type, text).equals(Buffer.from(octets))
      },
    ),
  )
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('octets:31', 'octets:zz')), (login) =>
      octetsOf(userName, octetTextOf(userName, login)).equals(Buffer.from(login)),
    ),
  )
  t.equal(textOf(nasIdentifier, Buffer.from('bras-1')), 'bras-1')
  t.equal(textOf(nasIdentifier, Buffer.from('0x31')), '0x30783331', 'text that looks like hex')
  t.equal(textOf(nasIdentifier, Buffer.from([0xc1, 0xd0])), '0xc1d0', 'windows-1251')
  t.equal(textOf(nasIdentifier, Buffer.alloc(0)), null)
  t.equal(textOf(acctSessionId, Buffer.from('0x81a0')), '0x81a0', 'the name of a session may begin so')
  t.equal(textOf(acctSessionId, Buffer.from([0x81, 0xa0])), 'octets:81a0')
  t.equal(textOf(acctSessionId, Buffer.from('octets:31')), 'octets:6f63746574733a3331')
})

t.test('sessions of two NAS behind one proxy are two, whatever their names', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  for (const more of [west, east]) await fixture.send(packet('start', { id: 'same', more }))
  t.strictSame(live(fixture), ['10.9.0.1 same', '10.9.0.2 same'])

  await t.test('each is counted apart, in one group too', async (t) => {
    await fixture.send(
      packet('interim', { id: 'same', time: 30, input: 10, more: west }),
      packet('interim', { id: 'same', time: 30, input: 20, more: east }),
      packet('interim', { id: 'same', time: 31, input: 11, more: west }),
    )
    t.match(await fixture.rows(), [
      { nas_ip_address: '10.9.0.1', input_octets: '11', generation: 0 },
      { nas_ip_address: '10.9.0.2', input_octets: '20', generation: 1 },
    ])
  })

  await t.test('a restart still distinguishes them', async (t) => {
    await fixture.begin()
    t.strictSame(live(fixture), ['10.9.0.1 same', '10.9.0.2 same'])
    t.equal(fixture.accounting.nasIdentity(nasId(1)), 'several')
  })

  await t.test('an Accounting-On ends those of its NAS, and its retransmission none that began since', async (t) => {
    fixture.clock.advance(1000)
    const on = packet('on', { more: west })
    await fixture.send(on)
    t.strictSame(live(fixture), ['10.9.0.2 same'])
    t.match(await fixture.rows(), [{ end_reason: 'NAS-Reboot' }, { end_reason: null }])
    fixture.clock.advance(1000)
    await fixture.send(packet('start', { id: 'new', more: west }), packet('on', { more: [[32, 'stranger']] }))
    await fixture.send(packet('on', { more: [[4, ip('10.9.0.3')]] }), on)
    t.strictSame(live(fixture), ['10.9.0.1 new', '10.9.0.2 same'])
  })

  await t.test('a Stop ends one of them', async (t) => {
    await fixture.send(packet('start', { id: 'same', identifier: 7, more: west }))
    await fixture.send(packet('stop', { id: 'same', time: 60, input: 30, more: east }))
    t.strictSame(live(fixture), ['10.9.0.1 new', '10.9.0.1 same'])
    t.match((await fixture.rows())[1], { input_octets: '30', end_reason: 'Unknown' })
  })
})

t.test('they are distinguished without the database too, and when it is back', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  fixture.isUp = false
  await fixture.send(packet('start', { id: 'same', more: west }), packet('start', { id: 'same', more: east }))
  fixture.clock.advance(1000)
  await fixture.send(packet('on', { more: east }))
  t.strictSame(live(fixture), ['10.9.0.1 same'])
  fixture.isUp = true
  await fixture.begin()
  t.strictSame(live(fixture), ['10.9.0.1 same'])
  t.match(await fixture.rows(), [{ end_reason: null }, { nas_ip_address: '10.9.0.2', end_reason: 'NAS-Reboot' }])
})

t.test('the first attribute that both packets carry decides', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { more: [[32, 'bras']] }))
  await fixture.send(packet('interim', { time: 1, more: [...west, [95, ipv6], [32, 'bras']] }))
  await fixture.send(
    packet('interim', {
      time: 2,
      more: [
        [95, ipv6],
        [32, 'renamed'],
      ],
    }),
  )
  t.match(await fixture.rows(), [
    { session_time: '2', nas_ip_address: '10.9.0.1', nas_ipv6_address: '2001:db8::1', nas_identifier: 'renamed' },
  ])
  await fixture.send(packet('interim', { time: 2, more: [...east, [32, 'renamed']] }))
  t.strictSame(live(fixture), ['10.9.0.1 A1', '10.9.0.2 A1'], 'another address is another NAS')
})

t.test('a session of an older version is known by its next packet from then on', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'old' }), packet('start', { id: 'silent' }))
  await fixture.begin()
  await fixture.send(packet('interim', { id: 'old', time: 10, more: west }))
  t.match(await fixture.rows(), [{ nas_ip_address: '10.9.0.1', session_time: '10' }, { nas_ip_address: null }])
  fixture.clock.advance(60_000)
  await fixture.send(packet('on', { more: east }))
  t.equal(fixture.sessions.size, 2, 'an Accounting-On ends no session of which nobody knows whose it is')
  await fixture.send(packet('on', { more: west }))
  t.strictSame(live(fixture), ['null silent'])
  const ending = { nasId: nasId(1), acctSessionId: 'silent', login: 'ivan', atMs: 1, reason: 'Lost-Carrier' }
  t.strictSame(
    readFrame(frameEnding(ending as Parameters<typeof frameEnding>[0])),
    { kind: 'ending', ending: { ...ending, nasIdentity: unnamed, silentSinceMs: null } },
    'an ending in the spool of an older version',
  )
})

t.test('an Accounting-On of the only NAS of a record ends its unnamed sessions, also after an update', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'old' }))
  await fixture.begin()
  fixture.clock.advance(1000)
  await fixture.send(packet('on', { more: west }))
  t.strictSame(live(fixture), [])
  t.match(await fixture.rows(), [{ end_reason: 'NAS-Reboot' }])

  await fixture.send(packet('start', { id: 'named', more: west }))
  fixture.clock.advance(1000)
  await fixture.send(packet('off'))
  t.strictSame(live(fixture), [], 'one that does not name itself')
  t.equal((await fixture.rows())[1]!.end_reason, 'NAS-Reboot')

  fixture.isUp = false
  await fixture.send(packet('start', { id: 'spooled' }))
  fixture.clock.advance(1000)
  await fixture.send(packet('on', { identifier: 9, more: west }))
  t.strictSame(live(fixture), [], 'without the database too')
})

t.test('an Accounting-On from a network ends no sessions of its other addresses, whatever the names', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const factory: readonly Attribute[] = [...west, [32, 'nas01']]
  fixture.nas = [nasEntry({ ip: null, network: '127.0.0.0/8' })]
  await fixture.begin()
  const send = (source: string, packet: Buffer) => fixture.accounting.sink(batchOf([{ nas: 1, packet, source }]))
  await send('127.0.1.1', packet('start', { id: 'first', more: factory }))
  await send('127.0.1.3', packet('start', { id: 'second', more: factory }))
  await send('127.0.1.2', packet('interim', { id: 'second', time: 1, more: factory }))
  t.match((await fixture.rows())[1], { nas_ip: '127.0.1.2' }, 'where its packets come from now')
  fixture.clock.advance(1000)
  await send('127.0.1.2', packet('on', { more: factory }))
  t.strictSame(live(fixture), ['10.9.0.1 first'])
  t.match(await fixture.rows(), [{ end_reason: null }, { end_reason: 'NAS-Reboot' }])

  fixture.isUp = false
  await send('127.0.1.2', packet('start', { id: 'third', more: factory }))
  fixture.clock.advance(1000)
  await send('127.0.1.2', packet('on', { identifier: 9, more: factory }))
  t.strictSame(live(fixture), ['10.9.0.1 first'], 'without the database')
  fixture.isUp = true
  await fixture.begin()
  t.strictSame(live(fixture), ['10.9.0.1 first'], 'and when it is back')
})

t.test('a Disconnect names the NAS as the session did, and a request to a proxy names none', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{ answer: () => ({ nak: 503 }) }, {}])
  const [proxy, direct] = allNas
  const identifier = Buffer.from([0xc1, 0xd0])
  await accounting.send(
    packet('start', {
      id: 'S1',
      more: [
        [4, ip('10.9.0.1')],
        [95, ipv6],
        [32, identifier],
      ],
    }),
  )
  await accounting.send(packet('start', { id: 'S2', more: east }), packet('start', { id: 'S3', login: 'oleg' }))
  await cut(['ivan'])
  const asked = (id: string) => proxy!.seen.find((request) => request.text(44) === id)!
  t.match(asked('S1'), {
    attributes: [{ type: 80 }, { type: 1 }, { type: 4 }, { type: 95, value: ipv6 }, { type: 32, value: identifier }],
  })
  t.equal(asked('S1').integer(4), 0x0a090001)
  t.equal(asked('S2').integer(4), 0x0a090002)
  t.equal(direct!.seen.length, 1)

  await cut(['oleg'])
  t.equal(asked('S3').integer(4), null, 'a session without a name, behind a proxy')
  await cut(['nobody'])
  t.strictSame(
    proxy!.seen.at(-1)!.attributes.map(({ type }) => type),
    [80, 1, 55],
  )
})
