import t from 'tap'
import type { Database } from '../../src/platform/storage/database.ts'
import { SharedDatabase } from './database.ts'

/** Every row of every table of the program, and where its sequences stand. */
async function contents({ pool }: Database): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  )
  const texts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS rows FROM ${name} AS t`,
  )
  const sequences = `SELECT sequencename, coalesce(last_value::text, 'unused') FROM pg_sequences WHERE schemaname = 'public'`
  const { rows } = await pool.query<{ name: string; rows: string }>([...texts, sequences].join(' UNION ALL '))
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

t.test('a database that tests share is as it was migrated for each of them', async (t) => {
  const shared = await SharedDatabase.open(t)
  const first = await shared.anew()
  const migrated = await contents(first)
  const { pool } = first
  await pool.query(`INSERT INTO admin_accounts DEFAULT VALUES`)
  await pool.query(
    `INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Ivan', '1', id, 1 FROM admin_accounts`,
  )
  await pool.query(`UPDATE system_settings SET value = 'UTC' WHERE name = 'TIME_ZONE'`)
  await pool.query(`DELETE FROM system_settings WHERE name = 'SOAP_HASH_SALT'`)
  const used = await contents(first)
  t.notSame(used.admin_accounts, migrated.admin_accounts)
  t.notSame(used.admin_accounts_id_seq, migrated.admin_accounts_id_seq)
  t.notSame(used.system_settings, migrated.system_settings)
  const late = pool.query('INSERT INTO admin_accounts (warn) SELECT 1 FROM pg_sleep(0.05)')
  t.strictSame(await contents(await shared.anew()), migrated, 'also when the last statement has ended only now')
  await late
})

/** What a file of tests does to the database that it shares, until it is through. */
async function usedByFile(deed: (database: Database) => unknown): Promise<string> {
  const ends: (() => unknown)[] = []
  const shared = await SharedDatabase.open({ teardown: (end) => ends.push(end) })
  await deed(await shared.anew())
  for (const end of ends) await end()
  return shared.url
}

t.test('the next file has the same database as it was migrated, where no more than rows has changed', async (t) => {
  let migrated = {}
  await usedByFile(async (database) => {
    migrated = await contents(database)
  })
  const url = await usedByFile(({ pool }) => pool.query(`INSERT INTO admin_accounts DEFAULT VALUES`))
  await usedByFile(async (database) => t.strictSame(await contents(database), migrated))
  const temporary = 'BEGIN; CREATE TEMP TABLE one (id int4) ON COMMIT DROP; COMMIT'
  t.equal(await usedByFile(({ pool }) => pool.query(temporary)), url)
  const changes = ['ALTER TABLE abonents DISABLE TRIGGER ALL', 'DROP INDEX abonents_next_tarif']
  for (const change of changes) {
    const changed = await usedByFile(({ pool }) => pool.query(change))
    t.not(await usedByFile(() => {}), changed, change)
  }
})

t.test('rows lie for the next file where they lie in a new database', async (t) => {
  const lying = async ({ pool }: Database) => (await pool.query('SELECT name, ctid FROM system_settings')).rows
  let fresh: unknown
  await usedByFile(async (database) => {
    fresh = await lying(database)
    await database.pool.query('DELETE FROM system_settings')
    await database.pool.query('VACUUM system_settings')
    await database.pool.query(
      `INSERT INTO admin_accounts (comment) SELECT repeat('x', 1000) FROM generate_series(1, 1200)`,
    )
  })
  await usedByFile(async (database) => t.strictSame(await lying(database), fresh))
})
