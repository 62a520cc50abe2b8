import t from 'tap'
import { systemClock } from '../../src/actors/clock.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import type { Effect, StoredEffect, TollgateEvent } from '../../src/events.ts'
import { silentLog } from '../../src/log.ts'
import { Disconnects } from '../../src/radius/disconnects.ts'
import { Outbox } from '../../src/storage/outbox.ts'
import { packet } from '../support/accounting.ts'
import { startCoaStand } from '../support/coa.ts'

const effect: Effect = { kind: 'disconnect', subscriberId: subscriberId(1), logins: ['ivan'] }

t.test('a commit cuts the session at once; killed before the answer, it does so after the restart', async (t) => {
  const { stand, allNas, disconnects, answers } = await startCoaStand(t)
  const nas = allNas[0]!
  const pool = stand.database
  await stand.send(packet('start'))
  const parts = { pool, events: stand.events, clock: systemClock, log: silentLog }
  const outbox = new Outbox({ ...parts, handlers: disconnects.handlers })
  await outbox.start()

  const { rows } = await pool.query<{ id: string }>(
    'INSERT INTO outbox (kind, payload, subscriber_id) VALUES ($1, $2, 1) RETURNING id',
    [effect.kind, JSON.stringify(effect)],
  )
  const stored: StoredEffect = { outboxId: Number(rows[0]!.id), effect }
  nas.answer = () => 'silence'
  stand.events.publish({ kind: 'accountCommitted', effects: [stored] } as unknown as TollgateEvent)
  t.equal(disconnects.counts.sent, 1, 'sent before the event has been told to all')
  await nas.received(1)
  await disconnects.stop(0)
  await outbox.stop()
  t.match((await pool.query('SELECT done_at FROM outbox')).rows, [{ done_at: null }])

  nas.answer = () => 'ack'
  const again = new Disconnects({
    ...parts,
    sessions: stand.book,
    accounting: stand.accounting,
    nas: () => [nas.entry],
    speedAttributes: () => null,
    host: '127.0.0.1',
  })
  await again.start()
  const restarted = new Outbox({ ...parts, handlers: again.handlers })
  await restarted.start()
  await nas.received(2)
  await again.stop(5000)
  await restarted.stop()
  const { rows: done } = await pool.query('SELECT done_at IS NOT NULL AS done, result FROM outbox')
  t.same(done, [{ done: true, result: { ack: 1, nak: 0, noAnswer: 0 } }])
  t.match(await answers(), [{ outbox_id: rows[0]!.id, result: 'ack', subscriber_id: '1' }])
  t.match(await stand.rows(), [{ end_reason: 'Disconnect-ACK' }])
})
