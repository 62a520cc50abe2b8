import t from 'tap'
import { systemClock } from '../../src/actors/clock.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import { rubles } from '../../src/domain/money.ts'
import { operationTypes } from '../../src/domain/operation.ts'
import { Events } from '../../src/events.ts'
import { silentLog } from '../../src/log.ts'
import { Notices } from '../../src/messages/notices.ts'
import { CoaLog } from '../../src/radius/coa-log.ts'
import { Outbox } from '../../src/storage/outbox.ts'
import { BillingStand } from '../support/billing.ts'

t.test('what is prepared while the tables are empty does not read them whole when they have grown', async (t) => {
  const stand = await BillingStand.open(t, '2026-11-21T09:00:00Z')
  const { heart, keyed } = stand.database
  // From now on they are known to be empty.
  await stand.sql('VACUUM')
  const prepared = { heart: new Map<string, string>(), keyed: new Map<string, string>() }
  for (const [name, pool] of Object.entries({ heart, keyed })) {
    const ask = pool.query.bind(pool) as (...words: unknown[]) => unknown
    pool.query = ((...words: [{ name?: string; text: string }]) => {
      const [{ name: statement, text }] = words
      if (statement) prepared[name as keyof typeof prepared].set(statement, text)
      return ask(...words)
    }) as typeof pool.query
  }
  const common = { pool: keyed, clock: systemClock, log: silentLog }
  const outbox = new Outbox({
    ...common,
    events: new Events(() => {}),
    handlers: { disconnect: async () => ({ ack: 1 }) },
  })
  const style = () => ({ language: 'en' as const, timeZone: 'UTC', lifetimeHours: 72 })
  const notices = new Notices({ ...common, style, written: () => {} })
  const answers = new CoaLog(common)

  await stand.subscriber(1)
  for (const [sign, key] of [
    [-1, 'a'],
    [1, 'b'],
  ] as const) {
    await stand.ask(1, {
      kind: 'post',
      typeId: sign < 0 ? operationTypes.manualExpense : operationTypes.gatewayA,
      sign,
      amount: rubles(100),
      subscriberId: subscriberId(1),
      movedAt: null,
      description: '',
      details: {},
      keys: [`txn:${key}`],
    })
  }
  await outbox.start()
  await outbox.order({ kind: 'disconnect', subscriberId: subscriberId(1), logins: ['login1'] })
  await notices.tell([{ subscriberId: subscriberId(1), template: 'low_balance', values: {}, key: 'low' }])
  await outbox.stop()
  answers.keep(answer, () => {})
  await answers.flush()

  t.equal([...prepared.heart.keys()].filter((name) => name.startsWith('commit:')).length, 2)
  t.same([...prepared.keyed.keys()].sort(), ['coa-log', 'notices', 'outbox-mark', 'outbox-order'])
  for (const [name, statements] of Object.entries(prepared)) {
    for (const [statement, text] of statements) {
      const pool = name === 'heart' ? heart : keyed
      const { rows }: { rows: { 'QUERY PLAN': string }[] } = await pool.query(`EXPLAIN (GENERIC_PLAN) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      t.notMatch(plan, name === 'heart' ? /Seq Scan/ : /Seq Scan|Hash.* Join|Merge.* Join/, `${name}: ${statement}`)
    }
  }
})

const answer = {
  outboxId: null,
  nasId: 1,
  request: 'disconnect' as const,
  login: 'login1',
  subscriberId: 1,
  sessionId: null,
  sentAt: new Date(),
  answeredAt: new Date(),
  attempts: 1,
  result: 'ack' as const,
  errorCause: null,
}
