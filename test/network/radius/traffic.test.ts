import t from 'tap'
import { closeDays } from '../../../src/network/radius/traffic/closing.ts'
import { beginsOf, readUsage, type UsageStep } from '../../../src/network/radius/traffic/usage.ts'
import { AccountingFixture, packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const going = new AbortController().signal

async function pointsOf(fixture: AccountingFixture, step: UsageStep, loginId = 1, daysBefore = 1) {
  const days = fixture.days()
  const now = fixture.clock.now().getTime()
  const begins = beginsOf(step, (startOfTime.getTime() - daysBefore * dayMs) / 1000, now / 1000 + 1, days)!
  return await readUsage(fixture.database, { loginIds: [loginId], step }, begins, days)
}

/** The steps with traffic: their begins as times of the day in UTC, and their octets. */
async function shown(fixture: AccountingFixture, step: UsageStep, daysBefore?: number) {
  const points = await pointsOf(fixture, step, 1, daysBefore)
  return points
    .filter(({ input, output }) => input + output > 0n)
    .map(({ at, input, output }) => [new Date(at * 1000).toISOString().slice(5, 16), Number(input), Number(output)])
}

t.test('octets are spread over the time since the report before', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const { clock } = fixture
  clock.advance(4 * minuteMs)
  await fixture.send(packet('start'))
  clock.advance(5 * minuteMs)
  await fixture.send(packet('interim', { time: 300, input: 500, output: 1_000 }))
  await fixture.traffic.flush()
  t.same(await shown(fixture, '5m'), [
    ['03-01T12:00', 100, 200],
    ['03-01T12:05', 400, 800],
  ])
  clock.advance(60 * minuteMs)
  await fixture.send(packet('interim', { time: 3_900, input: 1_100, output: 1_000 }))
  await fixture.traffic.flush()
  t.same(await shown(fixture, 'hour'), [
    ['03-01T12:00', 1_010, 1_000],
    ['03-01T13:00', 90, 0],
  ])
  clock.advance(5 * minuteMs)
  await fixture.send(packet('stop', { time: 4_200, input: 5, output: 5, gigawords: [0, 1] }))
  await fixture.traffic.flush()
  t.same((await shown(fixture, 'hour')).at(-1), ['03-01T13:00', 90, 2 ** 32 + 5 - 1_000], 'gigawords, and a reset')
  t.same(await shown(fixture, 'day'), [['02-28T21:00', 1_100, 2 ** 32 + 5]], 'a day of Moscow')
})

t.test('late, repeated and reordered reports count once', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  fixture.clock.advance(10 * minuteMs)
  const [five, ten] = [
    packet('interim', { time: 300, input: 300, delay: 300 }),
    packet('interim', { time: 600, input: 900 }),
  ]
  await fixture.send(ten)
  await fixture.send(five, ten)
  await fixture.send(five)
  await fixture.traffic.flush()
  t.same(await shown(fixture, '5m'), [
    ['03-01T12:00', 450, 0],
    ['03-01T12:05', 450, 0],
  ])
  await fixture.send(packet('stop', { time: 600, input: 900 }))
  await fixture.traffic.flush()
  fixture.clock.advance(minuteMs)
  await fixture.send(packet('interim', { time: 660, input: 1_000 }), packet('stop', { time: 660, input: 1_000 }))
  t.equal((await fixture.database.query('SELECT FROM traffic_late')).rowCount, 1, 'it has ended, so a row remembers')
  await fixture.traffic.flush()
  t.equal((await fixture.database.query('SELECT FROM traffic_late')).rowCount, 0)
  t.same(await sums(fixture, 1), await stored(fixture, 1))
})

t.test('a Stop alone is spread over its session, also where days are closed', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('stop', { time: 10 * 86_400, input: 1_000 }))
  await fixture.traffic.flush()
  t.same(await shown(fixture, 'day', 12), [
    ['02-18T21:00', 37, 0],
    ...[19, 20, 21, 22, 23, 24, 25, 26, 27].map((day) => [`02-${day}T21:00`, 100, 0]),
    ['02-28T21:00', 63, 0],
  ])
  fixture.clock.advance(4 * dayMs)
  t.same(
    await closeDays(
      { store: fixture.trafficStore, counter: fixture.traffic, days: fixture.days },
      fixture.clock.now(),
      going,
    ),
    { closed: 3 },
  )
  t.equal((await shown(fixture, 'day', 12)).length, 11)
  t.same(await sums(fixture, 1, 12), await stored(fixture, 1))
})

t.test('a NAS whose counters have run below zero fills no memory', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const most = 2n ** 63n - 1n
  const nowMs = fixture.clock.now().getTime()
  for (let n = 0; n < 3_000; n++) fixture.traffic.count(1, nowMs - minuteMs, nowMs, most, most)
  t.equal(fixture.traffic.counts.forgotten, 0, 'what others sent is written meanwhile')
  t.ok(fixture.traffic.waiting <= 12_000, `${fixture.traffic.waiting} reports wait`)
})

t.test('what was in memory only is counted again after kill -9', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'goes on' }), packet('start', { id: 'ends' }))
  fixture.clock.advance(5 * minuteMs)
  const report = (id: string, minutes: number) => ({ id, time: minutes * 60, input: minutes * 100 })
  await fixture.send(packet('interim', report('goes on', 5)), packet('interim', report('ends', 5)))
  await fixture.traffic.flush()
  fixture.clock.advance(5 * minuteMs)
  await fixture.send(packet('interim', report('goes on', 10)), packet('stop', report('ends', 10)))
  await fixture.send(packet('stop', { id: 'came and went', time: 60, input: 60 }))
  await fixture.begin()
  t.ok(fixture.traffic.waiting > 0)
  await fixture.traffic.flush()
  t.same(await shown(fixture, '5m'), [
    ['03-01T12:00', 1_000, 0],
    ['03-01T12:05', 1_060, 0],
  ])
  await fixture.begin()
  t.equal(fixture.traffic.waiting, 0, 'nothing is missing')
})

