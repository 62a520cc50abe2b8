import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Pool } from 'pg'
import t from 'tap'
import type { Reach } from '../../../src/domain/account.ts'
import type { AddressChanges } from '../../../src/domain/effects.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { CoaLog, type CoaRow } from '../../../src/network/radius/coa/coa-log.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { coaLimits } from '../../../src/network/radius/coa/coa-limits.ts'
import type { Disconnects } from '../../../src/network/radius/coa/disconnects.ts'
import { classFor, packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import type { Attribute, CoaSeen, FakeNas } from '../../support/nas.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const disconnectRequest = 40
const userName = 1
const nasIpAddress = 4
const nasPort = 5
const framedIp = 8
const classAttribute = 25
const acctSessionId = 44
const eventTimestamp = 55

t.test('a Disconnect is on the wire before anything else that the same turn still has to do', async (t) => {
  const { allNas, cut } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }])
  const receiver = createSocket('udp4')
  receiver.bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address()
  // A connected socket sends at once, so the order in which both arrive is the order in which they left.
  const other = createSocket('udp4')
  other.connect(port, '127.0.0.1')
  await once(other, 'connect')
  t.teardown(() => Promise.all([receiver, other].map((socket) => new Promise<void>((done) => socket.close(done)))))
  Object.assign(allNas[0]!.entry, { coaPort: port })
  const arrived: (number | undefined)[] = []
  const both = new Promise<void>((resolve) => {
    receiver.on('message', (datagram) => {
      if (arrived.push(datagram[0]) === 2) resolve()
    })
  })
  void cut(['ivan'])
  other.send(Buffer.from([0]))
  await both
  t.strictSame(arrived, [disconnectRequest, 0])
})

t.test('a Disconnect asks every enabled NAS, and names the session to the one that holds it', async (t) => {
  const { accounting, allNas, cut, answers } = await startCoaFixture(t, shared, [
    {},
    { answer: () => ({ nak: 503 }) },
    {},
  ])
  const [holder, other, disabled] = allNas
  disabled!.entry.enabled = false
  await accounting.send(
    packet('start', {
      id: 'S1',
      ip: '10.1.2.3',
      more: [
        [nasPort, 77],
        [nasIpAddress, Buffer.from([10, 9, 9, 9])],
      ],
    }),
  )

  t.same(await cut(['ivan'], subscriberId(1)), { ack: 1, nak: 1, noAnswer: 0 })
  const [held] = holder!.seen
  t.equal(held?.code, 40)
  t.ok(held?.authentic, 'Request Authenticator and Message-Authenticator')
  t.same(held?.attributes[0]?.type, 80, 'Message-Authenticator comes first')
  t.equal(held?.text(userName), 'ivan')
  t.equal(held?.text(acctSessionId), 'S1')
  t.equal(held?.integer(framedIp), 0x0a010203)
  t.equal(held?.integer(nasPort), 77)
  t.equal(held?.integer(nasIpAddress), 0x0a090909, 'as the NAS names itself')
  t.ok(Math.abs(held!.integer(eventTimestamp)! - Date.now() / 1000) < 60)
  const [asked] = other!.seen
  t.same(
    asked?.attributes.map(({ type }) => type),
    [80, userName, nasIpAddress, eventTimestamp],
  )
  t.equal(disabled!.seen.length, 0)

  const [row] = await accounting.rows()
  t.match(await answers(), [
    {
      nas_id: '1',
      request: 'disconnect',
      login: 'ivan',
      session_id: row!.id,
      subscriber_id: '1',
      attempts: 1,
      result: 'ack',
      error_cause: null,
    },
    { nas_id: '2', result: 'nak', error_cause: 503, session_id: null },
  ])
  t.match(row, { end_reason: 'Disconnect-ACK' })
  t.equal(accounting.sessions.size, 0)
  t.match(
    accounting
      .of('coaAnswered')
      .map(({ nasId, result, errorCause, organizationId }) => [nasId, result, errorCause, organizationId]),
    [
      [1, 'ack', null, 1],
      [2, 'nak', 503, null],
    ],
  )
})

t.test('each session of a login has a request of its own', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared)
  await accounting.send(packet('start', { id: 'one' }), packet('start', { id: 'two' }))
  t.same(await cut(['ivan']), { ack: 2, nak: 0, noAnswer: 0 })
  t.same(allNas[0]!.seen.map((request) => request.text(acctSessionId)).sort(), ['one', 'two'])
})

