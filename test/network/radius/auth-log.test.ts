import type { Pool } from 'pg'
import t from 'tap'
import { AuthLog } from '../../../src/network/radius/auth-log/auth-log.ts'
import type { AuthRow } from '../../../src/network/radius/auth-log/auth-row.ts'
import { Folding } from '../../../src/network/radius/auth-log/folding.ts'
import { attributes } from '../../../src/network/radius/wire/attribute-types.ts'
import { codes, PacketView } from '../../../src/network/radius/wire/packet.ts'
import { SharedSecret } from '../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../src/network/radius/wire/writer.ts'
import { AuthEntries, type AuthEntry, readAuthEntries } from '../../../src/network/radius/worker/auth-entries.ts'
import { AccessRecord } from '../../../src/network/access/record.ts'
import { createLog } from '../../../src/platform/log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { fieldsOf } from '../access/entries.ts'

const writer = new PacketWriter()
const shared = new SharedSecret('testing123')
type Asked = { login?: string; station?: string; port?: number; portId?: string }

function request({ login, station, port, portId }: Asked): PacketView {
  writer.begin(codes.accessRequest, 1, Buffer.alloc(16))
  if (login !== undefined) writer.text(attributes.userName, login)
  if (station !== undefined) writer.text(attributes.callingStationId, station)
  if (port !== undefined) writer.integer(attributes.nasPort, port)
  if (portId !== undefined) writer.text(attributes.nasPortId, portId)
  writer.finishRequest(shared)
  const packet = new PacketView()
  packet.reset(writer.copy())
  return packet
}

