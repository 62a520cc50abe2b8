import type { Pool } from 'pg'
import t from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { blockSweep, suspects } from '../../../src/billing/jobs/block-sweep.ts'
import { SharedDatabase } from '../../support/database.ts'
import { openLedgerFixture, prepareFixture, throwingLog } from '../../support/fixture.ts'
import { violations } from '../../support/invariants.ts'
import { planOf } from '../../support/plan.ts'

const shared = await SharedDatabase.open(t)

const going = new AbortController().signal

async function debtors(t: Parameters<typeof prepareFixture>[0]) {
  const { database, accounts } = await openLedgerFixture(await prepareFixture(t, { log: throwingLog, shared }))
  await database.ledger.query(
    `INSERT INTO admin_accounts (id, "limit") SELECT n, n % 2 FROM generate_series(1, 40) AS n`,
  )
  await database.ledger.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, 40) AS n`)
  await database.ledger.query(
    `INSERT INTO users (abonent_id, login, password) SELECT n, 'login' || n, '' FROM generate_series(1, 40) AS n`,
  )
  return { database, accounts }
}

t.test('accounts whose tables disagree are brought in order', async (t) => {
  const { database, accounts } = await debtors(t)
  t.same(await blockSweep(database.pool, accounts).run(new Date(), going), { accounts: 20 })
  t.same(await violations(database.pool, 'settled'), [])
  t.same(await blockSweep(database.pool, accounts).run(new Date(), going), { accounts: 0 })
})

t.test('a block that is over is lifted, and a switch that disagrees with the flags is set right', async (t) => {
  const { database, accounts } = await debtors(t)
  await blockSweep(database.pool, accounts).run(new Date(), going)
  const sql = (text: string) => database.ledger.query(text)
  // Nobody follows the changes here, so what is repaired is repaired by the job.
  await sql('UPDATE admin_accounts SET "limit" = 0 WHERE id = 1')
  await sql('UPDATE abonents SET enabled = true WHERE id = 3')
  await sql('UPDATE abonents SET enabled = false WHERE id = 2')
  await sql('UPDATE users SET enabled = true WHERE abonent_id = 5')
  await sql('INSERT INTO abonents_block (abonent_id) VALUES (4)')
  t.same(await blockSweep(database.pool, accounts).run(new Date(), going), { accounts: 5 })
  t.same(await violations(database.pool, 'settled'), [])
  const { rows } = await database.ledger.query<{ id: string }>(
    'SELECT id FROM abonents WHERE enabled AND id < 6 ORDER BY id',
  )
  t.same(
    rows.map(({ id }) => Number(id)),
    [1, 2, 4],
  )
})

t.test('an account that fails does not keep others from being swept', async (t) => {
  const { database, accounts } = await debtors(t)
  const stubborn: Accounts = {
    ask: (id, command, author) => (id === 1 ? Promise.reject(new Error('broken')) : accounts.ask(id, command, author)),
    moveSubscriber: (id, to, author) => accounts.moveSubscriber(id, to, author),
    invalidate: (id) => accounts.invalidate(id),
  }
  await t.rejects(blockSweep(database.pool, stubborn).run(new Date(), going), /1 of 20 accounts/)
  t.match(await violations(database.pool, 'settled'), { length: 1 })
})

t.test('a stop ends a sweep that finds nothing after the page it reads', async (t) => {
  const { database, accounts } = await debtors(t)
  await blockSweep(database.pool, accounts).run(new Date(), going)
  const stopping = new AbortController()
  const asked: string[] = []
  const pool = {
    query: (query: { text: string }) => {
      asked.push(query.text)
      stopping.abort(new Error('stopping'))
      return database.pool.query(query)
    },
  } as unknown as Pool
  await t.rejects(blockSweep(pool, accounts).run(new Date(), stopping.signal), /stopping/)
  t.equal(asked.length, 1)
})

t.test('a page of the sweep reads its subscribers in one range', async (t) => {
  const { database } = await debtors(t)
  const client = await database.ledger.connect()
  t.teardown(() => client.release())
  // Small tables are read as a whole otherwise.
  await client.query('BEGIN; SET LOCAL enable_seqscan = off')
  const plan = await planOf(client, suspects, [new Date(), 10, 20])
  await client.query('ROLLBACK')
  t.match(plan, /on abonents abonent .*\n\s+Index Cond: \(\(account_id > /)
})
