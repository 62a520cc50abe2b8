import t from 'tap'
import { type ClientStatus, clientStatus } from '../../../src/billing/clients/status.ts'
import { promiseExpiry } from '../../../src/billing/jobs/promise-expiry.ts'
import { addDays, type Day, dayOf } from '../../../src/domain/calendar.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

/** The status as a door reads it, over the accounts and the clock of a billing fixture. */
async function startStatusFixture(
  t: Parameters<typeof BillingFixture.open>[0],
  now: string,
  mode: 'monthly' | 'daily' = 'monthly',
) {
  const fixture = await BillingFixture.open(t, shared, now, { TARIFF_CHARGE_MODE: mode })
  const { ledger } = fixture
  // The worker has been running for a while, so what came since its last night is made up for.
  await fixture.sql('INSERT INTO charge_months (month, mode, charged_through) VALUES ($1, $2, $3)', [
    now.slice(0, 7),
    mode,
    now.slice(0, 10),
  ])
  return {
    fixture,
    status: (id = 1, language: 'ru' | 'en' = 'ru') => {
      // Nobody follows what a test writes by SQL.
      ledger.subscribers.invalidateAll()
      return clientStatus({ ...ledger, pool: ledger.database.pool }, subscriberId(id), language)
    },
    pay: (id: number, amount: number) =>
      fixture.ask(id, {
        kind: 'post',
        typeId: 7,
        sign: 1,
        amount: rubles(amount),
        subscriberId: subscriberId(id),
        movedAt: null,
        description: 'Оплата',
        details: {},
        keys: [],
      }),
  }
}

t.test('the fields of the account status object, in both languages', async (t) => {
  const { fixture, status, pay } = await startStatusFixture(t, '2026-11-21T09:00:00Z')
  await fixture.sql('UPDATE tarifs SET speed_mbit = 100 WHERE id = 1')
  await fixture.subscriber(1, { name: 'Иванов', address: 'ул. Мира, 1', email: 'i@example.org', sms: '+79001234567' })
  await fixture.link(1, await fixture.usluga({ name: 'TV', price: '1500000000000' }), { countt: 2 })
  await fixture.link(1, 30353, { system_type: 11 })
  t.strictSame(await status(), {
    abonent_id: 1,
    name: 'Иванов',
    contract_number: '1',
    balance: '0.00',
    tariff_name: 'Home',
    tariff_id: 1,
    speed_mbit: 100,
    monthly_cost: '900.00',
    is_blocked: false,
    block_reason: '',
    has_promise_pay: false,
    promise_pay_end: null,
    balance_until_date: '2026-11-21',
    address: 'ул. Мира, 1',
    email: 'i@example.org',
    sms: '+79001234567',
    notification: '',
    last_payment: null,
  } satisfies Record<keyof ClientStatus, unknown>)
  await pay(1, 250)
  await fixture.run()
  const debtor = (await status())!
  t.match(debtor, {
    balance: '-650.00',
    is_blocked: true,
    block_reason: 'Отрицательный баланс',
    balance_until_date: null,
  })
  t.match(debtor, { last_payment: { amount: '250.00', date: '21.11.2026' } })
  t.equal(debtor.notification, 'Доступ закрыт. Пополните счёт на 650 руб., чтобы его открыть.')
  t.match(await status(1, 'en'), {
    block_reason: 'Negative balance',
    notification: 'Access is closed. Top up 650 RUB to open it.',
  })
  await fixture.ask(1, { kind: 'reverse', operationId: null })
  await pay(1, 5)
  await fixture.ask(1, { kind: 'reverse', operationId: null })
  t.match(await status(), { last_payment: { amount: '250.00' } }, 'a payment that was reversed is none')
  await fixture.block(1, 'client', true)
  await pay(1, 1000)
  t.match(await status(), { is_blocked: true, block_reason: 'По вашей просьбе', balance_until_date: null })
  await fixture.remove(1)
  t.equal(await status(), null, 'a deleted subscriber has none')
  t.equal(await status(77), null, 'and nobody neither')
})

t.test('the status of a frozen account and of a subscriber without a tariff', async (t) => {
  const { fixture, status, pay } = await startStatusFixture(t, '2026-11-21T09:00:00Z')
  await fixture.subscriber(1, { tarif_id: null })
  t.match(await status(), {
    tariff_id: null,
    tariff_name: '',
    speed_mbit: null,
    monthly_cost: '0.00',
    balance_until_date: null,
  })
  await fixture.subscriber(2)
  await pay(2, 700)
  await fixture.sleep(2, '2027-01-09T21:00:00Z')
  fixture.accounts.invalidate(2 as never)
  t.match(await status(2), { is_blocked: true, block_reason: 'Договор приостановлен до 10.01.2027' })
})

/**
 * Nights pass and nobody pays. The last day that each subscriber was open, or null where 45 nights were not enough to
 * close the access.
 */
