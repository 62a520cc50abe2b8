import pg from 'pg'
import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { type Doors, newSubscriber, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

/** Models by the tables that their records are made of. */
const madeOf: Readonly<Record<string, readonly string[]>> = {
  Abonents: ['abonents', 'abonents_block', 'user_attribute_values', 'user_attributes'],
  AdminAccounts: ['admin_accounts'],
  Users: ['users'],
}
const ids = ['1', '2', '999']

const seed = `
  INSERT INTO organizations (id, name) VALUES (2, 'second');
  INSERT INTO abonent_folders (id, name, organization_id) VALUES (1, 'folder', 1);
  INSERT INTO homes (id, kind, name) VALUES (1, 'house', '1');
  INSERT INTO tarifs (id, name, price) VALUES (1, 'x', 0), (2, 'y', 0);
  INSERT INTO ip_pulls (id, name, network) VALUES (1, 'pool', '10.0.0.0/24');
  INSERT INTO switches (id, name, ip) VALUES (1, 'switch', '10.0.0.9');
  INSERT INTO admin_accounts (id) VALUES (1), (2), (3);
  INSERT INTO abonents (id, name, contract_number, account_id, organization_id) VALUES (1, 'a', '1', 1, 1), (2, 'b', '2', 2, 1);
  INSERT INTO users (id, abonent_id, login, password) VALUES (1, 1, 'one', ''), (2, 2, 'two', '');
  INSERT INTO user_attributes (id, name, sorm_field_code) VALUES (1, 'first', 'one'), (2, 'second', 'two');
  INSERT INTO user_attribute_values (id, abonent_id, attribute_id, value) VALUES (1, 1, 1, '7');
  INSERT INTO abonents_block (abonent_id, b_admin) VALUES (1, true)`

/**
 * What a column is set to where its type does not say; the row is that of subscriber, login, account or attribute 1.
 */
const special: Readonly<Record<string, string>> = {
  'abonents.id': '999',
  'abonents.organization_id': '2',
  'abonents_block.abonent_id': '2',
  'user_attribute_values.abonent_id': '2',
  'user_attribute_values.attribute_id': '2',
  'user_attributes.type_id': '2',
  'users.abonent_id': '2',
  'users.disabled_by_hand': 'true',
  'admin_accounts.id': '999',
  'admin_accounts.debit': 'debit + 5, ostatok = ostatok + 5',
  'admin_accounts.credit': 'credit + 5, ostatok = ostatok - 5',
  'admin_accounts.ostatok': 'ostatok + 5, debit = debit + 5',
}

const byType: Readonly<Record<string, string>> = {
  int8: '1',
  int4: '3',
  text: "'changed'",
  bool: 'NOT %I',
  timestamptz: "now() + interval '1 hour'",
  date: "'2001-02-03'",
  numeric: '5',
  inet: "'10.1.2.3'",
  cidr: "'2001:db8::/56'",
  macaddr: "'00:11:22:33:44:55'",
  jsonb: "'[]'",
  bytea: "'\\x01'",
}

type Test = Parameters<typeof openDoors>[0] & { equal(found: unknown, wanted: unknown, message: string): void }

/** Somebody in psql, whose rows the program does not judge: it would block and unblock between two readings. */
async function psql(t: Test, doors: Doors): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: doors.database.url })
  await client.connect()
  await client.query('SET tollgate.writer = on')
  t.teardown(() => client.end())
  return client
}

/** With a query, even one of no meaning, a record is read alone; without one, together with the others that wait. */
async function compare(t: Test, doors: Doors, what: string, table?: string): Promise<void> {
  const names = Object.keys(madeOf).filter((name) => table === undefined || madeOf[name]!.includes(table))
  const paths = names.flatMap((name) => ids.map((id) => `${name}/${id}`))
  const answers = await Promise.all(paths.map((path) => doors.get(`/rest_api/v2/${path}`)))
  for (const [at, path] of paths.entries()) {
    const answered = answers[at]!
    const read = await doors.get(`/rest_api/v2/${path}?x=1`)
    t.equal(`${answered.status} ${answered.text}`, `${read.status} ${read.text}`, `${what}: ${path}`)
    t.equal(answered.headers.get('etag'), read.headers.get('etag'), `${what}: ETag of ${path}`)
    const before = seen.get(path)
    if (before) {
      const again = await doors.get(`/rest_api/v2/${path}`, { headers: { 'if-none-match': before.tag } })
      t.equal(
        again.status,
        answered.text === before.text ? 304 : answered.status,
        `${what}: ${path} since the last time`,
      )
    }
    const tag = answered.headers.get('etag')
    if (tag !== undefined) seen.set(path, { tag, text: answered.text })
  }
}

/** What was answered last, by path. */
const seen = new Map<string, { tag: string; text: string }>()

