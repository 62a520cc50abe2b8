import t from 'tap'
import { type Json, openDoors } from './door.ts'

const doors = await openDoors(t)
await doors.rows(`
  INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South');
  INSERT INTO homes (id, parent_id, kind, name) VALUES (1, NULL, 'city', 'г. Солнечногорск'), (2, 1, 'street', 'ул. Ленина'),
    (3, 1, 'street', '8 Марта'), (4, 2, 'house', '15'), (5, 2, 'house', '15а'), (6, 2, 'house', '150'), (7, 3, 'house', '15'),
    (8, NULL, 'city', 'Клин'), (9, 8, 'street', 'Ленина'), (10, 9, 'house', 'дом 15/2');
  INSERT INTO admin_accounts (id) SELECT generate_series(1, 2000);
  INSERT INTO abonents (id, name, contract_number, sms, account_id, organization_id, home_id, flat, deleted) VALUES
    (1, 'Соловьёва Анна Петровна', '00001042', '8 (916) 123-45-67', 1, 1, 4, '3', false),
    (2, 'Соловьев-Седой Пётр', 'Д-77/3', '+7 903 765 43 21', 2, 2, 4, '12', false),
    (3, 'ООО «Торговый дом Восток-Запад»', '31042', NULL, 3, NULL, 10, NULL, false),
    (4, 'Соловьёва Ольга', '00001042', NULL, 4, 1, NULL, NULL, true),
    (5, 'O''Neil, John', '500', '1234567', 5, 3, NULL, NULL, false);
  INSERT INTO ip_pulls (id, name, network) VALUES (1, 'Белые адреса', '198.51.100.0/24'), (2, 'Серые', '10.64.0.0/22');
  INSERT INTO nas (id, name, ip, network, identifier, secret) VALUES (1, 'bras-север', '192.0.2.7', NULL, NULL, ''),
    (2, 'Точки доступа', NULL, '203.0.113.0/24', 'wifi_1', '');
  INSERT INTO users (id, abonent_id, login, password, ip, mac, ipv6_prefix, delegated_ipv6_prefix) VALUES
    (1, 1, 'solo_1', '', '198.51.100.7', 'aa:bb:cc:00:00:01', '2001:db8:1:2::/64', '2001:db8:ff00::/40'),
    (2, 2, 'Solo-2', '', NULL, NULL, NULL, NULL);
  INSERT INTO radius_sessions (id, login, abonent_id, organization_id, nas_id, acct_session_id, framed_ip, ipv6_prefix, mac, started_at, updated_at, ended_at)
    VALUES (1, 'solo_1', 1, 1, 1, 'a', '198.51.100.7', '2001:db8:1:2::/64', 'aa:bb:cc:00:00:01', now(), now(), NULL),
      (2, 'solo_1', 1, 1, 1, 'b', '198.51.100.7', NULL, 'aa:bb:cc:00:00:01', now() - interval '1 day', now(), now()),
      (3, 'Solo-2', 2, 2, 9, 'c', '10.64.0.9', NULL, NULL, now(), now(), NULL);
  INSERT INTO finance_operations (op_id, op_summa, op_type_id, account_id, abonent_id, organization_id, number, operator_pay_id_str, txn, op_date)
    VALUES (9001, 1505000000000, 7, 1, 1, 1, 'INV-5', 'pay:100%', 't-1', '2026-03-04T12:00:00Z'), (9002, 10000000000, 7, 2, 2, 2, 'INV-5', NULL, NULL, now());
  INSERT INTO money_keys (key, account_id, op_id, amount) VALUES ('txn:t-1', 1, 9001, 0);
  INSERT INTO hdsks (id, abonent_id, subject, status) VALUES (8001, 1, 'Нет интернета с утра', 'open'),
    (8002, 2, 'Нет связи', 'in_progress'), (8003, 1, 'Нет интернета', 'closed')`)

type Sent = { organizations?: number[] }

const groups = async (q: string, sent: Sent & { limit?: number } = {}): Promise<Json> => {
  const { limit, ...rest } = sent
  const query = new URLSearchParams({ q, ...(limit !== undefined && { limit: String(limit) }) })
  const { status, body } = await doors.get(`/admin/search/?${query}`, rest)
  if (status !== 200) throw new Error(`${q}: ${status} ${JSON.stringify(body)}`)
  return Object.fromEntries(body.groups.map(({ kind, items }: Json) => [kind, items]))
}
/** The ids of one kind. */
const ids = async (kind: string, q: string, sent: Sent = {}): Promise<number[]> =>
  ((await groups(q, sent))[kind] ?? []).map(({ id }: Json) => id)

