import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import type { Reach } from '../../../src/domain/account.ts'
import type { Effect, StoredEffect } from '../../../src/domain/effects.ts'
import type { TollgateEvent } from '../../../src/domain/events.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { CoaLog, type CoaRow } from '../../../src/network/radius/coa/coa-log.ts'
import type { DisconnectParts } from '../../../src/network/radius/coa/disconnect-parts.ts'
import type { Disconnects } from '../../../src/network/radius/coa/disconnects.ts'
import { silentLog } from '../../../src/platform/log.ts'
import type { Sql } from '../../../src/platform/storage/sql.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const effect: Effect = { kind: 'disconnect', subscriberId: subscriberId(1), logins: ['ivan'] }
const acctSessionId = 44

t.test('a commit cuts the session at once; killed before the answer, it does so after the restart', async (t) => {
  const { accounting, allNas, disconnects, restart, answers, effects } = await startCoaFixture(t, shared)
  const nas = allNas[0]!
  await accounting.send(packet('start'))
  const { rows } = await accounting.database.query<{ id: string }>(
    'INSERT INTO outbox (kind, payload, subscriber_id) VALUES ($1, $2, 1) RETURNING id',
    [effect.kind, JSON.stringify(effect)],
  )
  const stored: StoredEffect = { outboxId: Number(rows[0]!.id), effect }
  nas.answer = () => 'silence'
  accounting.events.publish({ kind: 'accountCommitted', effects: [stored] } as unknown as TollgateEvent)
  t.equal(disconnects.counts.sent, 1, 'sent before the event has been told to all')
  await nas.received(1)

  nas.answer = () => 'ack'
  const next = await restart()
  await nas.received(2)
  await next.disconnects.stop(60_000)
  await next.outbox.stop()
  t.match(await effects(), [{ done: true, result: { ack: 1, nak: 0, noAnswer: 0 } }])
  t.match(await answers(), [{ outbox_id: rows[0]!.id, result: 'ack', subscriber_id: '1' }])
  t.match(await accounting.rows(), [{ end_reason: 'Disconnect-ACK' }])
})

/** Ways in which a session is cut that no commit of the ledger wants. */
const orders: Record<string, { parts: Partial<DisconnectParts>; order: (fixture: Fixture) => Promise<unknown> }> = {
  'the oldest session of too many': {
    parts: { replaceBeyond: () => 1 },
    order: async ({ accounting }) => {
      accounting.clock.advance(1000)
      await accounting.send(packet('start', { id: 'new', station: 'b' }))
    },
  },
  'a session that ought not to be': {
    parts: { reachOf: () => reach },
    order: async ({ accounting }) => {
      reach = 'closed'
      await accounting.send(packet('interim', { time: 300 }))
    },
  },
  'a session an operator named': {
    parts: {},
    order: async ({ accounting, disconnects }) => {
      disconnects.orderSession(accounting.sessions.liveOf('ivan')[0]!)
    },
  },
  'a login an operator named': {
    parts: {},
    order: async ({ disconnects }) => {
      disconnects.orderLogins(['ivan'])
    },
  },
}
let reach: Reach = 'open'
type Fixture = Awaited<ReturnType<typeof startCoaFixture>>

for (const [what, { parts, order }] of Object.entries(orders)) {
  t.test(`${what} is cut after the restart, when the program was killed before the answer`, async (t) => {
    reach = 'open'
    const fixture = await startCoaFixture(t, shared, [{ answer: () => 'silence' }], parts)
    const nas = fixture.allNas[0]!
    await fixture.accounting.send(packet('start', { station: 'a' }))
    await order(fixture)
    await nas.received(1)
    t.match(await fixture.ordered(), [{ subscriber_id: what.includes('login') ? null : '1', done: false }])

    nas.answer = () => 'ack'
    reach = 'open'
    const next = await fixture.restart()
    await nas.received(2)
    t.equal(nas.seen[1]!.text(acctSessionId), 'A1')
    await finished(t, next, fixture, { ack: 1, nak: 0, noAnswer: 0 })
    const sessionRow = async () =>
      (await fixture.accounting.rows()).find(({ acct_session_id }) => acct_session_id === 'A1')
    // The end of the session is written beside the end of the effect.
    let ended = await sessionRow()
    while (ended && ended.end_reason === null) ended = await sessionRow()
    t.equal(ended?.end_reason, 'Disconnect-ACK')
  })
}

