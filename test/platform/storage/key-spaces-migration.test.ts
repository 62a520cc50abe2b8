import t from 'tap'
import { migratedTo } from '../../support/migrations.ts'

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
