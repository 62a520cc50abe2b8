import t from 'tap'
import { migratedTo } from '../../support/migrations.ts'

const staff = `
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
  await client.query(staff)
  await up('20261124000801_staff_rights')
  const named = async (condition: string) => {
    const { rows } = await client.query(`SELECT username FROM staff WHERE ${condition} ORDER BY id`)
    return rows.map(({ username }) => username)
  }
  t.same(await named('rest'), ['token', 'program', 'changer'])
  t.same(await named('all_organizations'), ['admin of all'])
  t.same(await named('personal_data'), [])
})