t.test('sessions whose names are no text are two, and each is asked for by its own octets', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared)
  const ids = ['81a00001', '82a00001', '4100'].map((hex) => Buffer.from(hex, 'hex'))
  await accounting.send(...ids.map((id) => packet('start', { id })))
  await accounting.send(packet('interim', { id: ids[1]!, time: 30, input: 20 }))
  t.match(await accounting.rows(), [
    { acct_session_id: 'octets:81a00001', input_octets: '0' },
    { acct_session_id: 'octets:82a00001', input_octets: '20' },
    { acct_session_id: 'octets:4100' },
  ])
  t.same(await cut(['ivan']), { ack: 3, nak: 0, noAnswer: 0 })
  const asked = allNas[0]!.seen.map(({ attributes }) => attributes.find(({ type }) => type === acctSessionId)!.value)
  t.same(asked.map((octets) => octets.toString('hex')).sort(), ['4100', '81a00001', '82a00001'])
})

t.test('a session is asked for by the octets of its User-Name, which need not be text', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{}, {}])
  const names = ['6976616e40c8d3', '6976616e00', '6f63746574733a3331'].map((hex) => Buffer.from(hex, 'hex'))
  const more: Attribute[] = [[25, classFor(1)]]
  await accounting.send(...names.map((login, id) => packet('start', { id: `S${id}`, login, more })))
  t.match(await accounting.rows(), [
    { login: 'octets:6976616e40c8d3', user_id: '1' },
    { login: 'octets:6976616e00', user_id: '1' },
    { login: 'octets:6f63746574733a3331', user_id: '1' },
  ])
  await cut(['ivan', 'octets:31'])
  const asked = allNas.map(({ seen }) =>
    seen.map(({ attributes }) => attributes.find(({ type }) => type === 1)!.value.toString('latin1')).sort(),
  )
  const literal = 'octets:31'
  t.same(asked[0], [...names.map((name) => name.toString('latin1')), literal].sort())
  t.same(asked[1], ['ivan', literal], 'a broadcast asks for the login as it is stored')
})

t.test('a NAK closes nothing, unless the NAS of the session answers with Error-Cause 503', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{}, { answer: () => ({ nak: 503 }) }])
  await accounting.send(packet('start'))
  allNas[0]!.answer = () => ({ nak: 501 })
  await cut(['ivan'])
  t.equal(accounting.sessions.size, 1)
  allNas[0]!.answer = () => ({ nak: 503 })
  await cut(['ivan'])
  t.match(await accounting.rows(), [{ end_reason: 'Disconnect-NAK' }])
})

t.test('a NAS that refuses an attribute is asked by Acct-Session-Id only', async (t) => {
  const { accounting, allNas, cut, answers } = await startCoaFixture(t, shared)
  const [nas] = allNas
  await accounting.send(packet('start', { id: 'S1', ip: '10.1.2.3', more: [[nasPort, 77]] }))
  const refused = ({ integer }: CoaSeen) => integer(nasPort) !== null || integer(framedIp) !== null
  nas!.answer = (request) => (refused(request) ? { nak: 401 } : 'ack')
  t.same(await cut(['ivan']), { ack: 1, nak: 0, noAnswer: 0 })
  t.same(
    nas!.seen[1]!.attributes.map(({ type }) => type),
    [80, userName, acctSessionId, eventTimestamp],
  )
  t.match(await answers(), [{ result: 'ack', error_cause: null }], 'as one')
  t.match(await accounting.rows(), [{ end_reason: 'Disconnect-ACK' }])

  await accounting.send(packet('start', { id: 'S2', ip: '10.1.2.3' }))
  nas!.answer = () => ({ nak: 401 })
  t.same(await cut(['ivan']), { ack: 0, nak: 1, noAnswer: 0 })
  t.equal(nas!.seen.length, 4, 'asked no third time')
  t.equal(accounting.sessions.size, 1)
})

