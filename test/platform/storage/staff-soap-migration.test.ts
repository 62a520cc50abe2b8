import t from 'tap'
import { migratedTo } from '../../support/migrations.ts'

const staff = `
  INSERT INTO staff (id, username, password_hash, soap_md5, role) VALUES
    (1, 'desk', '', 'sealed', 'cashier'), (2, 'books', '', 'sealed', 'integration'), (3, 'operator', '', 'sealed', 'operator'),
    (4, 'checker', '', 'sealed', 'viewer'), (5, 'payer', '', 'sealed', 'operator'), (6, 'no password', '', NULL, 'cashier');
  INSERT INTO soap_sessions (key_hash, staff_id, password_mark, created_at, expires_at) VALUES ('a', 4, 'x', now(), now());
  INSERT INTO admin_accounts (id) VALUES (1);
  INSERT INTO finance_operations (op_summa, op_type_id, account_id, owner_id) VALUES (10000000000, 40, 1, 5), (10000000000, 7, 1, 3)`

t.test('cash desks, integrations and whoever has used SOAP keep it, of others the MD5 goes', async (t) => {
  const { client, up } = await migratedTo(t, '20261124000701_staff_second_factor')
  await client.query(staff)
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
