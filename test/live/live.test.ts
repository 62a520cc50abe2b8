import t from 'tap'
import { followEvents } from '../../src/app/event-followers.ts'
import type { Account } from '../../src/domain/account.ts'
import { Events, type Session } from '../../src/domain/events.ts'
import { nasId, type OrganizationId, organizationId, staffId, subscriberId } from '../../src/domain/ids.ts'
import { rubles } from '../../src/domain/money.ts'
import { Live, type LiveParts, type SystemState } from '../../src/live/live.ts'
import type { RequestCount } from '../../src/live/rates.ts'
import { socketBytesMax } from '../../src/live/sockets.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { StaffUser } from '../../src/domain/staff-user.ts'
import { anAccount, aSubscriber } from '../support/account.ts'
import { aSession } from './a-session.ts'
import { FakeSocket } from './fake-socket.ts'

const aStaff = (organizations: number[] | null = null, id = 1): StaffUser => ({
  id: staffId(id),
  username: `staff${id}`,
  isSuperuser: organizations === null,
  rights: ['view'],
  organizations: organizations?.map((one) => organizationId(one)) ?? null,
})

const noDatabase = () => Promise.reject(new Error('no database'))

function aLive(over: Partial<LiveParts> = {}) {
  const clock = new ManualClock(new Date('2026-03-01T12:00:00Z'))
  const events = new Events((error) => {
    throw error
  })
  const sessions: Session[] = []
  const accounts: Account[] = []
  const counts: RequestCount[] = [{ nas: 'bras', result: 'accept', count: 1000 }]
  const system: SystemState = {
    ready: true,
    reason: null,
    databaseUp: true,
    readOnly: false,
    spoolBytes: 0,
    unansweredNas: [],
  }
  const cuts: string[] = []
  const live = new Live({
    clock,
    log: silentLog,
    sessions: { all: () => sessions, ofSubscriber: (id) => sessions.filter((one) => one.subscriberId === id) },
    accountOf: async (id) => accounts.find(({ subscribers }) => subscribers.some((one) => one.id === id)) ?? null,
    radius: () => counts,
    system: () => system,
    blockCounts: noDatabase,
    ticketCounts: noDatabase,
    observe: { frame: () => {}, cut: (closing) => cuts.push(closing) },
    soon: (leave) => leave(),
    ...over,
  })
  followEvents(events, { live })
  t.teardown(() => live.stop())
  const connect = (staff = aStaff()) => {
    const socket = new FakeSocket()
    const client = live.open(socket, staff)
    const say = (message: unknown) => client.message(JSON.stringify(message))
    return { socket, client, say, subscribe: (...topics: string[]) => say({ type: 'subscribe', topics }) }
  }
  return { clock, events, sessions, accounts, counts, system, live, cuts, connect }
}