async function lastOpenDays(fixture: BillingFixture, ids: readonly number[]): Promise<Map<number, Day | null>> {
  const zone = 'Europe/Moscow'
  const found = new Map<number, Day | null>(ids.map((id) => [id, null]))
  const open = new Set(ids)
  for (let night = 0; night < 45 && open.size > 0; night++) {
    const day = addDays(dayOf(fixture.clock.now(), zone), 1)
    fixture.at(`${addDays(day, -1)}T21:05:00Z`)
    await promiseExpiry(fixture.database.pool, fixture.accounts).run(fixture.clock.now(), new AbortController().signal)
    await fixture.run()
    for (const id of open) {
      await fixture.ask(id, { kind: 'sweep' })
      const [row] = await fixture.sql('SELECT enabled FROM abonents WHERE id = $1', [id])
      if (row!.enabled !== false) continue
      found.set(id, addDays(day, -1))
      open.delete(id)
    }
  }
  return found
}

const cases: readonly {
  name: string
  mode?: 'monthly' | 'daily'
  balance: number
  /** The worker has run for the day when it is asked. */
  charged?: true
  prepare?: (fixture: BillingFixture, id: number) => Promise<unknown>
  columns?: Record<string, unknown>
  expected?: Day | null
}[] = [
  { name: 'a month that is not charged yet is charged in the night', balance: 100 },
  { name: 'a month that is charged', balance: 600, charged: true },
  { name: 'a month and a bit', balance: 1300, charged: true },
  { name: 'day by day', mode: 'daily', balance: 333 },
  { name: 'day by day, today charged', mode: 'daily', balance: 777, charged: true },
  {
    name: 'a limit below zero',
    mode: 'daily',
    balance: 100,
    prepare: (fixture, id) => fixture.ask(id, { kind: 'setTerms', terms: { limit: rubles(-200) } }),
  },
  {
    name: 'no limit until a day',
    mode: 'daily',
    balance: 100,
    prepare: (fixture, id) =>
      fixture.ask(id, {
        kind: 'setTerms',
        terms: { unlimited: true, unlimitedUntil: new Date('2026-12-19T21:00:00Z') },
      }),
  },
  {
    name: 'a service that ends',
    mode: 'daily',
    balance: 500,
    prepare: async (fixture, id) =>
      fixture.link(id, await fixture.usluga({ price: '9000000000000' }), { end_time: '2026-11-28T12:00:00Z' }),
  },
  {
    name: 'a service of whole months',
    balance: 1900,
    prepare: async (fixture, id) => fixture.link(id, await fixture.usluga({ price: '3000000000000' })),
  },
  {
    name: 'a planned tariff',
    mode: 'daily',
    balance: 700,
    columns: { next_tarif_id: 2, next_tarif_date: '2026-11-30T21:00:00Z' },
  },
  {
    name: 'a planned tariff within a month charged as a whole',
    balance: 700,
    charged: true,
    columns: { next_tarif_id: 2, next_tarif_date: '2026-12-14T21:00:00Z' },
  },
  {
    name: 'a neighbour on the same account',
    balance: 2000,
    prepare: (fixture, id) => fixture.subscriber(100 + id).then(() => fixture.set(100 + id, { account_id: id })),
  },
  {
    name: 'a promise that goes back, with its daily fee',
    balance: 20,
    mode: 'daily',
    prepare: async (fixture, id) => {
      await fixture.sql(`UPDATE uslugas SET price = 30000000000 WHERE id = 30353`)
      const until = new Date('2026-11-26T09:00:00Z')
      await fixture.ask(id, {
        kind: 'activatePromise',
        subscriberId: subscriberId(id),
        path: 'prepay',
        limit: rubles(500),
        until,
      })
    },
  },
  { name: 'nothing to pay for', balance: 0, columns: { tarif_id: 3 }, expected: null },
]

// Each case is a subscriber with an account of their own; those of one world see the same nights.
const worlds = Map.groupBy(
  cases,
  ({ mode = 'monthly', charged = false }) => `${mode}${charged ? ', today charged' : ''}`,
)
for (const [world, all] of worlds) {
  t.test(`balance_until_date is the day the worker comes to: ${world}`, async (t) => {
    const { mode, charged } = all[0]!
    const { fixture, status, pay } = await startStatusFixture(t, '2026-11-21T09:00:00Z', mode)
    const numbered = [...all.entries()].map(([at, one]) => ({ ...one, id: at + 1 }))
    for (const { id, balance, columns } of numbered) {
      await fixture.subscriber(id, columns)
      if (balance > 0) await pay(id, balance)
    }
    if (charged) await fixture.run()
    for (const { id, prepare } of numbered) await prepare?.(fixture, id)
    const foretold = new Map<number, Day | null>()
    for (const { id } of numbered) {
      fixture.accounts.invalidate(id as never)
      foretold.set(id, (await status(id))!.balance_until_date)
    }
    const came = await lastOpenDays(
      fixture,
      numbered.map(({ id }) => id),
    )
    for (const { id, name, ...rest } of numbered) {
      t.equal(foretold.get(id), came.get(id), name)
      if ('expected' in rest) t.equal(came.get(id), rest.expected, name)
    }
  })
}
