import type { Pool } from 'pg'
import t from 'tap'
import { type Change, watchChanges } from '../../../src/platform/storage/changes.ts'
import type { Database } from '../../../src/platform/storage/database.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

/** Two accounts; the first carries subscriber 1 with login 1, the second subscriber 2 with login 2. */
const seed = `
  INSERT INTO tarifs (id, name, price) VALUES (1, 'x', 0);
  INSERT INTO admin_accounts (id) VALUES (1), (2);
  INSERT INTO abonents (id, name, contract_number, account_id, organization_id) VALUES (1, 'a', '1', 1, 1), (2, 'b', '2', 2, 1);
  INSERT INTO users (id, abonent_id, login, password) VALUES (1, 1, 'one', ''), (2, 2, 'two', '')`

async function seeded() {
  const database = await shared.anew()
  await database.ledger.query(seed)
  return database
}

const versions = async (sql: { query: Pool['query'] }): Promise<number[]> =>
  (await sql.query('SELECT version FROM admin_accounts ORDER BY id')).rows.map(({ version }) => version)

/** What is heard of some statements, up to a mark that is sent after them. */
async function heard(database: Database, statements: () => Promise<unknown>): Promise<Change[]> {
  const changes: Change[] = []
  await new Promise<void>((resolve, reject) => {
    const end = watchChanges(database, (change) => {
      if (change.table === 'nas' && change.ids[0] === 0) {
        end()
        resolve()
      } else changes.push(change)
    })
    statements()
      .then(() => database.pool.query(`SELECT pg_notify('tollgate_changes', '{"table":"nas","ids":[0]}')`))
      .catch(reject)
  })
  return changes
}

const touching: [string, string, [number, number]][] = [
  ['a login is switched off', 'UPDATE users SET enabled = false WHERE id = 1', [1, 0]],
  ['a login gets another name', `UPDATE users SET login = 'uno' WHERE id = 1`, [1, 0]],
  ['a login moves to another subscriber', 'UPDATE users SET abonent_id = 2 WHERE id = 1', [1, 1]],
  ['a login is added', `INSERT INTO users (id, abonent_id, login, password) VALUES (3, 2, 'three', '')`, [0, 1]],
  ['a login is removed', 'DELETE FROM users WHERE id = 2', [0, 1]],
  ['a subscriber is switched off', 'UPDATE abonents SET enabled = false WHERE id = 1', [1, 0]],
  ['a subscriber moves to another account', 'UPDATE abonents SET account_id = 2 WHERE id = 1', [1, 1]],
  ['subscribers change their tariff', 'UPDATE abonents SET tarif_id = 1', [1, 1]],
  ['a subscriber is blocked', 'INSERT INTO abonents_block (abonent_id, b_admin) VALUES (2, true)', [0, 1]],
  ['an account is changed', 'UPDATE admin_accounts SET "limit" = 5 WHERE id = 2', [0, 1]],
  ['an account is changed with a version of its own', 'UPDATE admin_accounts SET version = 0 WHERE id = 2', [0, 1]],
  ['a subscriber gets another name', `UPDATE abonents SET name = 'c', comment = 'd'`, [0, 0]],
  ['a login gets another password', `UPDATE users SET password = 'sealed'`, [0, 0]],
  ['nothing is found', 'UPDATE users SET enabled = false WHERE id = 77', [0, 0]],
]

t.test('the version of an account grows when somebody else touches it or access that hangs on it', async (t) => {
  const database = await seeded()
  const client = await database.pool.connect()
  t.teardown(() => client.release())
  for (const [what, statement, grows] of touching) {
    const before = await versions(client)
    await client.query('BEGIN')
    await client.query(statement)
    const after = await versions(client)
    await client.query('ROLLBACK')
    t.same(
      after.map((version, index) => version - before[index]!),
      grows,
      what,
    )
  }
})

t.test('the ledger keeps versions itself and causes no notices', async (t) => {
  const database = await seeded()
  const changes = await heard(database, async () => {
    for (const [, statement] of touching.slice(0, 4)) await database.ledger.query(statement)
    await database.ledger.query('UPDATE admin_accounts SET debit = 5, ostatok = 5')
  })
  t.same(await versions(database.pool), [0, 0])
  t.same(changes, [])
})

t.test('a change by another program is notified with its table and ids', async (t) => {
  const database = await seeded()
  const changes = await heard(database, async () => {
    await database.pool.query(`UPDATE users SET password = 'sealed'`)
    await database.pool.query(`INSERT INTO nas (id, name, ip, secret) VALUES (9, 'n', '10.0.0.1', '')`)
    await database.pool.query('INSERT INTO abonents_block (abonent_id, b_own) VALUES (2, true)')
    await database.pool.query('DELETE FROM abonents_block')
    await database.pool.query(`UPDATE system_settings SET value = '1' WHERE name = 'READ_ONLY_MODE'`)
    await database.pool.query(`INSERT INTO staff (id, username, password_hash) VALUES (4, 'x', '')`)
    await database.pool.query('INSERT INTO staff_organizations VALUES (4, 1)')
    await database.pool.query('UPDATE tarifs SET walled_garden = true WHERE id = 77')
  })
  t.same(changes, [
    { table: 'users', ids: [1, 2] },
    { table: 'nas', ids: [9] },
    { table: 'abonents_block', ids: [2] },
    { table: 'admin_accounts', ids: [2] },
    { table: 'abonents_block', ids: [2] },
    { table: 'admin_accounts', ids: [2] },
    { table: 'system_settings', ids: '*' },
    { table: 'staff', ids: [4] },
    { table: 'staff', ids: [4] },
  ])
})

t.test('a change of many rows is notified as all rows', async (t) => {
  const database = await seeded()
  const insert = `INSERT INTO tarifs (name, price) SELECT 'x', 0 FROM generate_series(1, $1)`
  await database.pool.query(`SELECT setval('tarifs_id_seq', 1)`)
  const changes = await heard(database, async () => {
    await database.pool.query(insert, [500])
    await database.pool.query(insert, [501])
    await database.pool.query('UPDATE tarifs SET price = 1 WHERE id = 1')
  })
  t.equal(changes[0]?.ids.length, 500)
  t.same(changes.slice(1), [
    { table: 'tarifs', ids: '*' },
    { table: 'tarifs', ids: [1] },
  ])
})

t.test('what is not a change of ours is left aside', async (t) => {
  const database = await seeded()
  const changes = await heard(database, async () => {
    for (const payload of ['', 'x', 'null', '{}', '{"table":"secrets","ids":[1]}', '{"table":"users","ids":["1"]}'])
      await database.pool.query('SELECT pg_notify($1, $2)', ['tollgate_changes', payload])
  })
  t.same(changes, [])
})