/** Lets promises that are settled already take effect. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('each topic answers with a snapshot, then come events in the order of seq', async (t) => {
  const { connect, events, sessions, clock } = aLive()
  sessions.push(aSession({ id: '1' }))
  const { socket, subscribe } = connect()
  subscribe('sessions', 'blocks', 'finance', 'radius', 'system')
  await settled()
  t.same(
    socket.ofType('snapshot').map(({ topic }) => topic),
    ['sessions', 'finance', 'radius', 'system', 'blocks'],
    'that from the database last',
  )
  t.match(socket.frames()[0], { type: 'snapshot', total: 1, sessions: [{ id: 1, login: 'ivan' }] })
  t.match(socket.frames()[3], { ready: true, database_up: true })
  const session = aSession({ id: '2' })
  events.publish({ kind: 'sessionStarted', at: clock.now(), session })
  events.publish({ kind: 'sessionStopped', at: clock.now(), session: { ...session, endReason: 'User-Request' } })
  const frames = socket.frames()
  t.match(frames.slice(5), [
    { type: 'session.started', at: '2026-03-01T12:00:00.000Z', session: { id: 2 } },
    { type: 'session.stopped', session: { end_reason: 'User-Request' } },
  ])
  t.strictSame(
    frames.map(({ seq }) => seq),
    frames.map((_, at) => at + 1),
  )
})

t.test('nobody gets what they did not ask for, and an event of two topics comes once', async (t) => {
  const { connect, events, accounts, clock } = aLive()
  accounts.push(anAccount())
  const nothing = connect()
  const both = connect()
  both.subscribe('finance', 'abonent:10')
  await settled()
  const after = anAccount({ balance: rubles(1) })
  events.publish({
    kind: 'accountCommitted',
    at: clock.now(),
    before: anAccount(),
    after,
    operations: [],
    effects: [],
  })
  t.equal(nothing.socket.texts.length, 0)
  t.equal(both.socket.ofType('balance.changed').length, 1)
  both.say({ type: 'unsubscribe', topics: ['finance', 'abonent:10'] })
  events.publish({
    kind: 'accountCommitted',
    at: clock.now(),
    before: after,
    after: anAccount(),
    operations: [],
    effects: [],
  })
  t.equal(both.socket.ofType('balance.changed').length, 1)
  t.match(both.socket.frames().at(-1), { type: 'unsubscribed', topics: ['finance', 'abonent:10'] })
})

t.test('a staff user sees only sessions, events and counts of the allowed organizations', async (t) => {
  const asked: (readonly OrganizationId[] | null)[] = []
  const { connect, events, sessions, clock } = aLive({
    blockCounts: async (organizations) => {
      asked.push(organizations)
      return { b_negbal: 1, b_admin: 0, b_own: 0, b_sys: 0, blocked: 1 }
    },
  })
  for (const id of [1, 2, 3]) sessions.push(aSession({ id: String(id), organizationId: organizationId(id) }))
  sessions.push(aSession({ id: '4', organizationId: null }))
  const one = connect(aStaff([2]))
  const all = connect(aStaff(null, 2))
  const none = connect(aStaff([], 3))
  for (const { subscribe } of [one, all, none]) subscribe('sessions', 'radius', 'blocks', 'finance')
  await settled()
  const totals = [one, all, none].map(({ socket }) => socket.frames()[0]?.total)
  t.strictSame(totals, [1, 4, 0])
  t.strictSame(asked, [[organizationId(2)], null, []])
  const refusal = { reason: 'no', code: 'deleted', station: null } as const
  const common = { at: clock.now(), login: 'x', subscriberId: null, nasId: nasId(1), ...refusal }
  for (const organization of [organizationId(1), organizationId(2), null]) {
    events.publish({ kind: 'accessRejected', ...common, organizationId: organization })
    events.publish({ kind: 'sessionUpdated', at: clock.now(), session: aSession({ organizationId: organization }) })
    const before = anAccount({ subscribers: organization ? [aSubscriber({ organizationId: organization })] : [] })
    events.publish({
      kind: 'accountCommitted',
      at: clock.now(),
      before,
      after: { ...before, balance: rubles(7) },
      operations: [],
      effects: [],
    })
  }
  for (const type of ['access.rejected', 'session.updated', 'balance.changed']) {
    t.strictSame(
      [one, all, none].map(({ socket }) => socket.ofType(type).length),
      [1, 3, 0],
      type,
    )
  }
  const late = connect(aStaff([2], 4))
  late.subscribe('radius')
  const rejected = late.socket.frames()[0]?.rejected as { organization_id: number }[]
  t.strictSame(
    rejected.map(({ organization_id }) => organization_id),
    [2],
    'what happened before is filtered too',
  )
})

t.test('a subscriber of another organization is as unknown as one that does not exist', async (t) => {
  const { connect, accounts } = aLive()
  accounts.push(anAccount({ subscribers: [aSubscriber({ organizationId: organizationId(2) })] }))
  const { socket, subscribe } = connect(aStaff([1]))
  subscribe('abonent:10', 'abonent:99')
  await settled()
  t.match(socket.frames(), [
    { type: 'error', error: 'not_found', topic: 'abonent:10' },
    { type: 'error', error: 'not_found', topic: 'abonent:99' },
  ])
})

t.test('events wait behind the snapshot of a subscriber that is still being read', async (t) => {
  let answer: (account: Account) => void = () => {}
  const { connect, events, clock } = aLive({ accountOf: () => new Promise((resolve) => (answer = resolve)) })
  const { socket, subscribe } = connect()
  subscribe('abonent:10')
  const session = aSession({ subscriberId: subscriberId(10) })
  events.publish({ kind: 'sessionStarted', at: clock.now(), session })
  await settled()
  t.equal(socket.texts.length, 0)
  answer(anAccount())
  await settled()
  t.match(socket.frames(), [
    { type: 'snapshot', topic: 'abonent:10', account: { balance: '100.00' }, block: { enabled: true }, seq: 1 },
    { type: 'session.started', seq: 2 },
  ])
})

t.test('a snapshot that cannot be read is an error frame, and events go on', async (t) => {
  const { connect, events, clock } = aLive({ accountOf: () => Promise.reject(new Error('away')) })
  const failing = connect()
  failing.subscribe('abonent:10')
  await settled()
  t.match(failing.socket.frames(), [{ type: 'error', error: 'unavailable', topic: 'abonent:10' }])
  const hanging = aLive({ accountOf: () => new Promise(() => {}) })
  const waiting = hanging.connect()
  waiting.subscribe('abonent:10')
  hanging.clock.advance(5000)
  t.match(waiting.socket.frames(), [{ type: 'error', error: 'unavailable' }])
  events.publish({ kind: 'sessionStarted', at: clock.now(), session: aSession({ subscriberId: subscriberId(10) }) })
  t.equal(failing.socket.ofType('session.started').length, 1)
})

t.test('rates come once a second as differences', async (t) => {
  const { connect, clock, counts } = aLive()
  const { socket, subscribe } = connect()
  subscribe('radius')
  counts[0] = { nas: 'bras', result: 'accept', count: 1030 }
  counts.push({ nas: 'bras', result: 'reject', count: 5 }, { nas: 'bras', result: 'repeated', count: 70 })
  counts.push({ nas: 'new', result: 'accept', count: 10 }, { nas: 'new', result: 'accounting', count: 4 })
  counts.push({ nas: null, result: 'dropped', count: 2 })
  clock.advance(1000)
  clock.advance(1000)
  const rates = socket.ofType('radius.rates')
  t.match(rates, [
    {
      accept: 40,
      reject: 5,
      accounting: 4,
      dropped: 2,
      nas: [{ name: 'bras', accept: 30 }, { name: 'new' }, { name: null }],
    },
    { accept: 0, reject: 0, nas: [] },
  ])
})

t.test('the state of the system comes when it changes', async (t) => {
  const { connect, clock, system } = aLive()
  const { socket, subscribe } = connect()
  subscribe('system')
  clock.advance(2000)
  t.equal(socket.ofType('system').length, 0)
  system.databaseUp = false
  system.reason = 'the database is away'
  clock.advance(1000)
  t.match(socket.ofType('system'), [{ database_up: false, reason: 'the database is away' }])
  system.unansweredNas = [{ nas: 'ocserv', disconnects: 3 }]
  clock.advance(1000)
  t.match(socket.ofType('system')[1], { unanswered_nas: [{ nas: 'ocserv', disconnects: 3 }] })
})

t.test('the sessions of a snapshot are the newest, and the total counts all', async (t) => {
  const { connect, sessions } = aLive()
  for (let n = 0; n < 2600; n++) {
    sessions.push(aSession({ id: String(n), startedAt: new Date(1.7e12 + ((n * 7919) % 2600) * 1000) }))
  }
  const { socket, subscribe } = connect()
  subscribe('sessions')
  const [frame] = socket.frames() as unknown as [{ total: number; sessions: { started_at: string }[] }]
  t.equal(frame.total, 2600)
  t.equal(frame.sessions.length, 500)
  const expected = sessions
    .map(({ startedAt }) => startedAt.toISOString())
    .sort()
    .reverse()
    .slice(0, 500)
  t.strictSame(
    frame.sessions.map(({ started_at }) => started_at),
    expected,
  )
})

t.test('a flood of rejections is counted and not shown one by one', async (t) => {
  const { connect, events, clock } = aLive()
  const { socket, subscribe } = connect()
  subscribe('radius')
  const refusal = { reason: 'no', code: 'deleted', station: null } as const
  const whose = { login: 'x', subscriberId: null, organizationId: null, nasId: nasId(1) }
  const reject = () => events.publish({ kind: 'accessRejected', at: clock.now(), ...whose, ...refusal })
  for (let n = 0; n < 5000; n++) reject()
  t.equal(socket.ofType('access.rejected').length, 100)
  clock.advance(1000)
  t.match(socket.frames().at(-1), { type: 'radius.rates', rejections_hidden: 4900 })
  reject()
  t.equal(socket.ofType('access.rejected').length, 101)
})

t.test('a slow client gets the latest of each session when it reads again, and asks for a snapshot', async (t) => {
  const { connect, events, clock } = aLive()
  const slow = connect()
  const quick = connect()
  for (const { subscribe } of [slow, quick]) subscribe('sessions')
  slow.socket.bufferedBytes = socketBytesMax
  for (let n = 1; n <= 3000; n++) {
    const session = aSession({ id: String(n % 3), sessionTime: n })
    events.publish({ kind: 'sessionUpdated', at: clock.now(), session })
  }
  slow.socket.bufferedBytes = 0
  slow.client.drained()
  t.equal(quick.socket.ofType('session.updated').length, 3000)
  t.match(slow.socket.ofType('session.updated'), [
    { session: { session_time: 2998 }, seq: 2999 },
    { session: { session_time: 2999 }, seq: 3000 },
    { session: { session_time: 3000 }, seq: 3001 },
  ])
  slow.say({ type: 'snapshot' })
  clock.advance(1000)
  t.match(slow.socket.frames().at(-1), { type: 'snapshot', topic: 'sessions', seq: 3002 })
})

t.test('a snapshot lists as many sessions as the client wants, and tells how many there are', async (t) => {
  const { connect, sessions, clock } = aLive()
  for (let n = 1; n <= 5; n++) sessions.push(aSession({ id: String(n), startedAt: new Date(1.7e12 + n) }))
  const { socket, say } = connect()
  say({ type: 'subscribe', topics: ['sessions'], sessions: 2 })
  t.match(socket.frames()[0], { total: 5, sessions: [{ id: 5 }, { id: 4 }] })
  say({ type: 'subscribe', topics: ['finance'], sessions: 0 })
  clock.advance(1000)
  say({ type: 'snapshot', topics: ['sessions'] })
  t.match(socket.frames().at(-1), { topic: 'sessions', total: 5, sessions: [] })
  t.strictSame(socket.frames().at(-1)?.sessions, [])
})

t.test('a snapshot asked for again and again comes once a second', async (t) => {
  const { connect, clock } = aLive()
  const { socket, say, subscribe } = connect()
  for (let n = 0; n < 20; n++) subscribe('sessions')
  for (let n = 0; n < 20; n++) say({ type: 'snapshot', topics: ['sessions'] })
  t.equal(socket.ofType('snapshot').length, 1)
  clock.advance(1000)
  t.equal(socket.ofType('snapshot').length, 2, 'what was asked for meanwhile is not forgotten')
  clock.advance(5000)
  t.equal(socket.ofType('snapshot').length, 2)
  subscribe('sessions', 'finance')
  say({ type: 'unsubscribe', topics: ['finance'] })
  subscribe('finance')
  say({ type: 'unsubscribe', topics: ['finance'] })
  clock.advance(1000)
  t.strictSame(
    socket.ofType('snapshot').map(({ topic }) => topic),
    ['sessions', 'sessions', 'sessions', 'finance'],
    'nobody gets the snapshot of what they left',
  )
})

t.test('a client that never reads is cut after half a minute', async (t) => {
  const { connect, events, clock, cuts, live } = aLive()
  const { socket, subscribe } = connect()
  subscribe('sessions')
  socket.bufferedBytes = socketBytesMax
  events.publish({ kind: 'sessionStarted', at: clock.now(), session: aSession() })
  clock.advance(29_000)
  t.equal(socket.closedWith, null)
  clock.advance(3000)
  t.match(socket.closedWith, { code: 1013 })
  t.strictSame(cuts, ['slow'])
  t.equal(live.sockets, 0)
})

t.test('a client that sends nonsense gets errors, and is closed when it continues', async (t) => {
  const { connect, clock } = aLive()
  const { socket, client, say } = connect()
  client.message('hello')
  say({ type: 'subscribe', topics: ['passwords'] })
  say({ type: 'snapshot', topics: ['finance'] })
  t.match(socket.frames(), [
    { type: 'error', error: 'not_json' },
    { type: 'error', error: 'bad_topics' },
    { type: 'error', error: 'not_subscribed', topic: 'finance' },
  ])
  clock.advance(1000)
  for (let n = 0; n < 100; n++) client.message('hello')
  t.match(socket.closedWith, { code: 1008 })
  const patient = connect()
  for (let n = 0; n < 100; n++) {
    patient.say({ type: 'ping' })
    clock.advance(1000)
  }
  t.equal(patient.socket.closedWith, null)
  t.equal(patient.socket.ofType('pong').length, 100)
})

t.test('a database that does not answer keeps neither a pong nor what memory knows', async (t) => {
  const never = () => new Promise<never>(() => {})
  const { connect, clock } = aLive({ blockCounts: never, accountOf: never })
  const { socket, subscribe, say } = connect()
  subscribe('blocks', 'abonent:1', 'system')
  say({ type: 'ping' })
  t.match(socket.frames(), [
    { type: 'snapshot', topic: 'system', seq: 1 },
    { type: 'pong', seq: 1 },
  ])
  clock.advance(2500)
  t.match(socket.frames().slice(2), [
    { type: 'error', topic: 'blocks', seq: 2 },
    { type: 'error', topic: 'abonent:1', seq: 3 },
  ])
})

t.test('the sockets of one user are limited, and a closed one makes room', async (t) => {
  const { connect, live } = aLive()
  const opened = Array.from({ length: 31 }, () => connect())
  t.match(opened.at(-1)?.socket.closedWith, { code: 1013 })
  t.equal(live.sockets, 30)
  opened[0]?.client.closed()
  t.equal(connect().socket.closedWith, null)
  t.equal(connect(aStaff(null, 2)).socket.closedWith, null)
})

t.test('a socket that fails while it subscribes leaves nothing behind', async (t) => {
  const { connect, events, live, clock } = aLive()
  const { socket, subscribe } = connect()
  socket.refuses = true
  subscribe('sessions', 'finance', 'radius')
  t.equal(live.sockets, 0)
  socket.refuses = false
  events.publish({ kind: 'sessionStarted', at: clock.now(), session: aSession() })
  clock.advance(1000)
  t.equal(socket.texts.length, 0)
})

t.test('a stop closes every socket with a reason', async (t) => {
  const { connect, live } = aLive()
  const { socket } = connect()
  live.stop()
  t.match(socket.closedWith, { code: 1001 })
  t.equal(live.sockets, 0)
})
