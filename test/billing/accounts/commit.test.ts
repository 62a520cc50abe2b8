import t, { type Test } from 'tap'
import { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../../src/billing/accounts/accounts.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { type EventOf, Events } from '../../../src/domain/events.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { asUnavailable, type Database } from '../../../src/platform/storage/database.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { SharedDatabase, testDatabase } from '../../support/database.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

const shared = await SharedDatabase.open(t)

const movingOn = (accounts: AccountActors) => (id: number, amount: number) =>
  accounts.ask(
    accountId(id),
    {
      kind: 'post',
      typeId: amount > 0 ? operationTypes.manualReceipt : operationTypes.manualExpense,
      sign: amount > 0 ? 1 : -1,
      amount: rubles(amount),
      subscriberId: null,
      movedAt: null,
      description: '',
      details: {},
      keys: [],
    },
    systemAuthor('test'),
  )

async function twoAccounts(t: Test, given?: Database) {
  const database = given ?? (await shared.anew())
  const { ledger, pool } = database
  await ledger.query('INSERT INTO admin_accounts (id) VALUES (1), (2)')
  await ledger.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, 2) AS n`)
  const events = new Events((error) => {
    throw error
  })
  let losesAnswer = false
  const store = new AccountStore({
    query: async (statement) => {
      const result = await ledger.query(statement)
      if (!losesAnswer || !statement.name?.startsWith('commit:')) return result
      losesAnswer = false
      throw new Error('Query read timeout')
    },
  })
  const loseAnswer = () => {
    losesAnswer = true
  }
  const accounts = new AccountActors({ store, events, clock: new SteadyClock(), asUnavailable })
  t.teardown(() => accounts.stop())
  const move = movingOn(accounts)
  const operations = async () => (await pool.query('SELECT account_id FROM finance_operations')).rows.length
  /** Another transaction that stays open, also where the test fails, until its end. */
  const holding = async (text: string) => {
    const client = await pool.connect()
    let isOpen = true
    const end = async (how: 'COMMIT' | 'ROLLBACK') => {
      if (!isOpen) return
      isOpen = false
      await client.query(how)
      client.release()
    }
    t.teardown(() => end('ROLLBACK'))
    await client.query('BEGIN')
    await client.query(text)
    return () => end('COMMIT')
  }
  return { accounts, events, holding, ledger, loseAnswer, move, operations, pool }
}

t.test('a commit that happened although its answer was lost is told as soon as that is known', async (t) => {
  const { events, loseAnswer, move, operations } = await twoAccounts(t)
  await move(1, 5)
  loseAnswer()
  const told = new Promise<EventOf<'accountCommitted'>>((resolve) => events.on('accountCommitted', resolve))
  await t.rejects(move(1, -10), Unavailable)
  const { before, after } = await told
  t.strictSame([before.balance, after.balance], [rubles(5), rubles(-5)])
  t.strictSame([before.subscribers[0]?.enabled, after.subscribers[0]?.enabled], [true, false], 'access closes')
  t.match(await move(1, 7), { kind: 'done', account: { balance: rubles(2) } })
  t.equal(await operations(), 3)
})

t.test('an account whose row somebody holds keeps no other waiting', async (t) => {
  const { holding, move } = await twoAccounts(t)
  const letGo = await holding(`UPDATE admin_accounts SET comment = 'held' WHERE id = 1`)
  const held = move(1, 5)
  t.match(await move(2, 5), { kind: 'done' }, 'at once')
  await letGo()
  t.match(await held, { kind: 'done', account: { balance: rubles(5) } })
})

t.test('an account whose subscriber row somebody holds keeps no other waiting', async (t) => {
  const { holding, move, operations } = await twoAccounts(t)
  const letGo = await holding(`UPDATE abonents SET comment = 'held' WHERE id = 1`)
  const [held, other] = [move(1, -5), move(2, 5)]
  t.match(await other, { kind: 'done' })
  await letGo()
  t.match(await held, { kind: 'done', account: { subscribers: [{ enabled: false }] } })
  t.equal(await operations(), 2)
})

t.test('what memory takes for done already is looked up first', async (t) => {
  const { accounts, pool } = await twoAccounts(t)
  const block = () =>
    accounts.ask(
      accountId(1),
      { kind: 'setBlock', subscriberId: subscriberId(1), reason: 'operator', on: true },
      systemAuthor('test'),
    )
  await block()
  // Somebody lifts the block in psql, and the notice of it is still on its way.
  await pool.query('UPDATE abonents SET enabled = true; DELETE FROM abonents_block')
  t.match(await block(), { kind: 'done', account: { subscribers: [{ enabled: false }] } })
  t.match((await pool.query('SELECT enabled FROM abonents WHERE id = 1')).rows, [{ enabled: false }])
})

t.test('a posting writes to an index of accounts only where the balance crosses zero', async (t) => {
  // Where rows have come and gone, the pages are laid out otherwise.
  const { events, ledger } = await twoAccounts(t, (await testDatabase(t)).database)
  const client = await ledger.connect()
  await client.query('BEGIN')
  const store = new AccountStore({ query: (statement) => client.query(statement) })
  const accounts = new AccountActors({ store, events, clock: new SteadyClock(), asUnavailable })
  t.teardown(async () => {
    await accounts.stop()
    await client.query('ROLLBACK')
    client.release()
  })
  const move = movingOn(accounts)
  const text = `SELECT n_tup_upd::int4 AS all, n_tup_hot_upd::int4 AS hot FROM pg_stat_xact_user_tables WHERE relname = 'admin_accounts'`
  const updates = async () => (await client.query(text)).rows[0]
  for (const amount of [10, -5, -5]) await move(1, amount)
  t.same(await updates(), { all: 3, hot: 3 })
  await move(1, -1)
  t.same(await updates(), { all: 4, hot: 3 }, 'into debt')
  for (const amount of [-5, 2, -3]) await move(1, amount)
  t.same(await updates(), { all: 7, hot: 6 }, 'a debt that grows and shrinks')
  await move(1, 7)
  t.same(await updates(), { all: 8, hot: 6 }, 'out of it')
})
