import type pg from 'pg'
import t from 'tap'
import { followEvents } from '../../../src/app/event-followers.ts'
import { Outbox, type OutboxParts } from '../../../src/billing/effects/outbox.ts'
import type { Effect, EffectHandlers, EffectResult, OrderedEffect, StoredEffect } from '../../../src/domain/effects.ts'
import { Events, type TollgateEvent } from '../../../src/domain/events.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { capturedLog } from '../../platform/http/parts.ts'
import { testDatabase } from '../../support/database.ts'

const disconnectOf = (login: string): OrderedEffect => ({
  kind: 'disconnect',
  subscriberId: subscriberId(1),
  logins: [login],
})

class Stand {
  readonly events = new Events((error) => {
    throw error
  })
  readonly asked: string[] = []
  /** What the handler answers. */
  result: () => Promise<EffectResult | null> = async () => ({ ack: 1 })
  readonly pool: pg.Pool

  readonly handlers: EffectHandlers = {
    disconnect: (effect, id) => {
      this.asked.push(`${id} ${effect.logins}`)
      return this.result()
    },
  }

  constructor(pool: pg.Pool) {
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
  const stand = new Stand((await testDatabase(t)).database.pool)
  const outbox = stand.outbox()
  await outbox.start(stand.handlers)
  const stored = await stand.insert(disconnectOf('ivan'))
  stand.commit(stored)
  t.same(stand.asked, [`${stored.outboxId} ivan`], 'at once')
  await outbox.stop()
  const { rows } = await stand.pool.query('SELECT attempts, result, done_at IS NOT NULL AS done FROM outbox')
  t.same(rows, [{ attempts: 1, result: { ack: 1 }, done: true }])
})

t.test('what was not finished is done after the next start, once', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  const first = await stand.insert(disconnectOf('one'))
  const second = await stand.insert(disconnectOf('two'))
  const killed = stand.outbox()
  stand.result = () => new Promise(() => {})
  await killed.start(stand.handlers)
  t.same(stand.asked.length, 2)
  stand.result = async () => null
  const stopped = stand.outbox()
  await stopped.start(stand.handlers)
  await stopped.stop()
  t.same(await stand.pending(), [first.outboxId, second.outboxId])
  stand.result = async () => ({ ack: 0 })
  const outbox = stand.outbox()
  await outbox.start(stand.handlers)
  stand.commit(first)
  await outbox.stop()
  t.same(await stand.pending(), [])
  t.equal(stand.asked.length, 6)
})

t.test('messages wait for a later hand', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  const notice = await stand.insert({ kind: 'notify', subscriberId: subscriberId(1), template: 'warn', values: {} })
  const outbox = stand.outbox()
  await outbox.start(stand.handlers)
  stand.commit(notice)
  await outbox.stop()
  t.same(stand.asked, [])
  t.same(await stand.pending(), [notice.outboxId])
})

t.test('an effect that waits for the database is no error', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  const { log, lines } = capturedLog()
  const outbox = stand.outbox({ log })
  await outbox.start(stand.handlers)
  for (const error of [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new Error('a mistake'),
  ]) {
    stand.result = () => Promise.reject(error)
    stand.commit(await stand.insert(disconnectOf('ivan')))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await outbox.stop()
  t.match(lines, [{ level: 'warn' }, { level: 'error' }])
  t.equal((await stand.pending()).length, 2, 'both come again')
})

t.test('a failed effect stays, and does not hold up the others', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  const outbox = stand.outbox()
  await outbox.start(stand.handlers)
  const bad = await stand.insert(disconnectOf('bad'))
  const good = await stand.insert(disconnectOf('good'))
  stand.result = () => Promise.reject(new Error('no'))
  stand.commit(bad)
  stand.result = async () => ({})
  stand.commit(good)
  await new Promise((resolve) => setImmediate(resolve))
  await outbox.stop()
  t.same(await stand.pending(), [bad.outboxId])
  t.match(outbox.counts, { failed: 1, done: 1 })
})

t.test('more than may be in work at once is taken from the table later', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  for (let i = 0; i < 25; i++) await stand.insert(disconnectOf(`login ${i}`))
  const outbox = stand.outbox({ inWorkMax: 4 })
  await outbox.start(stand.handlers)
  t.equal(stand.asked.length, 4)
  while ((await stand.pending()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  t.equal(new Set(stand.asked).size, 25)
  await outbox.stop()
})

t.test('an order has its row before it is carried out, and then its result', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  const outbox = stand.outbox()
  await outbox.start(stand.handlers)
  stand.result = async () => ({ rows: (await stand.pending()).length })
  t.same(await outbox.order(disconnectOf('ivan')), { rows: 1 })
  await outbox.stop()
  const { rows } = await stand.pool.query(
    'SELECT kind, subscriber_id, attempts, result, done_at IS NOT NULL AS done FROM outbox',
  )
  t.same(rows, [{ kind: 'disconnect', subscriber_id: '1', attempts: 1, result: { rows: 1 }, done: true }])
})

t.test('an order is carried out although the database does not answer, and has one row in the end', async (t) => {
  const stand = new Stand((await testDatabase(t)).database.pool)
  let thaw = () => {}
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve
  })
  let writings = 0
  const frozen = new Proxy(stand.pool, {
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
  const outbox = stand.outbox({ pool: frozen })
  await outbox.start(stand.handlers)
  t.same(await outbox.order(disconnectOf('ivan')), { ack: 1 })
  t.same(await stand.pending(), [])
  thaw()
  // The row was written, but nobody knew; it is written again, with the result.
  while (writings < 2) await new Promise((resolve) => setImmediate(resolve))
  await outbox.stop()
  const { rows } = await stand.pool.query('SELECT attempts, result, done_at IS NOT NULL AS done FROM outbox')
  t.same(rows, [{ attempts: 1, result: { ack: 1 }, done: true }])
  t.equal(outbox.inWork, 0)
})