t.test('a NAS that acknowledges a session whose Start came meanwhile has cut it', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{}], { clock })
  let asked = 0
  allNas[0]!.answer = () => (asked++ === 0 ? 'silence' : 'ack')
  const done = cut(['ivan'])
  await allNas[0]!.received(1)
  await accounting.send(packet('start'))
  clock.advance(1000)
  await accounting.publishedOnce('coaAnswered')
  clock.advance(100)
  t.same(await done, { ack: 1, nak: 0, noAnswer: 0 }, 'the retransmission is answered')
  t.equal(allNas[0]!.seen.length, 2)
  await accounting.publishedOnce('sessionStopped')
  t.equal(accounting.sessions.size, 0)
})

t.test('the same bytes go again after 1, 2 and 4 seconds, and then it is no answer', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { accounting, allNas, cut, answers } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }, {}], {
    clock,
  })
  const nas = allNas[0]!
  await accounting.send(packet('start'))
  const done = cut(['ivan'])
  await nas.received(1)
  await accounting.publishedOnce('coaAnswered')
  for (const [index, waitMs] of [1000, 2000, 4000].entries()) {
    clock.advance(waitMs - 1)
    t.equal(nas.seen.length, index + 1, 'not before its time')
    clock.advance(1)
    await nas.received(index + 2)
  }
  for (const again of nas.seen) t.ok(again.bytes.equals(nas.seen[0]!.bytes))
  clock.advance(4000)
  // The answers are collected for some milliseconds before they are stored.
  const stored = new Promise<void>((resolve) => setImmediate(resolve)).then(() => clock.advance(100))
  t.same(await Promise.all([done, stored]).then(([tally]) => tally), { ack: 1, nak: 0, noAnswer: 1 })
  t.match(await answers(), [
    { nas_id: '1', result: 'no_answer', attempts: 4 },
    { nas_id: '2', result: 'ack', attempts: 1 },
  ])
  t.equal(accounting.sessions.size, 1, 'silence closes nothing')
})

t.test('one answer is stored soon, and those of a crowd together', async (t) => {
  const clock = new ManualClock(startOfTime)
  const stored: number[] = []
  // The number of rows stands in the head of each array.
  const query = async ({ name, values }: { name: string; values: Buffer[] }) =>
    name.startsWith('ids ')
      ? { rows: Array.from({ length: 500 }, (_, id) => ({ id })) }
      : stored.push(values[0]!.readInt32BE(12))
  const answers = new CoaLog({ pool: { query } as unknown as Pool, clock, log: silentLog })
  const row: CoaRow = {
    ...{ outboxId: null, nasId: 1, request: 'disconnect', login: 'ivan', subscriberId: null, sessionId: null },
    ...{ sentAt: startOfTime, answeredAt: startOfTime, attempts: 1, result: 'ack', errorCause: null },
  }
  const after = async (ms: number, count: number) => {
    for (let n = 0; n < count; n++) answers.keep(row, () => {})
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
    return stored
  }
  t.strictSame(await after(10, 1), [1])
  t.strictSame(await after(10, 20), [1, 20])
  t.strictSame(await after(99, 20), [1, 20], 'a crowd waits for more')
  t.strictSame(await after(1, 5), [1, 20, 25])
  t.strictSame(await after(100, 1), [1, 20, 25, 1])
  t.strictSame(await after(10, 1), [1, 20, 25, 1, 1], 'and the next by itself is soon again')
})

t.test('forged and unknown answers are counted and change nothing', async (t) => {
  const { accounting, allNas, cut, disconnects } = await startCoaFixture(t, shared)
  await accounting.send(packet('start'))
  let asked = 0
  allNas[0]!.answer = () => (asked++ === 0 ? 'forged' : 'ack')
  t.same(await cut(['ivan']), { ack: 1, nak: 0, noAnswer: 0 })
  t.equal(allNas[0]!.seen.length, 2)
  t.match(disconnects.counts, { forged: 1, repeated: 1, depth: 0 })
})

