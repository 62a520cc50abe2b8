import t, { type Test } from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { HeldStatuses, type StatusAfter } from '../../../src/billing/clients/held-statuses.ts'
import { clientStatus } from '../../../src/billing/clients/status.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import type { Language } from '../../../src/domain/language.ts'
import { rubles } from '../../../src/domain/money.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const company = 1
const [director, clerk] = [subscriberId(1), subscriberId(2)]

/** Two subscribers of one account whose statuses are held, each with a tariff of its own. */
async function startHeldFixture(t: Test) {
  const fixture = await BillingFixture.open(t, shared, '2026-11-21T09:00:00Z')
  const { ledger } = fixture
  await fixture.sql(
    `INSERT INTO charge_months (month, mode, charged_through) VALUES ('2026-11', 'monthly', '2026-11-21')`,
  )
  await fixture.subscriber(director, { name: 'Director' })
  await fixture.subscriber(clerk, { name: 'Clerk', account_id: company, tarif_id: 2 })
  const parts = { ...ledger, pool: ledger.database.pool }
  const held = new HeldStatuses(parts)
  let statusAfter: StatusAfter = () => null
  ledger.events.on('accountCommitted', (event) => {
    statusAfter = held.committed(event)
  })
  const post = (typeId: number, sign: 1 | -1, amount: number, accounts: Accounts = fixture.accounts) => {
    const details = { movedAt: null, description: 'Money', details: {}, keys: [] }
    const money = { kind: 'post', typeId, sign, amount: rubles(amount), subscriberId: director, ...details } as const
    return accounts.ask(accountId(company), money, systemAuthor('test'))
  }
  return {
    fixture,
    held,
    post,
    read: (language: Language = 'ru') => held.read([director, clerk], language),
    pay: (amount: number) => post(7, 1, amount),
    after: (id = director, language: Language = 'ru') => statusAfter(id, language),
    /** What a phone that connects now is shown. */
    fresh: (id = director, language: Language = 'ru') => {
      ledger.subscribers.invalidateAll()
      return clientStatus(parts, id, language)
    },
  }
}

t.test('after a payment every status is known without reading, and is what would be read', async (t) => {
  const { fixture, read, pay, after, fresh } = await startHeldFixture(t)
  await fixture.set(director, { address: 'Main street 1', email: 'd@example.org', sms: '+79001234567' })
  await fixture.link(clerk, await fixture.usluga({ name: 'TV', price: '1500000000000' }), { countt: 2 })
  await read()
  for (const amount of [2_000, 3, 40_000]) {
    await pay(amount)
    for (const id of [director, clerk])
      for (const language of ['ru', 'en'] as const) t.strictSame(after(id, language), await fresh(id, language))
  }
  t.match(after(clerk), { name: 'Clerk', balance: '42003.00', last_payment: { amount: '40000.00' } })
})

t.test('a payment that opens access is known too', async (t) => {
  const { read, post, pay, after, fresh } = await startHeldFixture(t)
  await post(9, -1, 100)
  t.match((await read()).get(director), { is_blocked: true, balance_until_date: null })
  await pay(50)
  t.match(after(), { is_blocked: true, notification: /на 50 руб/ })
  await pay(5_000)
  t.match(after(), { is_blocked: false, balance_until_date: '2027-01-31' })
  t.strictSame(after(), await fresh())
})

t.test('after everything else the status is read', async (t) => {
  const { fixture, read, post, pay, after, fresh } = await startHeldFixture(t)
  const other = await fixture.otherAccounts()
  const happenings: Record<string, () => Promise<unknown>> = {
    'an expense': () => post(9, -1, 10),
    'a charge': () => fixture.run(),
    'a change of tariff': () => fixture.tariff(director, 2),
    'a voluntary block': () => fixture.block(director, 'client', true),
    'a freeze': () => fixture.ask(company, { kind: 'setTerms', terms: { sleepUntil: new Date('2026-12-01') } }),
    'the end of a freeze': () => fixture.wake(company),
  }
  await pay(100_000)
  for (const [what, happens] of Object.entries(happenings)) {
    await read()
    await happens()
    t.equal(after(), null, what)
    await pay(1)
    t.equal(after(), null, `${what}, and a payment`)
    await read()
    await pay(1)
    t.strictSame(after(), await fresh(), `${what}, read and paid`)
  }
  await post(9, -1, 10, other)
  await pay(1)
  t.equal(after(), null, 'another program has posted an expense')
})

t.test('what changes beside the ledger is read when it has been noticed', async (t) => {
  const { held, read, pay, after } = await startHeldFixture(t)
  for (const [table, ids] of [
    ['abonents', [clerk]],
    ['users_uslugas', [7, clerk]],
    ['admin_accounts', [company]],
    ['tarifs', [5]],
    ['uslugas', '*'],
    ['system_settings', '*'],
    ['abonents', '*'],
  ] as const) {
    await read()
    held.noticed({ table, ids })
    await pay(1)
    t.equal(after(), null, `${table} ${ids}`)
  }
  for (const [table, ids] of [
    ['abonents', [3]],
    ['admin_accounts', [2]],
    ['nas', '*'],
  ] as const) {
    await read()
    held.noticed({ table, ids })
    await pay(1)
    t.not(after(), null, `${table} ${ids} is of others`)
  }
  const reading = read()
  held.noticed({ table: 'abonents', ids: [director] })
  await reading
  await pay(1)
  t.equal(after(), null, 'what is read while a change is noticed is not held')
})

t.test('on the next day charges are read again', async (t) => {
  const { fixture, read, pay, after } = await startHeldFixture(t)
  await read()
  fixture.at('2026-11-22T09:00:00Z')
  await pay(1)
  t.equal(after(), null)
  await read()
  await pay(1)
  t.not(after(), null)
})

t.test('a service that ends during the day is not held beyond its end', async (t) => {
  const { fixture, read, pay, after, fresh } = await startHeldFixture(t)
  const [tv, radio] = [
    await fixture.usluga({ name: 'TV', price: '1500000000000' }),
    await fixture.usluga({ name: 'Radio', price: '500000000000' }),
  ]
  await fixture.link(director, tv, { end_time: '2026-11-21T12:00:00Z' })
  await fixture.link(director, radio, { end_time: '2026-11-21T11:00:00Z' })
  await read()
  fixture.at('2026-11-21T10:59:00Z')
  await pay(1)
  t.match(after(), { monthly_cost: '800.00' })
  fixture.at('2026-11-21T11:00:00Z')
  await pay(1)
  t.equal(after(), null)
  t.not(after(clerk), null, 'who has no such service')
  await read()
  await pay(1)
  t.match(after(), { monthly_cost: '750.00' })
  t.strictSame(after(), await fresh())
})

t.test('a status that somebody has not asked for before is read', async (t) => {
  const { held, pay, after } = await startHeldFixture(t)
  await held.read([director], 'ru')
  await pay(1)
  t.not(after(director), null)
  t.equal(after(clerk), null)
  await held.read([clerk], 'ru')
  await pay(1)
  t.not(after(director), null)
  t.not(after(clerk), null)
})