const taken = (entries: AuthEntries): AuthEntry[] => {
  const found = entries.take()
  return found ? [...readAuthEntries(found.entries)] : []
}
const sumOf = (counted: readonly { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0)

t.test('equal answers are one entry with their number', async (t) => {
  const entries = new AuthEntries()
  const ivan = request({ login: 'иван', station: 'AA-BB-CC-00-00-01', port: 17, portId: 'eth1.5' })
  const record = new AccessRecord()
  record.fill(fieldsOf(7, { organizationId: 3 }))
  entries.add('wrongPassword', ivan, 5, record, 1_000)
  entries.add('wrongPassword', ivan, 5, record, 2_000)
  entries.add('wrongPassword', ivan, 6, record, 3_000)
  entries.add('negativeBalance', ivan, 5, record, 4_000)
  entries.add('wrongPassword', request({ login: 'иван', station: 'AA-BB-CC-00-00-02' }), 5, record, 5_000)
  entries.add('unknownLogin', request({ login: 'x', port: 4_294_967_295 }), 5, null, 6_000)
  entries.add('unknownLogin', request({}), 5, null, 7_000)
  const [first, ...others] = taken(entries)
  const who = {
    login: 'иван',
    station: 'AA-BB-CC-00-00-01',
    port: 'eth1.5',
    subscriberId: 1_000_007,
    organizationId: 3,
  }
  const { key, ...known } = first!
  t.strictSame(known, { verdict: 'wrongPassword', nasId: 5, count: 2, firstMs: 1_000, lastMs: 2_000, who })
  t.match(others, [
    { verdict: 'wrongPassword', nasId: 6, count: 1 },
    { verdict: 'negativeBalance', nasId: 5, count: 1 },
    { who: { login: 'иван', station: 'AA-BB-CC-00-00-02', port: null } },
    { who: { login: 'x', station: null, port: '4294967295', subscriberId: null, organizationId: null } },
    { who: { login: '', station: null, port: null } },
  ])
  t.equal(new Set([key, ...others.map((one) => one.key)]).size, 6, 'each has a key of its own')
  t.strictSame(taken(entries), [], 'and is told once')
  entries.add('wrongPassword', ivan, 5, record, 9_000)
  t.equal(taken(entries)[0]!.key, key, 'which stays the same')
})

t.test('a flood of logins is counted in memory that does not grow', async (t) => {
  const entries = new AuthEntries()
  const known = request({ login: 'known' })
  entries.add('wrongPassword', known, 1, null, 1)
  for (let n = 0; n < 20_000; n++)
    entries.add(
      'unknownLogin',
      request({ login: `${n}${'x'.repeat(n % 200)}`, portId: 'y'.repeat(n % 200) }),
      n % 3,
      null,
      n,
    )
  entries.add('wrongPassword', known, 1, null, 2)
  const found = entries.take()!
  t.ok(found.entries.length <= 128 * 1024)
  const all = [...readAuthEntries(found.entries)]
  t.equal(sumOf(all) + found.left, 20_002, 'nothing is lost from the count')
  t.match(all[0], { count: 2, who: { login: 'known' } }, 'who was there before is counted on')
  t.strictSame(
    all.flatMap(({ who, verdict, nasId }) => (who === null ? [`${verdict} ${nasId}`] : [])).sort(),
    ['unknownLogin 0', 'unknownLogin 1', 'unknownLogin 2'],
    'the others by NAS and reason',
  )
  for (let nas = 0; nas < 5_000; nas++) entries.add('unknownLogin', request({ login: `${nas}` }), nas, null, 1)
  const crowded = entries.take()!
  t.ok(crowded.left > 0, 'where even that is too much, they are only counted')
  t.equal(sumOf([...readAuthEntries(crowded.entries)]) + crowded.left, 5_000)
})

let made = 0
const entry = (of: Partial<AuthEntry> & { login?: string } = {}): AuthEntry => {
  const { login = `login${++made}`, ...more } = of
  const who = { login, station: 'AABB.CCDD.EEFF', port: null, subscriberId: 9, organizationId: 1 }
  const usual = { verdict: 'wrongPassword', nasId: 1, count: 1, firstMs: 10, lastMs: 20, who } as const
  return { ...usual, key: `${more.verdict} ${more.nasId} ${login}`, ...more }
}
const minute = 60_000

t.test('the first is a row at once, those that go on are one now and then', async (t) => {
  const folding = new Folding(0)
  const [row] = folding.add([entry({ login: 'a', count: 3 })], 0)
  t.match(row, { login: 'a', reason: 'wrong_password', accepted: false, mac: 'aa:bb:cc:dd:ee:ff', count: 3, atMs: 10 })
  t.strictSame([...folding.add([entry({ login: 'a' }), entry({ login: 'a', lastMs: 30 })], 1_000)], [])
  t.match(folding.of(9), [{ login: 'a', count: 2, atMs: 30 }], 'what is being counted can be asked for')
  t.strictSame(folding.of(8), [])
  t.strictSame([...folding.due(minute - 1)], [])
  t.match([...folding.due(minute)], [{ login: 'a', count: 2, atMs: 30 }])
  const written: number[] = []
  for (let second = 61; second < 60 * 128; second++) {
    const rows = [...folding.add([entry({ login: 'a' })], second * 1000), ...folding.due(second * 1000)]
    if (rows.length > 0) written.push(Math.round(second / 60))
    if (rows.length > 0) t.equal(rows.length, 1)
  }
  t.strictSame(written, [3, 7, 15, 31, 63, 127], 'twice as long each time, up to an hour')
  t.strictSame([...folding.due(minute * 300)].length, 1)
  t.strictSame([...folding.due(minute * 400)], [], 'who has gone is forgotten')
  t.equal([...folding.add([entry({ login: 'a' })], minute * 400)].length, 1, 'and a row at once when he is back')
})

t.test('invented logins are stored up to a bound, and crowd out nobody', async (t) => {
  const folding = new Folding(0)
  const flood = (number: number) => Array.from({ length: number }, () => entry({ verdict: 'unknownLogin', nasId: 4 }))
  const stored = [...folding.add(flood(20_000), 0)]
  t.equal(stored.length, 3_000)
  t.equal(folding.flooded, 17_000)
  t.equal([...folding.add([entry()], 0)].length, 1, 'a client is')
  t.equal([...folding.add([entry({ verdict: 'accept' })], 0)].length, 1)
  const summed: AuthRow[] = [...folding.due(minute)]
  t.match(summed, [{ login: null, reason: 'unknown_login', nasId: 4, mac: null, subscriberId: null, count: 17_000 }])
  t.equal([...folding.add(flood(5_000), 2 * minute)].length, 600, 'five a second in the long run')
  t.equal(sumOf([...folding.due(3 * minute)]), 4_400)
  folding
    .add(
      Array.from({ length: 2_000 }, (_, nas) => entry({ verdict: 'unknownLogin', nasId: nas, who: null })),
      0,
    )
    .next()
  const many = [...folding.due(10 * minute, true)]
  t.ok(many.length <= 502, 'NAS are told apart up to a bound')
  t.equal(sumOf(many.filter(({ login }) => login === null)), 2_000)
})

t.test('without the database nothing waits, and what is left out is counted and said once', async (t) => {
  const lines: string[] = []
  let isUp = false
  const pool = { query: () => Promise.reject(new Error('gone')), connect: () => Promise.reject(new Error('gone')) }
  const log = createLog({ write: (line) => lines.push(line), pretty: false })
  const clock = new ManualClock(new Date('2026-11-23T12:00:00Z'))
  const authLog = new AuthLog({ pool: pool as unknown as Pool, isUp: () => isUp, clock, log })
  const noted = (login: string) => {
    const entries = new AuthEntries()
    for (let n = 0; n < 5; n++) entries.add('wrongPassword', request({ login }), 1, null, 1)
    return entries.take()!.entries
  }
  authLog.take(noted('a'), 2)
  await authLog.flush()
  t.strictSame(authLog.counts, { rows: 0, flooded: 2, lost: 5 })
  isUp = true
  authLog.take(noted('b'), 0)
  await authLog.flush()
  t.strictSame(authLog.counts, { rows: 0, flooded: 2, lost: 10 }, 'also where the database turns out to be away')
  t.equal(lines.filter((line) => line.includes('log of sign-ins')).length, 1)
})