t.test('a new speed is sent by CoA, and where that fails the session is disconnected', async (t) => {
  const attributes = Buffer.from([26, 12, 0, 0, 0x3a, 0x8c, 8, 6, 0x31, 0x4d, 0x2f, 0x31])
  let known = Buffer.from([26, 12, 0, 0, 0x3a, 0x8c, 8, 6, 0x39, 0x4d, 0x2f, 0x39])
  const { accounting, allNas, disconnects } = await startCoaFixture(t, shared, [{ type: 'mikrotik' }], {
    speedAttributes: () => known,
    readSpeed: async () => {
      known = attributes
    },
  })
  const nas = allNas[0]!
  const effect = { kind: 'speed', subscriberId: subscriberId(1), logins: ['ivan'] } as const
  await accounting.send(packet('start', { ip: '10.0.0.1' }))
  t.same(await disconnects.handlers.speed(effect, 1), { ack: 1, nak: 0, noAnswer: 0 })
  t.equal(nas.seen[0]?.code, 43)
  t.ok(nas.seen[0]?.authentic)
  t.ok(nas.seen[0]?.bytes.includes(attributes))
  t.equal(nas.seen[0]?.text(acctSessionId), 'A1')
  t.equal(accounting.sessions.size, 1)

  nas.answer = ({ code }) => (code === 43 ? { nak: 401 } : 'ack')
  t.same(await disconnects.handlers.speed(effect, 2), { ack: 1, nak: 0, noAnswer: 0 })
  t.same(
    nas.seen.slice(1).map(({ code }) => code),
    [43, 40],
  )
  t.match(await accounting.rows(), [{ end_reason: 'Disconnect-ACK' }])
})

t.test('a generic NAS has no words for a speed: Disconnect', async (t) => {
  const { accounting, allNas, disconnects } = await startCoaFixture(t, shared, [{}, {}], {
    speedAttributes: () => Buffer.from([26, 3, 0]),
  })
  await accounting.send(packet('start'))
  await disconnects.handlers.speed({ kind: 'speed', subscriberId: subscriberId(1), logins: ['ivan'] }, 1)
  t.same(
    allNas.map(({ seen }) => seen.map(({ code }) => code)),
    [[40], []],
    'only where the session is',
  )
})

t.test('a session whose login has another address now is disconnected, and no other', async (t) => {
  const { accounting, allNas, disconnects } = await startCoaFixture(t, shared)
  const prefix = (last: number): Attribute => [123, Buffer.from([0, 56, 0x20, 1, 0x0d, 0xb8, 0, 0, last])]
  await accounting.send(
    packet('start', { id: 'old', ip: '10.0.0.1', more: [prefix(1)] }),
    packet('start', { id: 'new', ip: '10.0.0.9', more: [prefix(2)] }),
    packet('start', { id: 'mac', ip: '10.0.0.9', login: '02-00-00-00-00-01', more: [prefix(2)] }),
  )
  allNas[0]!.answer = () => ({ nak: 501 })
  const cut = async (changes: AddressChanges) => {
    const from = allNas[0]!.seen.length
    const effect = { kind: 'readdress', subscriberId: subscriberId(1), logins: ['ivan'], changes } as const
    await disconnects.handlers.readdress(effect, 1)
    return allNas[0]!.seen
      .slice(from)
      .map((request) => request.text(acctSessionId))
      .sort()
  }
  t.same(await cut({ ip: { was: '10.0.0.1', is: '10.0.0.9' } }), ['old'])
  t.same(await cut({ ip: { was: null, is: '10.0.0.1' } }), ['mac', 'new'], 'the address of a session is made its own')
  t.same(await cut({ ip: { was: '10.0.0.1', is: null } }), ['old'], 'others have theirs of a pool')
  t.same(await cut({ delegatedIpv6Prefix: { was: null, is: '2001:db8:0:200::/56' } }), ['old'])
  t.same(await cut({ delegatedIpv6Prefix: { was: null, is: '2001:db8:0:100::/56' } }), ['mac', 'new'])
  t.same(await cut({ ipv6Prefix: { was: '2001:db8::/64', is: null } }), [])
  t.same(await cut({ mac: { was: '02:00:00:00:00:01', is: '02:00:00:00:00:02' } }), ['mac'])
  t.same(await cut({ mac: { was: null, is: '02:00:00:00:00:01' } }), [])
})

t.test('a session that begins or continues although its login is closed is disconnected', async (t) => {
  let reach: Reach = 'closed'
  const { accounting, allNas } = await startCoaFixture(t, shared, [{}], { reachOf: () => reach })
  const nas = allNas[0]!
  await accounting.send(packet('start', { id: 'late' }))
  await nas.received(1)
  t.equal(nas.seen[0]?.text(acctSessionId), 'late')
  reach = 'open'
  await accounting.send(packet('start', { id: 'paid' }))
  reach = 'closed'
  // The Disconnect was lost, and the NAS goes on telling of the session.
  await accounting.send(packet('interim', { id: 'paid', time: 300 }))
  await nas.received(2)
  t.equal(nas.seen[1]?.text(acctSessionId), 'paid')
})

