import type pg from 'pg'
import t, { type Test } from 'tap'
import { followEvents } from '../../../src/app/event-followers.ts'
import { Outbox, type OutboxParts } from '../../../src/billing/effects/outbox.ts'
import type { Effect, EffectHandlers, EffectResult, OrderedEffect, StoredEffect } from '../../../src/domain/effects.ts'
import { Events, type TollgateEvent } from '../../../src/domain/events.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { capturedLog } from '../../platform/http/parts.ts'
import { SharedDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const disconnectOf = (login: string): OrderedEffect => ({
  kind: 'disconnect',
  subscriberId: subscriberId(1),
  logins: [login],
})

class Fixture {
  readonly events = new Events((error) => {
    throw error
  })
  readonly asked: string[] = []
  /** What the handler answers. */
  result: () => Promise<EffectResult | null> = async () => ({ ack: 1 })
  readonly pool: pg.Pool
  readonly #t: Test

  readonly handlers: EffectHandlers = {
    disconnect: (effect, id) => {
      this.asked.push(`${id} ${effect.logins}`)
      return this.result()
    },
  }

  constructor(t: Test, pool: pg.Pool) {
    this.#t = t
    this.pool = pool
  }

  outbox(more: Partial<OutboxParts> = {}): Outbox {
    const outbox = new Outbox({
      pool: this.pool,
      clock: systemClock,
      log: silentLog,
      ...more,
    })
    followEvents(this.events, { outbox })
    this.#t.teardown(() => outbox.stop())
    return outbox
  }

  async insert(effect: Effect): Promise<StoredEffect> {
    const { rows } = await this.pool.query<{ id: string }>(
      'INSERT INTO outbox (kind, payload) VALUES ($1, $2) RETURNING id',
      [effect.kind, JSON.stringify(effect)],
    )
    return { outboxId: Number(rows[0]!.id), effect }
  }

  commit(...effects: StoredEffect[]): void {
    this.events.publish({ kind: 'accountCommitted', effects } as unknown as TollgateEvent)
  }

  async pending(): Promise<number[]> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM outbox WHERE done_at IS NULL ORDER BY id')
    return rows.map(({ id }) => Number(id))
  }
}

t.test('an effect is done when its commit is told, and kept with its result', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const outbox = fixture.outbox()
  await outbox.start(fixture.handlers)
  const stored = await fixture.insert(disconnectOf('ivan'))
  fixture.commit(stored)
  t.same(fixture.asked, [`${stored.outboxId} ivan`], 'at once')
  await outbox.stop()
  const { rows } = await fixture.pool.query('SELECT attempts, result, done_at IS NOT NULL AS done FROM outbox')
  t.same(rows, [{ attempts: 1, result: { ack: 1 }, done: true }])
})

t.test('what was not finished is done after the next start, once', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const first = await fixture.insert(disconnectOf('one'))
  const second = await fixture.insert(disconnectOf('two'))
  const killed = fixture.outbox()
  fixture.result = () => new Promise(() => {})
  await killed.start(fixture.handlers)
  t.same(fixture.asked.length, 2)
  fixture.result = async () => null
  const stopped = fixture.outbox()
  await stopped.start(fixture.handlers)
  await stopped.stop()
  t.same(await fixture.pending(), [first.outboxId, second.outboxId])
  fixture.result = async () => ({ ack: 0 })
  const outbox = fixture.outbox()
  await outbox.start(fixture.handlers)
  fixture.commit(first)
  await outbox.stop()
  t.same(await fixture.pending(), [])
  t.equal(fixture.asked.length, 6)
})

t.test('effects without a handler stay in the outbox', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const notice = await fixture.insert({ kind: 'notify', subscriberId: subscriberId(1), template: 'warn', values: {} })
  const outbox = fixture.outbox()
  await outbox.start(fixture.handlers)
  fixture.commit(notice)
  await outbox.stop()
  t.same(fixture.asked, [])
  t.same(await fixture.pending(), [notice.outboxId])
})

t.test('an effect that waits for the database is no error', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const { log, lines } = capturedLog()
  const outbox = fixture.outbox({ log })
  await outbox.start(fixture.handlers)
  for (const error of [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new Error('a mistake'),
  ]) {
    fixture.result = () => Promise.reject(error)
    fixture.commit(await fixture.insert(disconnectOf('ivan')))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await outbox.stop()
  t.match(lines, [{ level: 'warn' }, { level: 'error' }])
  t.equal((await fixture.pending()).length, 2, 'both come again')
})

t.test('a failed effect stays, and does not hold up the others', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const outbox = fixture.outbox()
  await outbox.start(fixture.handlers)
  const bad = await fixture.insert(disconnectOf('bad'))
  const good = await fixture.insert(disconnectOf('good'))
  fixture.result = () => Promise.reject(new Error('no'))
  fixture.commit(bad)
  fixture.result = async () => ({})
  fixture.commit(good)
  await new Promise((resolve) => setImmediate(resolve))
  await outbox.stop()
  t.same(await fixture.pending(), [bad.outboxId])
  t.match(outbox.counts, { failed: 1, done: 1 })
})