t.test('whatever is written in psql, the next answer and its ETag show', async (t) => {
  const doors = await openDoors(t, shared)
  const client = await psql(t, doors)
  await client.query(seed)
  const tables = [...new Set(Object.values(madeOf).flat())]
  const { rows: columns } = await client.query<{ table: string; name: string; type: string }>(
    `SELECT table_name AS table, column_name AS name, udt_name AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = ANY ($1) AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position`,
    [tables],
  )
  t.ok(columns.length > 60)
  for (const { table, name, type } of columns) {
    const key = table === 'abonents_block' ? 'abonent_id' : 'id'
    const value = special[`${table}.${name}`] ?? byType[type]
    if (value === undefined) throw new Error(`${table}.${name}: a value of ${type} is needed`)
    // Everything that hangs on the key would refuse another one.
    const isKey = name === 'id' && ['abonents', 'admin_accounts'].includes(table)
    const row = isKey ? (table === 'abonents' ? 2 : 3) : 1
    if (isKey && table === 'abonents') await client.query('DELETE FROM users WHERE abonent_id = 2')
    const { rowCount } = await client.query(
      `UPDATE ${table} SET "${name}" = ${value.replace('%I', `"${name}"`)} WHERE ${key} = ${row}`,
    )
    t.equal(rowCount, 1, `${table}.${name}`)
    await compare(t, doors, `${table}.${name}`, table)
    if (isKey) await client.query(`UPDATE ${table} SET id = ${row} WHERE id = 999`)
    else if (name === key || /abonent_id$/.test(name))
      await client.query(`UPDATE ${table} SET "${name}" = 1 WHERE "${name}" = ${value}`)
  }
  for (const statement of [
    'DELETE FROM abonents_block',
    'INSERT INTO abonents_block (abonent_id, b_own) VALUES (2, true)',
    `INSERT INTO user_attribute_values (id, abonent_id, attribute_id, value) VALUES (5, 2, 2, 'more')`,
    'DELETE FROM user_attribute_values WHERE abonent_id = 2',
    `UPDATE user_attributes SET sorm_field_code = 'three'`,
    'TRUNCATE user_attribute_values',
    'TRUNCATE abonents_block',
    `WITH changed AS (UPDATE abonents SET name = 'by an expression' RETURNING id) SELECT count(*) FROM changed`,
  ]) {
    await client.query(statement)
    await compare(t, doors, statement, 'abonents')
  }
})

t.test('what was written by this program is answered at once', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, login } = await newSubscriber(doors)
  const [one, account, user] = [`Abonents/${abonent.id}`, `AdminAccounts/${abonent.account}`, `Users/${login.id}`]
  const now = async (path: string) => (await doors.get(`/rest_api/v2/${path}/`)).body
  for (let n = 1; n <= 25; n++) {
    await now(one)
    await doors.put(`/rest_api/v2/${one}/`, { name: `name ${n}`, attributes: {} })
    t.equal((await now(one)).name, `name ${n}`, 'a statement of a parts')
    await doors.post('/rest_api/v2/FinanceOperations/', { account: abonent.account, op_type: 7, op_summa: units(1) })
    t.equal((await now(account)).ostatok, units(n), 'a commit of the ledger')
    await doors.put(`/rest_api/v2/${one}/`, { enabled: n % 2 === 0 })
    t.match(await now(one), { enabled: n % 2 === 0, block: { b_admin: n % 2 === 1 } }, 'both')
    t.equal((await now(user)).enabled, n % 2 === 0)
    await doors.database.pool.query('UPDATE abonents SET comment = $1', [`comment ${n}`])
    t.equal((await now(one)).comment, `comment ${n}`, 'a statement without a transaction')
    const client = await doors.database.pool.connect()
    await client.query('BEGIN')
    await client.query('UPDATE abonents SET flat = $1', [String(n)])
    t.not((await now(one)).flat, String(n), 'nothing before the commit')
    await client.query('COMMIT')
    client.release()
    t.equal((await now(one)).flat, String(n), 'all of it after')
  }
})

t.test('lists and REST v1 have ETags of their own', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const tagOf = async (path: string) => (await doors.get(path)).headers.get('etag')
  const paths = ['/rest_api/v2/Abonents/', `/rest_api/v2/Abonents/${abonent.id}/`, `/rest_api/Abonents/${abonent.id}/`]
  const before = await Promise.all([...paths, `${paths[2]}?format=xml`].map(tagOf))
  t.equal(new Set(before).size, 4, 'each representation has its own')
  for (const [at, path] of paths.entries()) {
    const { status, text } = await doors.get(path, { headers: { 'if-none-match': before[at]! } })
    t.same([status, text], [304, ''], path)
  }
  await doors.put(paths[1]!, { attributes: {}, enabled: false })
  for (const [at, path] of paths.entries())
    t.equal((await doors.get(path, { headers: { 'if-none-match': before[at]! } })).status, 200, path)
})
