import t from 'tap'
import { verifyLedger } from '../../../src/billing/jobs/ledger/verification.ts'
import { migratedTo } from '../../support/migrations.ts'

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