t.test('a session that stays in the walled garden, or outside, when its login has moved is cut', async (t) => {
  let reach: Reach = 'garden'
  const { accounting, allNas, restart } = await startCoaFixture(t, shared, [{}], { reachOf: () => reach })
  const nas = allNas[0]!
  const cutSessions = () => nas.seen.map((request) => request.text(acctSessionId))
  const tell = (status: 'start' | 'interim', id: string, className: string) =>
    accounting.send(packet(status, { id, more: [[classAttribute, className]] }))
  await tell('start', 'garden', 'tg1/1/1/garden')
  await tell('start', 'other', 'class of another server')
  await accounting.send(packet('start', { id: 'none' }))
  await tell('interim', 'garden', 'tg1/1/1/garden')
  t.same(cutSessions(), [], 'who is where they belong, or nobody knows where')

  // A payment whose Disconnect was lost; the program has been started anew meanwhile.
  reach = 'open'
  await restart()
  await accounting.send(packet('interim', { id: 'none', time: 300 }), packet('interim', { id: 'garden', time: 300 }))
  await nas.received(1)
  t.same(cutSessions(), ['garden'])

  await tell('start', 'open', 'tg1/1/1')
  reach = 'garden'
  // The Class may not come with every packet.
  await accounting.send(packet('interim', { id: 'open', time: 300 }))
  await nas.received(2)
  t.same(cutSessions(), ['garden', 'open'])

  reach = 'open'
  await tell('start', 'moved', 'tg1/1/1')
  await tell('interim', 'moved', 'tg1/1/1/garden')
  await nas.received(3)
  t.same(cutSessions(), ['garden', 'open', 'moved'], 'let in again elsewhere, without a new Start')
})

t.test('a session that began under a former name of the login is cut under that name', async (t) => {
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{}], {
    loginOf: (id) => (id === 1 ? 'johann' : null),
  })
  await accounting.send(packet('start'))
  await cut(['johann'], subscriberId(1))
  const [request] = allNas[0]!.seen
  t.same([request?.text(1), request?.text(acctSessionId)], ['ivan', 'A1'])
  t.equal((await accounting.rows())[0]?.end_reason, 'Disconnect-ACK')
})

t.test('with simultaneous sessions replaced, the oldest is disconnected', async (t) => {
  const { accounting, allNas } = await startCoaFixture(t, shared, [{}], {
    replaceBeyond: (login) => (login === 'ivan' ? 1 : null),
  })
  await accounting.send(packet('start', { id: 'old', station: 'a' }))
  accounting.clock.advance(1000)
  await accounting.send(packet('start', { id: 'new', station: 'b' }))
  await allNas[0]!.received(1)
  t.equal(allNas[0]!.seen[0]?.text(acctSessionId), 'old')
  accounting.clock.advance(1000)
  // The same station again: its old session is replaced without a word.
  await accounting.send(packet('start', { id: 'newer', station: 'b' }))
  await accounting.send(packet('interim', { id: 'newer', time: 1 }))
  t.match(
    (await accounting.rows()).map(({ acct_session_id, end_reason }) => [acct_session_id, end_reason]),
    [
      ['old', 'Disconnect-ACK'],
      ['new', 'Replaced'],
      ['newer', null],
    ],
  )
})

/** What has been sent has arrived, also where the machine takes longer for it than the time until it is sent again. */
const allSeen = (allNas: readonly FakeNas[], { counts }: Disconnects) =>
  until(() => allNas.reduce((sum, { seen }) => sum + seen.length, 0) >= counts.sent + counts.repeated)

