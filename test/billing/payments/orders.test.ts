import t, { type Test } from 'tap'
import { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../../src/billing/accounts/accounts.ts'
import { Orders } from '../../../src/billing/payments/orders.ts'
import type { Account } from '../../../src/domain/account.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { Events } from '../../../src/domain/events.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { asUnavailable } from '../../../src/platform/storage/database.ts'
import { SharedDatabase } from '../../support/database.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

const shared = await SharedDatabase.open(t)

/** What the subscriber was lent; a payment returns it. */
const promise = 2n

/** The order 7 of the subscriber 5 on the account 3, whose columns are as far from their defaults as they can be. */
async function oneOrder(t: Test) {
  const database = await shared.anew()
  const { ledger } = database
  await ledger.query(`INSERT INTO tarifs (id, name, price, walled_garden) VALUES (11, 'Garden', 0, true);
    INSERT INTO admin_accounts (id, ostatok, debit, credit, "limit", unlimited, unlimited_date, warn, sleep_date, last_notification_date)
      VALUES (3, 9007199254740993, 9007199254740995, 2, 9007199254740997, true, 'infinity', 9007199254740999,
        '2026-01-02 03:04:05.678901+00', '-infinity');
    INSERT INTO abonents (id, name, contract_number, account_id, tarif_id, enabled, promise_pay, promise_date_end)
      VALUES (5, 'Ivan', '5', 3, 11, false, 2, '2030-01-01 00:00+00'), (6, 'Maria', '6', 3, NULL, true, NULL, NULL);
    INSERT INTO abonents_block (abonent_id, b_negbal) VALUES (5, true);
    INSERT INTO users (id, abonent_id, login, password, enabled) VALUES (9, 5, 'ivan', '', false);
    INSERT INTO payment_orders (id, subscriber_id, account_id, organization_id, gateway, protocol, amount, payable, commission,
        idempotence_key, state)
      VALUES (7, 5, 3, 1, 'gwb', 'form', 100, 100, 0, 'key', 'sent')`)
  const asked: string[] = []
  const store = new AccountStore({
    query: (statement) => {
      asked.push(statement.name ?? '')
      return ledger.query(statement)
    },
  })
  const events = new Events((error) => {
    throw error
  })
  const accounts = new AccountActors({ store, events, clock: new SteadyClock(), asUnavailable })
  t.teardown(() => accounts.stop())
  const loads = () => asked.filter((name) => name === 'account:load').length
  const credit = () =>
    accounts.ask(
      accountId(3),
      {
        kind: 'post',
        typeId: operationTypes.gatewayB,
        sign: 1,
        amount: rubles(1),
        subscriberId: subscriberId(5),
        movedAt: null,
        description: '',
        details: {},
        keys: [],
      },
      systemAuthor('test'),
    )
  return { accounts, credit, database, loads, store }
}

t.test('an order brings the account of its client, as the ledger itself would read it', async (t) => {
  const { database, store } = await oneOrder(t)
  const read: Account[] = []
  const orders = new Orders(database.pool, { beginReading: () => (account) => read.push(account) })
  t.match(await orders.ordered(7), { order: { id: 7, credit: 100n }, client: { id: 5, accountId: 3 } })
  t.strictSame(read, [await store.load(accountId(3))])
  t.match(read, [{ balance: 9007199254740993n, limit: 9007199254740997n, warnBelow: 9007199254740999n }])
})

t.test('an account that came with its order is not read again to be credited', async (t) => {
  const { accounts, credit, database, loads } = await oneOrder(t)
  await new Orders(database.pool, accounts).ordered(7)
  t.match(await credit(), { kind: 'done', account: { balance: 9007199254740993n + rubles(1) - promise } })
  t.equal(loads(), 0)
})

t.test('an account that somebody has written since its order was read is read again', async (t) => {
  const { accounts, credit, database, loads } = await oneOrder(t)
  await new Orders(database.pool, accounts).ordered(7)
  await database.pool.query('UPDATE admin_accounts SET ostatok = 5, debit = 5, credit = 0 WHERE id = 3')
  t.match(await credit(), { kind: 'done', account: { balance: 5n + rubles(1) - promise } })
  t.equal(loads(), 1)
})