t.test('people by words of their names, in any order, as far as they are typed', async (t) => {
  const expected: [q: string, found: number[]][] = [
    ['соловьева анна', [1]],
    ['Анна СОЛОВЬЁВА', [1]],
    ['петровна анна сол', [1]],
    ['ан пет сол', [1]],
    ['соловь', [2, 1, 4]],
    ['соловьёва', [1, 4]],
    ['седой', [2]],
    ['петр соловьев-седой', [2]],
    ['восток', [3]],
    ['запад торговый ооо', [3]],
    ["john o'neil", [5]],
    ['соловьева пётр', [1]],
    ['соловьева седой', []],
    ['ольга', [4]],
  ]
  for (const [q, found] of expected) t.same((await ids('subscriber', q)).sort(), [...found].sort(), q)
  t.same(await ids('subscriber', 'соловьева'), [1, 4], 'a whole word first, who is deleted at the end')
  const { subscriber } = await groups('анна')
  t.same(subscriber, [
    {
      id: 1,
      title: 'Соловьёва Анна Петровна',
      subtitle: '00001042 · г. Солнечногорск, ул. Ленина, 15, кв. 3',
      path: '/admin/subscribers/1/',
    },
  ])
  t.equal((await groups('ольга')).subscriber[0].deleted, true)
})

t.test('people by contract and phone', async (t) => {
  const expected: [q: string, found: number[]][] = [
    ['00001042', [1]],
    ['1042', [1]],
    ['104', [1]],
    ['д-77/3', [2]],
    ['Д-77/3', [2]],
    ['+7 (916) 123-45-67', [1]],
    ['89161234567', [1]],
    ['9161234567', [1]],
    ['8916123', [1]],
    ['+7903', [2]],
    ['79037', [2]],
    ['4321', [2]],
    ['34567', [1, 5]],
    ['1234567', [5, 1]],
    ['567', []],
  ]
  for (const [q, found] of expected) t.same((await ids('subscriber', q)).sort(), [...found].sort(), q)
})

t.test('logins and live sessions by name, address, prefix and MAC in any writing', async (t) => {
  const first = [
    'solo_1',
    '198.51.100.7',
    'aa:bb:cc:00:00:01',
    'AA-BB-CC-00-00-01',
    'aabb.cc00.0001',
    'AABBCC000001',
    'aabbcc-000001',
    '2001:db8:1:2::',
    '2001:DB8:1:2:0:0:0:55',
    '2001:db8:1:2::/64',
  ]
  for (const q of first) {
    t.same(await ids('login', q), [1], q)
    t.same(await ids('session', q), [1], `${q}: only the live session`)
  }
  t.same(await ids('login', '2001:db8:ff80:1::9'), [1], 'in the delegated prefix')
  t.same(await ids('session', '2001:db8:ff80:1::9'), [])
  t.same(await ids('login', 'SOLO'), [2, 1], 'the beginning of a login in any case')
  t.same(await ids('login', 'solo_2'), [], 'a sign of a login is not a wildcard')
  t.same(await ids('session', '10.64.0.9'), [3], 'without a NAS')
  const { login, session } = await groups('solo_1')
  t.same(login, [
    {
      id: 1,
      title: 'solo_1',
      subtitle: 'Соловьёва Анна Петровна · 198.51.100.7 · 2001:db8:1:2::/64 · aa:bb:cc:00:00:01',
      path: '/admin/subscribers/1/connection/',
    },
  ])
  t.same(session, [
    {
      id: 1,
      title: 'solo_1',
      subtitle: '198.51.100.7 · 2001:db8:1:2::/64 · aa:bb:cc:00:00:01 · bras-север',
      path: '/admin/network/sessions/?q=solo_1',
    },
  ])
})

t.test('street, house and flat', async (t) => {
  const expected: [q: string, homes: number[], subscribers: number[]][] = [
    ['ленина 15', [4, 5, 6, 10], [1, 2, 3]],
    ['ул. Ленина, д. 15, кв. 3', [4, 5, 6, 10], [1]],
    ['солнечногорск ленина 15-12', [4, 5, 6], [2]],
    ['15 ленина клин', [10], [3]],
    ['8 марта 15', [7], []],
    ['солнечногорск лен', [2], []],
    ['солнечногорск', [1], []],
    ['ленина 99', [], []],
    ['дом 15', [], []],
  ]
  for (const [q, homes, subscribers] of expected) {
    t.same((await ids('home', q)).sort(), [...homes].sort(), q)
    t.same((await ids('subscriber', q)).sort(), [...subscribers].sort(), q)
  }
  const { home } = await groups('ленина 15 солнечногорск')
  t.same(home[0], {
    id: 4,
    title: 'г. Солнечногорск, ул. Ленина, 15',
    subtitle: '',
    path: '/admin/subscribers/?home=4',
  })
})