t.test('a writing whose outcome is unknown is found out', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  fixture.clock.advance(5 * minuteMs)
  for (const isCommitted of [true, false]) {
    await fixture.send(packet('interim', { time: 300, input: isCommitted ? 300 : 450 }))
    const { query } = fixture.database
    const broken = async (...args: unknown[]) => {
      const isWriting = (args[0] as { text?: string }).text?.includes('traffic_marks')
      if (isCommitted || !isWriting) await Reflect.apply(query, fixture.database, args)
      if (isWriting) throw new Error('Connection terminated unexpectedly')
    }
    Object.assign(fixture.database, { query: broken })
    await fixture.traffic.flush()
    Object.assign(fixture.database, { query })
    t.notOk(fixture.traffic.isSettled)
    fixture.clock.advance(5 * minuteMs)
    await fixture.send(packet('interim', { time: 600, input: isCommitted ? 400 : 500 }))
    await fixture.traffic.settle()
    await fixture.traffic.flush()
    t.same(await sums(fixture, 1), await stored(fixture, 1))
  }
})

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const sums = async (fixture: AccountingFixture, loginId: number, daysBefore?: number, step: UsageStep = 'day') => {
  const points = await pointsOf(fixture, step, loginId, daysBefore)
  const total = (of: 'input' | 'output') => points.reduce((sum, point) => sum + point[of], 0n)
  return [total('input'), total('output')]
}

const stored = async (fixture: AccountingFixture, loginId: number) => {
  const { rows } = await fixture.database.query<{ input: string; output: string }>(
    'SELECT coalesce(sum(input_octets), 0) AS input, coalesce(sum(output_octets), 0) AS output FROM radius_sessions WHERE user_id = $1',
    [loginId],
  )
  return [BigInt(rows[0]!.input), BigInt(rows[0]!.output)]
}

for (const seed of [5, 19])
  t.test(`a series has what its sessions have, whatever happens (seed ${seed})`, async (t) => {
    const fixture = await AccountingFixture.start(t, shared)
    await fixture.database.query(`INSERT INTO users (id, abonent_id, login, password)
      SELECT n, 1, 'login' || n, 'x' FROM generate_series(2, 40) n`)
    const random = randomly(seed)
    const below = (count: number) => Math.floor(random() * count)
    const logins = ['ivan', 'login2', 'login33', 'nobody']
    const sessions = Array.from({ length: 12 }, (_, index) => ({
      login: logins[below(logins.length)]!,
      id: `S${index % 9}`,
      time: 0,
      input: 0,
      output: 0,
    }))
    const held: Buffer[] = []
    for (let round = 0; round < 45; round++) {
      fixture.clock.advance(below(40) * minuteMs)
      for (const session of sessions) {
        if (random() < 0.4) continue
        session.time += below(2_000)
        session.input = random() < 0.05 ? below(100) : session.input + below(2 ** 31)
        session.output += random() < 0.5 ? 0 : below(5_000)
        const status = (['start', 'interim', 'interim', 'interim', 'interim', 'stop'] as const)[below(6)]!
        const { login, id, time, input, output } = session
        const gigawords: [number, number] = [Math.floor(input / 2 ** 32), 0]
        const delay = random() < 0.2 ? { delay: below(900) } : {}
        held.push(packet(status, { login, id, time, input: input % 2 ** 32, output, gigawords, ...delay }))
      }
      if (random() < 0.05) held.push(packet('on'))
      // Some are repeated, some are lost, and they arrive in any order.
      const sent = held.filter(() => random() < 0.7).sort(() => random() - 0.5)
      if (random() < 0.6) held.length = 0
      if (sent.length > 0) await fixture.send(...sent)
      const event = random()
      if (event < 0.2) await fixture.traffic.flush()
      else if (event < 0.3 && fixture.isUp) await fixture.begin()
      else if (event < 0.4) fixture.isUp = false
      else if (!fixture.isUp) await fixture.recover()
      if (!fixture.isUp && random() < 0.3) {
        fixture.isUp = true
        await fixture.begin()
      }
    }
    await fixture.recover()
    if (!fixture.traffic.isSettled) await fixture.traffic.settle()
    await fixture.traffic.flush()
    const expected = await Promise.all([1, 2, 33].map((id) => stored(fixture, id)))
    t.ok(expected.every(([input]) => input! > 0n))
    const counted = (step: UsageStep) => Promise.all([1, 2, 33].map((id) => sums(fixture, id, 3, step)))
    for (const step of ['5m', 'hour', 'day'] as const) t.same(await counted(step), expected, step)
    const closing = { store: fixture.trafficStore, counter: fixture.traffic, days: fixture.days }
    for (const days of [1, 3]) {
      fixture.clock.advance(days * dayMs)
      await closeDays(closing, fixture.clock.now(), going)
      for (const step of ['hour', 'day'] as const) t.same(await counted(step), expected, `${step}, closed`)
    }
    const { rows } = await fixture.database.query('SELECT count(*)::int4 AS left FROM traffic_steps_0, traffic_steps_1')
    t.same(rows, [{ left: 0 }])
  })
