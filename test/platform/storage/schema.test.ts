import t from 'tap'
import { createLog, silentLog } from '../../../src/platform/log.ts'
import { isBefore, oldestBeside, version } from '../../../src/platform/release.ts'
import { migrate } from '../../../src/platform/storage/migrate.ts'
import { checkSchema, compareSchemas } from '../../../src/platform/storage/schema-check.ts'
import { testDatabase, testDatabaseUrl } from '../../support/database.ts'
import { asAdmin } from '../../runner/template.ts'

t.test('migrations applied to an empty database equal what the entities expect', async (t) => {
  t.same(await checkSchema(await testDatabaseUrl(t, { migrated: false })), [])
})

t.test('a forgotten column, default, index or rule is noticed', async (t) => {
  const [one, other] = [await testDatabaseUrl(t), await testDatabaseUrl(t)]
  t.same(await compareSchemas(one, other), [])
  await asAdmin(other, async (admin) => {
    await admin.query('ALTER TABLE cards ADD COLUMN colour text')
    await admin.query('ALTER TABLE users ALTER COLUMN simultaneous_use SET DEFAULT 2')
    await admin.query('DROP INDEX outbox_pending')
    await admin.query('ALTER TABLE admin_accounts DROP CONSTRAINT admin_accounts_balanced')
  })
  t.match(await compareSchemas(one, other), [
    'only in the entities: cards.colour text',
    'only in the entities: users.simultaneous_use integer NOT NULL DEFAULT 2',
    'only in the migrations: CREATE INDEX outbox_pending ON public.outbox USING btree (id) WHERE (done_at IS NULL)',
    'only in the migrations: admin_accounts: admin_accounts_balanced CHECK ((ostatok = (debit - credit)))',
    'only in the migrations: users.simultaneous_use integer NOT NULL DEFAULT 1',
  ])
})

t.test('two programs that start at once migrate once', async (t) => {
  const url = await testDatabaseUrl(t, { migrated: false })
  const both = await Promise.all([migrate({ url, log: silentLog }), migrate({ url, log: silentLog })])
  t.same(both.map((applied) => applied.length > 0).sort(), [false, true])
  t.same(await migrate({ url, log: silentLog }), [])
})

t.test(
  'a migration waits for a table in use by letting others go first, and says for which releases it was',
  async (t) => {
    const url = await testDatabaseUrl(t)
    await asAdmin(url, async (admin) => {
      await admin.query(`DELETE FROM mikro_orm_migrations WHERE name LIKE '%_edges'`)
      await admin.query('ALTER TABLE nodes DROP COLUMN role; DROP FUNCTION tollgate_tell')
      await admin.query('BEGIN; LOCK TABLE nodes IN ROW EXCLUSIVE MODE')
      const { promise: told, resolve: tell } = Promise.withResolvers<void>()
      const write = (line: string) => {
        if (/lets others go first/.test(line)) tell()
      }
      const migrating = migrate({ url, log: createLog({ pretty: false, write }) })
      await told
      await asAdmin(url, (other) => other.query(`INSERT INTO nodes (name, version) VALUES ('b', '1')`))
      await admin.query('COMMIT')
      t.match(await migrating, [/_edges$/])

      const { rows } = await admin.query(`SELECT obj_description('mikro_orm_migrations'::regclass) AS note`)
      t.strictSame(JSON.parse(rows[0].note), { release: version, oldest: oldestBeside })
      await admin.query(`COMMENT ON TABLE mikro_orm_migrations IS '{"release": "9.2.0", "oldest": "9.1.0"}'`)
      await t.rejects(migrate({ url, log: silentLog }), {
        name: 'StartRefusal',
        message:
          /^The tables of this database are of Tollgate 9\.2\.0.* Start 9\.1\.0 or newer, or go back to a backup/,
      })
      await admin.query(`COMMENT ON TABLE mikro_orm_migrations IS '{"release": "9.2.0", "oldest": "${version}"}'`)
      t.strictSame(await migrate({ url, log: silentLog }), [], 'one that is newer by one is no obstacle')
    })
    t.ok(isBefore('0.9.9', '0.10.0') && !isBefore('1.0.0', '1.0.0') && !isBefore('2.0.0-next', '1.9.9'))
  },
)

t.test('a setting somebody has set survives the migration that brings its default', async (t) => {
  const url = await testDatabaseUrl(t)
  await asAdmin(url, async (admin) => {
    await admin.query(`UPDATE system_settings SET value = '7' WHERE name = 'PROMISE_PAY_OPERATOR_FEE'`)
    await admin.query(`DELETE FROM mikro_orm_migrations WHERE name LIKE '%promise_pay_defaults'`)
    t.match(await migrate({ url, log: silentLog }), [/promise_pay_defaults$/])
    const { rows } = await admin.query(`SELECT value FROM system_settings WHERE name = 'PROMISE_PAY_OPERATOR_FEE'`)
    t.same(rows, [{ value: '7' }])
  })
})

t.test('the rows whose numbers are fixed are there, and new ones do not collide with them', async (t) => {
  const { database } = await testDatabase(t)
  const types = await database.pool.query('SELECT type_id::int AS id, op_sign FROM fin_types ORDER BY 1')
  t.same(
    types.rows.map(({ id, op_sign }) => [id, op_sign]),
    [
      [3, -1],
      [7, 1],
      [9, -1],
      [23, 1],
      [24, 1],
      [31, 1],
      [32, -1],
      [33, 0],
      [40, 1],
      [41, 1],
    ],
  )
  const services = await database.pool.query(
    'SELECT id::int, system_type, end_count_days, summa FROM uslugas ORDER BY id',
  )
  t.same(services.rows, [
    { id: -4, system_type: null, end_count_days: 3, summa: '900000000000' },
    { id: -3, system_type: null, end_count_days: 3, summa: '900000000000' },
    { id: 30353, system_type: 11, end_count_days: 5, summa: null },
  ])
  const added = await database.pool.query(`WITH
    type AS (INSERT INTO fin_types (op_name, op_sign) VALUES ('x', 1) RETURNING type_id),
    service AS (INSERT INTO uslugas (name) VALUES ('x') RETURNING id),
    organization AS (INSERT INTO organizations (name) VALUES ('x') RETURNING id),
    currency AS (INSERT INTO currencies (code, name) VALUES ('EUR', 'x') RETURNING id)
    SELECT type_id::int, service.id::int AS service, organization.id::int AS organization, currency.id::int AS currency
    FROM type, service, organization, currency`)
  t.same(added.rows, [{ type_id: 100, service: 30354, organization: 2, currency: 2 }])
})

t.test('the table itself refuses an account that does not balance', async (t) => {
  const { database } = await testDatabase(t)
  await t.rejects(database.pool.query('INSERT INTO admin_accounts (ostatok, debit, credit) VALUES (1, 2, 0)'), {
    code: '23514',
  })
})