t.test('operations, tickets, NAS and pools', async (t) => {
  const expected: [kind: string, q: string, found: number[]][] = [
    ['operation', '9001', [9001]],
    ['operation', '№ 9001', [9001]],
    ['operation', 'INV-5', [9001, 9002]],
    ['operation', 'pay:100%', [9001]],
    ['operation', 'pay:100_', []],
    ['operation', 't-1', [9001]],
    ['ticket', '#8003', [8003]],
    ['ticket', 'интернета нет', [8001]],
    ['ticket', 'нет', [8001, 8002]],
    ['nas', 'север', [1]],
    ['nas', '192.0.2.7', [1]],
    ['nas', '203.0.113.99', [2]],
    ['nas', '203.0.113.0/24', [2]],
    ['nas', 'wifi_1', [2]],
    ['pool', 'адреса белые', [1]],
    ['pool', '10.64.3.255', [2]],
    ['pool', '10.64.0.0/22', [2]],
    ['pool', '10.64.0.1/22', [2]],
    ['pool', '2001:db8::1', []],
  ]
  for (const [kind, q, found] of expected) t.same((await ids(kind, q)).sort(), found, `${kind}: ${q}`)
  t.same((await groups('9001')).operation, [
    {
      id: 9001,
      title: '9001 · Ручное зачисление',
      subtitle: '2026-03-04 · 150.50 · Соловьёва Анна Петровна',
      path: '/admin/money/operations/9001/',
    },
  ])
  t.match(await groups('8001'), {
    ticket: [
      {
        title: 'Нет интернета с утра',
        subtitle: '#8001 · Соловьёва Анна Петровна',
        path: '/admin/tickets/8001/',
      },
    ],
  })
  t.match(await groups('192.0.2.7'), { nas: [{ subtitle: '192.0.2.7', path: '/admin/network/nas/1/' }] })
  t.match(await groups('серые'), { pool: [{ subtitle: '10.64.0.0/22', path: '/admin/network/pools/2/' }] })
})

t.test('somebody sees the records of his organizations only', async (t) => {
  const asked = [
    'соловьева',
    'анна',
    '1042',
    '89161234567',
    'solo_1',
    '198.51.100.7',
    'aabbcc000001',
    '2001:db8:1:2::',
    '9001',
    't-1',
    '8001',
    'нет интернета',
    'ленина 15 3',
  ]
  const own = ['subscriber', 'login', 'session', 'operation', 'ticket']
  for (const q of asked) {
    t.ok((await Promise.all(own.map((kind) => ids(kind, q)))).flat().length > 0, q)
    const found = await groups(q, { organizations: [3] })
    for (const kind of own) t.notOk(found[kind], `${kind} of ${q}`)
  }
  for (const [kind, q, found] of [
    ['subscriber', 'соловь', [2]],
    ['login', 'solo', [2]],
    ['session', 'Solo-2', [3]],
    ['operation', 'INV-5', [9002]],
    ['ticket', 'нет', [8002]],
    ['home', 'ленина 15', [4, 5, 6, 10]],
    ['nas', 'север', [1]],
    ['pool', 'серые', [2]],
  ] as const)
    t.same((await ids(kind, q, { organizations: [2] })).sort(), [...found].sort(), kind)
  t.same(await ids('subscriber', 'восток', { organizations: [1] }), [3], 'without an organization: the default one')
  t.same(await ids('subscriber', 'восток', { organizations: [] }), [])
})

t.test('a common word neither hides a rare one nor what another organization has', async (t) => {
  await doors.rows(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, CASE WHEN n % 2 = 0 THEN 'Кузнецов' ELSE 'Волкова' END || ' ' || CASE WHEN n % 4 < 2 THEN 'Семён' ELSE 'Мария' END || ' ' || n, 'k' || n, n, 1
    FROM generate_series(101, 900) AS n`)
  await doors.rows(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id) VALUES
    (1001, 'Волкова Марина Семёновна', 'z1', 1001, 1), (1002, 'Кузнецов Семён', 'z2', 1002, 3), (1003, 'Семён Кузнецов-Мариин', 'z3', 1003, 1)`)
  t.equal((await ids('subscriber', 'кузнецов')).length, 5)
  t.equal((await groups('кузнецов', { limit: 12 })).subscriber.length, 12)
  t.equal((await groups('кузнецов', { limit: 1000 })).subscriber.length, 20)
  t.same(await ids('subscriber', 'кузнецов 250 мария'), [250], 'by the rare word')
  t.same(await ids('subscriber', 'семеновна марина волкова'), [1001])
  t.same(await ids('subscriber', 'кузнецов', { organizations: [3] }), [1002])
  for (const q of ['кузнецов семен', 'семен кузнец', 'сем куз'])
    t.same(await ids('subscriber', q, { organizations: [3] }), [1002], q)
  for (const q of ['кузнецов мария', 'мар кузн']) t.equal((await ids('subscriber', q)).length, 5, q)
  t.same(await ids('subscriber', 'семен мариин кузнецов'), [1003])
  t.same(await ids('subscriber', 'волкова волкова семёнович'), [])
})