async function finished(
  t: Test,
  next: { disconnects: Disconnects; outbox: Fixture['outbox'] },
  fixture: Fixture,
  result: object,
) {
  await next.disconnects.stop(60_000)
  await next.outbox.stop()
  t.match(await fixture.effects(), [{ done: true, attempts: 1, result }])
}

t.test('after the restart nothing is asked about a session that ended, or about another one of its name', async (t) => {
  for (const next of [
    [packet('stop', { time: 5 })],
    [packet('stop', { time: 5 }), packet('start', { identifier: 9, stamp: 1_772_366_460 })],
  ]) {
    const fixture = await startCoaFixture(t, shared, [{ answer: () => 'silence' }])
    const { accounting, allNas, disconnects } = fixture
    await accounting.send(packet('start'))
    disconnects.orderSession(accounting.sessions.liveOf('ivan')[0]!)
    await allNas[0]!.received(1)
    await fixture.ordered()
    await disconnects.stop(0)
    for (const one of next) {
      accounting.clock.advance(60_000)
      await accounting.send(one)
    }
    t.equal(accounting.sessions.size, next.length - 1)
    await finished(t, await fixture.restart(), fixture, { ack: 0, nak: 0, noAnswer: 0 })
    t.equal(allNas[0]!.seen.length, 1)
  }
})

t.test('a NAS that keeps reporting a session being disconnected causes no further order', async (t) => {
  const { accounting, allNas, ordered } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }], {
    clock: new ManualClock(startOfTime),
    reachOf: () => 'closed',
  })
  await accounting.send(packet('start'))
  await accounting.send(packet('interim', { time: 1 }))
  await allNas[0]!.received(1)
  await accounting.send(packet('interim', { time: 2 }))
  await accounting.send(packet('interim', { time: 3 }))
  t.equal((await ordered()).length, 1)
  t.equal(allNas[0]!.seen.length, 1)
})

t.test('with the database away the session is cut at once, and the row comes when it can', async (t) => {
  const { accounting, allNas, disconnects, effects, restart } = await startCoaFixture(t, shared)
  const nas = allNas[0]!
  await accounting.send(packet('start', { id: 'one' }), packet('start', { id: 'two' }))
  const [one, two] = accounting.sessions.liveOf('ivan')
  accounting.isUp = false
  t.same(await disconnects.orderSession(one!).answered, { ack: 1, nak: 0, noAnswer: 0 })
  nas.answer = () => 'silence'
  disconnects.orderSession(two!)
  await nas.received(2)
  t.same(await effects(), [])
  accounting.isUp = true
  await until(async () => (await effects()).length === 2)
  t.match(await effects(), [{ done: true, result: { ack: 1 } }, { done: false }])
  nas.answer = () => 'ack'
  await restart()
  await nas.received(3)
  t.equal(nas.seen[2]!.text(acctSessionId), two!.acctSessionId)
})

t.test('an answer that was stored without anybody hearing of the commit is stored once', async (t) => {
  const { pool } = await shared.anew()
  let unheard = 2
  const deaf: Sql = {
    async query(statement) {
      const stored = await pool.query(statement)
      if (statement.name === 'coa-log' && unheard-- > 0) throw new Error('Connection terminated unexpectedly')
      return stored
    },
  }
  const answers = new CoaLog({ pool: deaf as Pool, clock: new ManualClock(startOfTime), log: silentLog })
  const kept = { first: 0, second: 0 }
  answers.keep(answerOf('ivan'), () => kept.first++)
  await answers.flush()
  answers.keep(answerOf('petr'), () => kept.second++)
  await answers.flush()
  t.same(kept, { first: 0, second: 0 }, 'nobody knows yet')
  await answers.flush()
  t.same(kept, { first: 1, second: 1 })
  t.same((await pool.query('SELECT login FROM coa_requests ORDER BY id')).rows, [{ login: 'ivan' }, { login: 'petr' }])
})

const answerOf = (login: string): CoaRow => ({
  ...{ outboxId: 7, nasId: 1, request: 'disconnect', login, subscriberId: null, sessionId: null, attempts: 1 },
  ...{ sentAt: startOfTime, answeredAt: startOfTime, result: 'ack', errorCause: null },
})
