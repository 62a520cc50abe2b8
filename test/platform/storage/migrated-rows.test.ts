import t from 'tap'
import { verifyLedger } from '../../../src/billing/jobs/ledger/verification.ts'
import { migratedTo } from '../../support/migrations.ts'

// What migrations make of the rows that are there. In the order of the migrations: see migratedTo.

/**
 * Five operations of each of three accounts, as the program wrote them before there were chains: +100, -90, +100, -90,
 * +100. A fourth one fell by 50 and got 10.
 */
const operations = `
  INSERT INTO admin_accounts (id, ostatok, debit, credit, last_operation_id)
    SELECT n, 1200000000000, 3000000000000, 1800000000000, n + 12 FROM generate_series(1, 3) AS n;
  INSERT INTO finance_operations (op_id, system_date, op_summa, op_type_id, account_id, organization_id, aa_ostatok, aa_debit, aa_credit)
    SELECT 3 * k + n, at, CASE WHEN k % 2 = 0 THEN 1000000000000 ELSE -900000000000 END, CASE WHEN k % 2 = 0 THEN 7 ELSE 9 END, n, 1,
      (k + 1) / 2 * 1000000000000 - k / 2 * 900000000000, (k + 1) / 2 * 1000000000000, k / 2 * 900000000000
    FROM generate_series(0, 4) AS k, generate_series(1, 3) AS n,
      LATERAL (SELECT timestamptz '1969-12-31 23:59:59.123456Z' + k * interval '1.4 s' AS at) AS moment;
  INSERT INTO admin_accounts (id, ostatok, debit, credit, last_operation_id) VALUES (4, -400000000000, 100000000000, 500000000000, 17);
  INSERT INTO finance_operations (op_id, system_date, op_summa, op_type_id, account_id, organization_id, aa_ostatok, aa_credit) VALUES
    (16, '2026-01-02 03:04:05.123456Z', -500000000000, 9, 4, 1, 0, 0),
    (17, '2026-01-03 03:04:05.123456Z', 100000000000, 7, 4, 1, -500000000000, 500000000000);
  INSERT INTO audit_operations (at, table_name, object_id, action, diff)
    SELECT system_date, 'ADMIN_ACCOUNTS', account_id, 'operation',
      jsonb_build_object('op_id', op_id, 'op_type', op_type_id, 'amount', (op_summa / 1e10)::numeric(12, 2)::text)
    FROM finance_operations;
  INSERT INTO money_keys (key, account_id, op_id, amount)
    SELECT 'txn:' || op_id, account_id, op_id, op_summa FROM finance_operations`

/** As `removeOperation` of that time: the record goes, the balance stays. */
const removal = `
  WITH gone AS (DELETE FROM finance_operations WHERE op_id = ANY ($1) RETURNING *),
    followed AS (UPDATE admin_accounts SET last_operation_id =
        (SELECT max(op_id) FROM finance_operations AS left_over WHERE account_id = admin_accounts.id AND op_id <> ALL ($1))
      WHERE last_operation_id = ANY ($1))
  INSERT INTO audit_operations (table_name, object_id, action, diff)
    SELECT 'FINANCE_OPERATIONS', op_id, 'delete',
      jsonb_build_object('op_type', op_type_id, 'amount', (op_summa / 1e10)::numeric(12, 2)::text) FROM gone`

t.test('a ledger from before the chains is proved after the migration, with what was deleted from it', async (t) => {
  const { client, up } = await migratedTo(t, '20261121001400_outbox_pending')
  await client.query(operations)
  // Of the second account one in the middle, of the third its first two and its last, of the fourth its fall; the first keeps all.
  await client.query(removal, [[8, 3, 6, 15, 16]])
  await up()
  t.match(await verifyLedger(client), { accounts: 4, operations: 12, removed: 5, broken: 0, faults: [] })
  const { rows } = await client.query('SELECT chain_length, debt_since FROM admin_accounts ORDER BY id')
  const settled = { chain_length: 5, debt_since: null }
  const fell = { chain_length: 2, debt_since: new Date('2026-01-02T03:04:05.123Z') }
  t.same(rows, [settled, settled, settled, fell], 'a debt is as old as its fall, whose record is gone')
})

t.test('the migration finds the main clients of what is there', async (t) => {
  const { client, up } = await migratedTo(t, '20261123000801_document_numbers')
  await client.query('INSERT INTO admin_accounts (id) VALUES (1), (2), (3)')
  for (const [id, account] of [
    [10, 1],
    [20, 2],
    [21, 2],
    [5, 2],
  ] as const)
    await client.query(
      `INSERT INTO abonents (id, name, contract_number, account_id) VALUES (${id}, 'client ${id}', '${id}', ${account})`,
    )
  await up('20261124000501_main_clients')
  const { rows } = await client.query('SELECT id::int, is_main FROM abonents ORDER BY id')
  t.strictSame(rows, [
    { id: 5, is_main: true },
    { id: 10, is_main: true },
    { id: 20, is_main: false },
    { id: 21, is_main: false },
  ])
})