t.test('a mass block reaches every NAS completely, paced, and a dead one delays no other', async (t) => {
  const logins = Array.from({ length: 1500 }, (_, i) => `login-${i}`)
  // The time passes with what arrives, so that a busy machine sees the same as an idle one.
  const clock = new ManualClock(startOfTime)
  const { allNas, cut, disconnects } = await startCoaFixture(
    t,
    shared,
    [{ answer: () => ({ nak: 503 }) }, { answer: () => 'silence' }, { answer: () => ({ nak: 503 }) }],
    { clock },
  )
  const done = cut(logins)
  const named = (nas: FakeNas) => new Set(nas.seen.map((request) => request.text(userName))).size
  const isComplete = (nas: FakeNas) => nas.seen.length >= logins.length && named(nas) === logins.length
  while (!isComplete(allNas[0]!) || !isComplete(allNas[2]!)) {
    clock.advance(5)
    await allSeen(allNas, disconnects)
  }
  const { nasPerSecond, nasBurst } = coaLimits
  const seconds = (clock.elapsedMs() - startOfTime.getTime()) / 1_000
  t.ok(seconds >= (logins.length - nasBurst) / nasPerSecond, `it took ${seconds} s`)
  t.ok(disconnects.counts.depth >= 900, 'the dead NAS is still being asked')
  await disconnects.stop(0)
  t.equal(await done, null, 'not finished: the outbox does it again')
})

t.test(
  'what may be sent to all NAS together is shared by all, and a known session goes before questions',
  async (t) => {
    const clock = new ManualClock(startOfTime)
    const limits = {
      sockets: 2,
      window: 512,
      nasPerSecond: 1000,
      nasBurst: 64,
      allPerSecond: 200,
      allBurst: 1,
      yieldingPerSecond: 200,
    }
    const silent = { answer: () => 'silence' as const }
    const { accounting, allNas, cut, disconnects } = await startCoaFixture(t, shared, [silent, silent, silent], {
      clock,
      limits,
    })
    const seen = () => allNas.reduce((sum, nas) => sum + nas.seen.length, 0)
    const sent = async (count: number) => {
      for (let step = 0; step < 2 * count && seen() < count; step++) {
        clock.advance(5)
        await allSeen(allNas, disconnects)
      }
    }
    void cut(Array.from({ length: 50 }, (_, n) => `login-${n}`))
    await sent(31)
    for (const nas of allNas) t.ok(nas.seen.length >= 9, `NAS ${nas.entry.id} was asked ${nas.seen.length} times`)

    await accounting.send(packet('start'))
    void cut(['ivan'])
    const before = seen()
    await sent(before + 2)
    t.equal(allNas[0]!.seen.filter((request) => request.text(acctSessionId) !== null).length, 1)
  },
)

t.test('questions wait longer while requests about known sessions keep coming', async (t) => {
  const clock = new ManualClock(startOfTime)
  const pace = { nasPerSecond: 1000, nasBurst: 64, allPerSecond: 1000, allBurst: 8, yieldingPerSecond: 100 }
  const limits = { sockets: 2, window: 512, ...pace }
  const { accounting, cut, disconnects } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }], {
    clock,
    limits,
  })
  await accounting.send(packet('start'))
  const requests = 20
  for (let request = 0; request < requests; request++) {
    void cut(['ivan'])
    if (request === 0) void cut(Array.from({ length: 200 }, (_, n) => `login-${n}`))
    clock.advance(5)
  }
  const questions = () => disconnects.counts.sent - requests
  const expected = pace.allBurst + (pace.yieldingPerSecond * requests * 5) / 1000
  t.ok(questions() > 0 && questions() <= expected, `${questions()} questions beside ${requests} requests`)
  for (let step = 0; step < 100; step++) clock.advance(5)
  t.equal(questions(), 200, 'as fast as before when no more come')
})

t.test('questions do not wait for ever, however long requests about known sessions keep coming', async (t) => {
  const clock = new ManualClock(startOfTime)
  const pace = { nasPerSecond: 1000, nasBurst: 64, allPerSecond: 1000, allBurst: 8, yieldingPerSecond: 100 }
  const limits = { sockets: 8, window: 2000, ...pace }
  const { accounting, cut, disconnects } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }], {
    clock,
    limits,
  })
  await accounting.send(packet('start'))
  let requests = 0
  const requestsFor = (seconds: number) => {
    for (let ms = 0; ms < seconds * 1000; ms += 50) {
      requests++
      void cut(['ivan'])
      if (requests === 1) void cut(Array.from({ length: 1500 }, (_, n) => `login-${n}`))
      for (let step = 0; step < 10; step++) clock.advance(5)
    }
  }
  const questions = () => disconnects.counts.sent - requests
  requestsFor(9)
  t.ok(questions() <= pace.allBurst + pace.yieldingPerSecond * 9, `${questions()} in nine seconds`)
  requestsFor(3)
  t.equal(questions(), 1500)
})
