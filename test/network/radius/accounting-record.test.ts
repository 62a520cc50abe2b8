import fc from 'fast-check'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { happenedAt, readAccountingRecord } from '../../../src/network/radius/accounting/accounting-record.ts'
import { type Attribute, accountingRequest } from '../../support/nas.ts'

const receivedAtMs = Date.UTC(2026, 2, 1, 12)
const read = (attributes: readonly Attribute[]) =>
  readAccountingRecord(accountingRequest('secret', attributes), nasId(1), receivedAtMs)

t.test('octets have 64 bits, as far as the table has', async (t) => {
  t.equal(read([[42, 0xffffffff]]).inputOctets, 0xffffffffn)
  t.equal(
    read([
      [42, 7],
      [52, 3],
    ]).inputOctets,
    3n * 2n ** 32n + 7n,
  )
  t.equal(
    read([
      [43, 0],
      [53, 0x7fffffff],
    ]).outputOctets,
    0x7fffffffn << 32n,
  )
  t.equal(
    read([
      [43, 0],
      [53, 0xffffffff],
    ]).outputOctets,
    2n ** 63n - 1n,
  )
})

t.test('prefixes are written as PostgreSQL takes them', async (t) => {
  const prefix = (...octets: number[]) => read([[97, Buffer.from([0, ...octets])]]).ipv6Prefix
  t.equal(prefix(64, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 1), '2001:db8:0:1::/64')
  t.equal(prefix(60, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0x1f), '2001:db8:0:10::/60', 'bits behind it are cleared')
  t.equal(prefix(0), '::/0')
  t.equal(prefix(129), null)
})

t.test('a cause has its name, an unknown one its number, a Stop without one is Unknown', async (t) => {
  t.equal(
    read([
      [40, 2],
      [49, 6],
    ]).terminateCause,
    'Admin-Reset',
  )
  t.equal(
    read([
      [40, 2],
      [49, 999],
    ]).terminateCause,
    '999',
  )
  t.equal(read([[40, 2]]).terminateCause, 'Unknown')
  t.equal(read([[40, 3]]).terminateCause, null)
})

t.test('when it happened', async (t) => {
  const now = 1_700_000_000_500
  const cases: [name: string, delay: number, stamp: number, expected: number][] = [
    ['nothing known', 0, 0, now],
    ['late by Acct-Delay-Time', 5, 0, now - 5000],
    ['the stamp of this second gives way to the moment of arrival', 0, 1_700_000_000, now],
    ['a stamp of some minutes ago', 0, 1_699_999_700, 1_699_999_700_000],
    ['a clock that is ahead', 0, 1_700_009_000, now],
    ['a clock that was never set', 5, 1_000, now - 5000],
    ['a delay nobody can mean', 0xffffffff, 0, now],
  ]
  for (const [name, delay, stamp, expected] of cases) t.equal(happenedAt(now, delay, stamp), expected, name)
})

t.test('no bytes make it throw, and no text breaks PostgreSQL', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(4096), (body, length) => {
      const packet = Buffer.concat([Buffer.from([4, 1, length >> 8, length & 255]), Buffer.alloc(16), body])
      const record = readAccountingRecord(packet, nasId(1), receivedAtMs)
      const texts = [
        record.login,
        record.acctSessionId,
        record.calledStationId,
        record.callingStationId,
        record.nasPortId,
        record.className,
        record.nasIdentity.identifier,
      ]
      return texts.every((text) => text === null || (!text.includes('\0') && text.isWellFormed()))
    }),
    { numRuns: 2000 },
  )
  t.pass()
})