const staffWithoutRights = `
  INSERT INTO organizations (id, name) VALUES (2, 'North');
  INSERT INTO staff (id, username, password_hash, role) VALUES
    (1, 'token', '', 'viewer'), (2, 'unused token', '', 'viewer'), (3, 'program', '', 'viewer'), (4, 'browser', '', 'viewer'),
    (5, 'changer', '', 'cashier'), (6, 'poster', '', 'cashier'), (7, 'operator', '', 'operator'),
    (8, 'admin of all', '', 'admin'), (9, 'admin of one', '', 'admin'), (10, 'viewer of all', '', 'viewer');
  INSERT INTO staff_organizations (staff_id, organization_id) VALUES (8, 1), (8, 2), (9, 1), (10, 1), (10, 2);
  INSERT INTO api_tokens (staff_id, name, token_hash, scopes, used_at) VALUES
    (1, 'x', 'a', '{read}', now()), (2, 'x', 'b', '{read}', NULL), (7, 'x', 'c', '{read}', now());
  INSERT INTO staff_sessions (key_hash, staff_id, csrf_token, expires_at, user_agent) VALUES
    ('a', 3, 'x', now() + interval '1 day', 'python-requests/2.32'), ('b', 4, 'x', now() + interval '1 day', 'Mozilla/5.0 (X11)');
  INSERT INTO audit_operations (user_id, table_name, object_id, action) VALUES
    (5, 'FINANCE_OPERATIONS', '1', 'delete'), (6, 'FINANCE_OPERATIONS', '2', 'create'), (6, 'ABONENTS', '2', 'change')`

t.test('who has used REST without the role for it keeps it, and an admin of every organization sees all', async (t) => {
  const { client, up } = await migratedTo(t, '20261123000801_document_numbers')
  await client.query(staffWithoutRights)
  await up('20261124000801_staff_rights')
  const named = async (condition: string) => {
    const { rows } = await client.query(`SELECT username FROM staff WHERE ${condition} ORDER BY id`)
    return rows.map(({ username }) => username)
  }
  t.same(await named('rest'), ['token', 'program', 'changer'])
  t.same(await named('all_organizations'), ['admin of all'])
  t.same(await named('personal_data'), [])
})

const staffWithSoap = `
  INSERT INTO staff (id, username, password_hash, soap_md5, role) VALUES
    (1, 'desk', '', 'sealed', 'cashier'), (2, 'books', '', 'sealed', 'integration'), (3, 'operator', '', 'sealed', 'operator'),
    (4, 'checker', '', 'sealed', 'viewer'), (5, 'payer', '', 'sealed', 'operator'), (6, 'no password', '', NULL, 'cashier');
  INSERT INTO soap_sessions (key_hash, staff_id, password_mark, created_at, expires_at) VALUES ('a', 4, 'x', now(), now());
  INSERT INTO admin_accounts (id) VALUES (1);
  INSERT INTO finance_operations (op_summa, op_type_id, account_id, owner_id) VALUES (10000000000, 40, 1, 5), (10000000000, 7, 1, 3)`

t.test('cash desks, integrations and whoever has used SOAP keep it, of others the MD5 goes', async (t) => {
  const { client, up } = await migratedTo(t, '20261124000701_staff_second_factor')
  await client.query(staffWithSoap)
  await up('20261124000702_staff_soap')
  const { rows } = await client.query('SELECT username, soap_md5 FROM staff WHERE soap ORDER BY id')
  t.same(
    rows.map(({ username }) => username),
    ['desk', 'books', 'checker', 'payer'],
  )
  t.ok(rows.every(({ soap_md5 }) => soap_md5 === 'sealed'))
  const { rowCount } = await client.query('SELECT FROM staff WHERE soap_md5 IS NOT NULL AND NOT soap')
  t.equal(rowCount, 0)
})

const taken = `
  INSERT INTO admin_accounts (id) SELECT generate_series(1, 4);
  INSERT INTO payment_orders (id, subscriber_id, account_id, gateway, protocol, amount, payable, commission, state, gateway_id, idempotence_key, operation_id)
    OVERRIDING SYSTEM VALUE VALUES (17, 1, 1, 'gwa', 'rest', 100, 104, 4, 'paid', 'uuid:1', 'a', 170),
      (18, 2, 2, 'gwb', 'form', 200, 200, 0, 'sent', NULL, 'b', NULL);
  INSERT INTO money_keys (key, account_id, op_id, amount) VALUES
    ('txn:17', 1, 170, 100), ('pay:gwa:uuid:1', 1, 170, 100), ('txn:18', 3, 180, 200), ('pay:gwb:other', 3, 180, 200),
    ('txn:T-1', 4, 190, 300), ('txn:19', 4, 191, -300), ('pay:Sber:A-1', 4, 192, 300), ('charge:1:tariff:2026-11', 1, 193, -5)`

t.test('what was taken before the keys were separated stays taken', async (t) => {
  const { client, up } = await migratedTo(t, '20261124000801_staff_rights')
  await client.query(taken)
  const { rows: before } = await client.query('SELECT key FROM money_keys')
  await up('20261124000802_key_spaces')
  const { rows } = await client.query('SELECT key, account_id, op_id, amount FROM money_keys ORDER BY key')
  const known = new Set(before.map(({ key }) => key))
  t.same(
    rows.filter(({ key }) => !known.delete(key)).map(({ key, op_id }) => [key, op_id]),
    [
      ['desk:Sber:A-1', '192'],
      ['gateway:gwa:uuid:1', '170'],
      // The number of an order that is not paid yet was taken for another account: the order can be paid now.
      ['order:17:1:100', '170'],
      ['order:18:3:200', '180'],
      ['receipt:1:100:gwa:uuid:1', '170'],
      ['receipt:3:200:gwb:other', '180'],
      ['receipt:4:300:Sber:A-1', '192'],
    ],
  )
  t.equal(known.size, 0, 'and nothing is released')
})