t.test('a node that was fenced while it read what is pending takes nothing of it', async (t) => {
  const { pool } = await shared.anew()
  const fixture = new Fixture(t, pool)
  const node = { place: { number: 1 }, fenced: null as string | null }
  let [stands, reads] = [true, 0]
  const query = async (order: string, values?: unknown[]) => {
    const answer = await pool.query(order, values)
    if (String(order).startsWith('SELECT id, payload')) {
      reads++
      if (stands) node.fenced = 'Others do not see it.'
    }
    return answer
  }
  await fixture.insert(disconnectOf('ivan'))
  const clock = new ManualClock(new Date())
  const outbox = fixture.outbox({ pool: { query } as unknown as pg.Pool, clock, node })
  await outbox.start(fixture.handlers)
  t.strictSame([reads, fixture.asked.length], [1, 0])
  stands = false
  node.fenced = null
  clock.advance(30_000)
  await until(() => fixture.asked.length === 1)
})

/** A pool whose reading of this number of what is pending has its rows, and hands them out when it is told to. */
class SlowReading {
  reads = 0
  readonly answered = Promise.withResolvers<void>()
  readonly pool: pg.Pool

  constructor(pool: pg.Pool, slow: number) {
    const query = async (order: string, values?: unknown[]) => {
      const answer = await pool.query(order, values)
      if (String(order).startsWith('SELECT id, payload') && ++this.reads === slow) await this.answered.promise
      return answer
    }
    this.pool = { query } as unknown as pg.Pool
  }
}

t.test('what is marked while the pending ones are read is not carried out again', async (t) => {
  const { pool } = await shared.anew()
  const fixture = new Fixture(t, pool)
  const slow = new SlowReading(pool, 2)
  const clock = new ManualClock(new Date())
  const outbox = fixture.outbox({ pool: slow.pool, clock })
  await outbox.start(fixture.handlers)
  const finished = Promise.withResolvers<EffectResult>()
  fixture.result = () => finished.promise
  fixture.commit(await fixture.insert(disconnectOf('ivan')))
  clock.advance(30_000)
  await until(() => slow.reads === 2)
  finished.resolve({ ack: 1 })
  await new Promise(setImmediate)
  clock.advance(200)
  await until(() => outbox.inWork === 0)
  slow.answered.resolve()
  await new Promise(setImmediate)
  t.equal(fixture.asked.length, 1)
})

t.test('of two readings of what is pending at once each knows what is marked meanwhile', async (t) => {
  const { pool } = await shared.anew()
  const fixture = new Fixture(t, pool)
  const slow = new SlowReading(pool, 1)
  await fixture.insert(disconnectOf('ivan'))
  const clock = new ManualClock(new Date())
  const outbox = fixture.outbox({ pool: slow.pool, clock })
  const started = outbox.start(fixture.handlers)
  await until(() => slow.reads === 1)
  outbox.sweepSoon()
  clock.advance(0)
  await until(() => fixture.asked.length === 1)
  clock.advance(200)
  await until(async () => (await fixture.pending()).length === 0)
  await until(() => outbox.inWork === 0)
  slow.answered.resolve()
  await started
  t.equal(fixture.asked.length, 1)
})

t.test('more than may be in work at once is taken from the table later', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  for (let i = 0; i < 25; i++) await fixture.insert(disconnectOf(`login ${i}`))
  const outbox = fixture.outbox({ inWorkMax: 4 })
  await outbox.start(fixture.handlers)
  t.equal(fixture.asked.length, 4)
  await until(async () => (await fixture.pending()).length === 0)
  t.equal(new Set(fixture.asked).size, 25)
  await outbox.stop()
})

t.test('an order has its row before it is carried out, and then its result', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  const outbox = fixture.outbox({ clock: new ManualClock(new Date()) })
  await outbox.start(fixture.handlers)
  fixture.result = async () => ({ rows: (await fixture.pending()).length })
  t.same(await outbox.order(disconnectOf('ivan')), { rows: 1 })
  await outbox.stop()
  const { rows } = await fixture.pool.query(
    'SELECT kind, subscriber_id, attempts, result, done_at IS NOT NULL AS done FROM outbox',
  )
  t.same(rows, [{ kind: 'disconnect', subscriber_id: '1', attempts: 1, result: { rows: 1 }, done: true }])
})

t.test('an order is carried out although the database does not answer, and has one row in the end', async (t) => {
  const fixture = new Fixture(t, (await shared.anew()).pool)
  let thaw = () => {}
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve
  })
  let writings = 0
  const frozen = new Proxy(fixture.pool, {
    get: (pool, name) => {
      if (name !== 'query') return Reflect.get(pool, name)
      return async (query: { name?: string }, values?: unknown[]) => {
        if (query.name === 'outbox-order' && writings++ === 0) {
          await thawed
          await pool.query(query as pg.QueryConfig)
          throw new Error('Query read timeout')
        }
        return pool.query(query as pg.QueryConfig, values)
      }
    },
  })
  const outbox = fixture.outbox({ pool: frozen })
  await outbox.start(fixture.handlers)
  t.same(await outbox.order(disconnectOf('ivan')), { ack: 1 })
  t.same(await fixture.pending(), [])
  thaw()
  // The row was written, but nobody knew; it is written again, with the result.
  await until(() => writings === 2)
  await outbox.stop()
  const { rows } = await fixture.pool.query('SELECT attempts, result, done_at IS NOT NULL AS done FROM outbox')
  t.same(rows, [{ attempts: 1, result: { ack: 1 }, done: true }])
  t.equal(outbox.inWork, 0)
})