t.test('whatever is typed is no pattern and no SQL', async (t) => {
  const nothing = [
    '',
    ' ',
    '%',
    '_',
    '%%%%',
    "'",
    "';--",
    '\\',
    '"',
    '()',
    '$1',
    '\u{10ffff}',
    '\u0007\u001b[31m',
    '\ud800',
    '{}',
    '[]',
    '://',
    '0',
    '99999999999999999999',
    '1e5',
    '٣',
    '🙂',
    '::',
    '1.2.3',
    '99.98.97.96.95',
    '300.1.1.1',
    'fe80::1%eth0',
    '::ffff:1.2.3.4/200',
    'a '.repeat(100),
  ]
  for (const q of nothing) t.same(await groups(q), {}, JSON.stringify(q))
  t.same(await ids('subscriber', '\tАнна\r\n\u0001'), [1], 'control characters are gaps')
  for (const q of ['x'.repeat(201), 'a\0b'])
    t.match(await doors.get(`/admin/search/?${new URLSearchParams({ q })}`), {
      status: 400,
      body: { ok: false, error: 'q: It must be text of at most 200 characters.' },
    })
  t.equal((await doors.get('/admin/search/?q=a&limit=0')).status, 400)
  t.same((await doors.get('/admin/search/')).body, { ok: true, groups: [] })
})

t.test('kinds that somebody may not read are left out', async (t) => {
  const route = doors.parts.routes.find(({ path }) => path === '/admin/search')!
  const query = new URLSearchParams({ q: 'анна' })
  const call = { query, header: () => '', staff: { ...doors.staff, rights: ['money'] } }
  const { body } = await route.handler(call as never)
  t.same(JSON.parse(String(body)), { ok: true, groups: [] })
})

t.test('no index holds a column that a posting changes', async (t) => {
  const tables = ['abonents', 'users', 'admin_accounts']
  await doors.rows(`CREATE TABLE changed (place text, name text);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO changed SELECT TG_TABLE_NAME, key FROM jsonb_each(to_jsonb(NEW)) AS became JOIN jsonb_each(to_jsonb(OLD)) AS was USING (key)
        WHERE became.value <> was.value;
      RETURN NULL; END $$`)
  for (const table of tables)
    await doors.rows(`CREATE TRIGGER note AFTER UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION note()`)
  for (const [op_type, op_summa] of [
    [9, 50_000_000_000],
    [7, 90_000_000_000],
  ])
    t.equal(
      (await doors.post('/rest_api/v2/FinanceOperations/', { account: 1, abonent: 1, op_type, op_summa })).status,
      201,
    )
  const changed = await doors.rows('SELECT DISTINCT place, name FROM changed ORDER BY 1, 2')
  for (const [place, name] of [
    ['abonents', 'enabled'],
    ['users', 'enabled'],
    ['admin_accounts', 'ostatok'],
  ])
    t.ok(
      changed.some((one) => one.place === place && one.name === name),
      `a posting changes ${place}.${name}`,
    )
  const indexed = await doors.rows(
    `SELECT DISTINCT refobjid::regclass::text AS place, attname AS name FROM pg_depend
      JOIN pg_index ON indexrelid = objid AND classid = 'pg_class'::regclass
      JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
      WHERE refclassid = 'pg_class'::regclass AND refobjsubid > 0 AND refobjid = ANY($1::regclass[])`,
    [tables],
  )
  t.ok(
    indexed.some(({ name }) => name === 'contract_number'),
    'the question finds what indexes hold',
  )
  t.same(
    changed.filter(({ place, name }) => indexed.some((one) => one.place === place && one.name === name)),
    [{ place: 'admin_accounts', name: 'debt_since' }],
    'so its updates stay within the page (HOT), but where it crosses zero as here',
  )
})
