import t, { type Test } from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { promiseExpiry } from '../../../src/billing/jobs/promise-expiry.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const going = new AbortController().signal
const start = '2026-11-21T12:00:00Z'
const over = new Date('2026-11-24T12:00:00.001Z')

/** Subscribers 1 to n, each with a promise of 90 rubles that was made at the same moment. */
async function promisees(t: Test, count: number) {
  const fixture = await BillingFixture.open(t, shared, start)
  for (let id = 1; id <= count; id++) {
    await fixture.subscriber(id)
    const promise = { kind: 'activatePromise', subscriberId: subscriberId(id), path: 'prepay' } as const
    const until = new Date('2026-11-24T12:00:00Z')
    const outcome = await fixture.accounts.ask(
      accountId(id),
      { ...promise, limit: rubles(90), until },
      systemAuthor('test'),
    )
    t.equal(outcome.kind, 'done')
  }
  return fixture
}

const left = (fixture: BillingFixture) =>
  fixture.sql(`SELECT abonents.id::int4, ostatok::text, promise_pay, promise_date_end, abonents.enabled,
      (SELECT count(*)::int4 FROM users_uslugas WHERE abonent_id = abonents.id) AS services,
      coalesce((SELECT b_negbal FROM abonents_block WHERE abonent_id = abonents.id), false) AS b_negbal
    FROM abonents JOIN admin_accounts ON admin_accounts.id = account_id ORDER BY abonents.id`)

t.test('a promise whose time is over is returned, and who is in debt then is blocked', async (t) => {
  const fixture = await promisees(t, 3)
  const job = promiseExpiry(fixture.database.pool, fixture.accounts)
  t.same(await job.run(fixture.clock.now(), going), { ended: 0, kept: 0 }, 'none is over')
  await fixture.accounts.ask(
    accountId(2),
    {
      kind: 'post',
      typeId: 9,
      sign: -1,
      amount: rubles(50),
      subscriberId: subscriberId(2),
      movedAt: null,
      description: '',
      details: {},
      keys: [],
    },
    systemAuthor('test'),
  )
  fixture.clock.hour = over
  t.same(await job.run(over, going), { ended: 3, kept: 0 })
  const done = { promise_pay: null, promise_date_end: null, services: 0 }
  t.same(await left(fixture), [
    { id: 1, ostatok: '0', enabled: true, b_negbal: false, ...done },
    { id: 2, ostatok: '-500000000000', enabled: false, b_negbal: true, ...done },
    { id: 3, ostatok: '0', enabled: true, b_negbal: false, ...done },
  ])
  const operations = await fixture.sql(
    `SELECT op_summa::text, op_type_id::int4, storno, related_operation_id IS NOT NULL AS returns
      FROM finance_operations WHERE account_id = 1 ORDER BY op_id`,
  )
  t.same(operations, [
    { op_summa: '900000000000', op_type_id: 31, storno: true, returns: false },
    { op_summa: '-900000000000', op_type_id: 31, storno: true, returns: true },
  ])
  t.same(await job.run(over, going), { ended: 0, kept: 0 }, 'once')
})

t.test('two programs that find the same promises return each of them once', async (t) => {
  const fixture = await promisees(t, 20)
  const other = await fixture.otherAccounts()
  fixture.clock.hour = over
  const runs = [fixture.accounts, other].map((accounts) =>
    promiseExpiry(fixture.database.pool, accounts).run(over, going),
  )
  const ended = (await Promise.all(runs)).reduce((sum, result) => sum + Number(result.ended), 0)
  t.equal(ended, 20)
  t.same(
    await fixture.sql(
      'SELECT count(*)::int4 AS operations, sum(ostatok)::text AS money FROM admin_accounts, finance_operations',
    ),
    [{ operations: 20 * 40, money: '0' }],
  )
})

t.test('an end time that was changed in the table is respected', async (t) => {
  const fixture = await promisees(t, 1)
  await fixture.sql(`UPDATE abonents SET promise_date_end = '2026-11-21T11:00:00Z'`)
  t.same(await promiseExpiry(fixture.database.pool, fixture.accounts).run(fixture.clock.now(), going), {
    ended: 1,
    kept: 0,
  })
})

t.test('rows that do not belong together are named, and a promise without its service ends all the same', async (t) => {
  const fixture = await promisees(t, 2)
  await fixture.sql('DELETE FROM users_uslugas WHERE abonent_id = 1')
  await fixture.subscriber(3)
  const [link] = await fixture.sql(
    'INSERT INTO users_uslugas (abonent_id, usluga_id, end_time) VALUES (3, 30353, now()) RETURNING id::int4',
  )
  const job = promiseExpiry(fixture.database.pool, fixture.accounts)
  t.same(await job.run(fixture.clock.now(), going), {
    ended: 0,
    kept: 0,
    services_without_promise: [link?.id],
    promises_without_service: [1],
  })
  fixture.clock.hour = over
  t.same(await job.run(over, going), { ended: 2, kept: 0, services_without_promise: [link?.id] })
  t.match(await left(fixture), [{ ostatok: '0' }, { ostatok: '0' }, { ostatok: '0', services: 1 }])
})

t.test('an account that fails does not keep the promises of others from expiring', async (t) => {
  const fixture = await promisees(t, 3)
  fixture.clock.hour = over
  const { accounts } = fixture
  const stubborn: Accounts = {
    ask: (id, command, author) => (id === 2 ? Promise.reject(new Error('broken')) : accounts.ask(id, command, author)),
    moveSubscriber: (id, to, author) => accounts.moveSubscriber(id, to, author),
    invalidate: (id) => accounts.invalidate(id),
  }
  await t.rejects(promiseExpiry(fixture.database.pool, stubborn).run(over, going), /1 promises could not be ended/)
  t.same(await promiseExpiry(fixture.database.pool, accounts).run(over, going), { ended: 1, kept: 0 })
})
