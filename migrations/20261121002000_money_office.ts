import { Migration } from '@mikro-orm/migrations'

/**
 * What the money office keeps beside the first tables: the chain of every account's operations, the place that a removed operation
 * leaves in it, and what a promise payment and a charge must know of a subscriber. Operations that are there already are chained in
 * the order of their ids, as they were made, and those that have been deleted before stand in their places.
 */
export class MoneyOffice extends Migration {
  override up(): void {
    this.addSql(columns)
    this.addSql(removed)
    this.addSql(removedBefore)
    this.addSql(sumsBefore)
    this.addSql(chainAll)
  }
}

const columns = `
  ALTER TABLE admin_accounts
    ADD COLUMN chain_length int4 NOT NULL DEFAULT 0,
    ADD COLUMN chain_head bytea NOT NULL DEFAULT '';
  ALTER TABLE finance_operations
    ADD COLUMN chain_seq int4,
    ADD COLUMN chain_hash bytea;
  ALTER TABLE abonents
    ADD COLUMN promise_last_date timestamptz,
    ADD COLUMN charged_from timestamptz;
  ALTER TABLE users_uslugas
    ADD COLUMN op_id int8 REFERENCES finance_operations ON DELETE SET NULL;
  CREATE INDEX users_uslugas_op ON users_uslugas (op_id) WHERE op_id IS NOT NULL`

/** Outlives the rows it names, as the audit does. */
const removed = `
  CREATE TABLE removed_operations (
    op_id int8 PRIMARY KEY,
    account_id int8 NOT NULL,
    op_type_id int8 NOT NULL,
    op_summa int8 NOT NULL,
    system_date timestamptz NOT NULL,
    aa_ostatok int8 NOT NULL,
    aa_debit int8 NOT NULL,
    aa_credit int8 NOT NULL,
    storno bool NOT NULL,
    related_operation_id int8,
    chain_seq int4,
    chain_hash bytea,
    removed_at timestamptz NOT NULL DEFAULT now(),
    removed_by int8
  );
  CREATE INDEX removed_operations_account ON removed_operations (account_id, chain_seq)`

/**
 * Operations that were deleted before this left their amounts in the balance, and their traces in the audit: from there they get the
 * places that a deletion leaves now, or the chains of their accounts would have holes. What stood before each is what its
 * account had come to.
 */
const removedBefore = `
  INSERT INTO removed_operations (op_id, account_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit, aa_credit, storno,
    related_operation_id, removed_at, removed_by)
  SELECT gone.object_id::int8, made.object_id::int8, (gone.diff->>'op_type')::int8,
    ((gone.diff->>'amount')::numeric * 10000000000)::int8, made.at, 0, 0, 0, made.action = 'storno',
    (made.diff->>'reversal_of')::int8, gone.at, gone.user_id
  FROM audit_operations AS gone JOIN audit_operations AS made ON made.diff->>'op_id' = gone.object_id
  WHERE gone.table_name = 'FINANCE_OPERATIONS' AND gone.action = 'delete'
    AND made.table_name = 'ADMIN_ACCOUNTS' AND made.action IN ('operation', 'storno')
    AND NOT EXISTS (SELECT FROM finance_operations WHERE op_id = gone.object_id::int8)
  ON CONFLICT DO NOTHING`

const sumsBefore = `
  UPDATE removed_operations SET aa_debit = stood.debit, aa_credit = stood.credit, aa_ostatok = stood.debit - stood.credit
  FROM (SELECT op_id, removed, coalesce(sum(greatest(op_summa, 0)) OVER before, 0) AS debit,
      coalesce(-sum(least(op_summa, 0)) OVER before, 0) AS credit
    FROM (SELECT account_id, op_id, op_summa, true AS removed FROM removed_operations UNION ALL
      SELECT account_id, op_id, op_summa, false FROM finance_operations
      WHERE account_id IN (SELECT account_id FROM removed_operations)) AS records
    WINDOW before AS (PARTITION BY account_id ORDER BY op_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS stood
  WHERE stood.removed AND removed_operations.op_id = stood.op_id`

/** The same hash as nextLink of the domain, one after the other; by sets, because a million operations are nothing unusual. */
const chainAll = `
  SET LOCAL tollgate.writer = 'on';
  SET LOCAL jit = off;
  CREATE FUNCTION pg_temp.next_hash(head text, facts text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT encode(sha256(convert_to(head || '|' || facts, 'UTF8')), 'hex') $$;
  CREATE AGGREGATE pg_temp.chained(text) (sfunc = pg_temp.next_hash, stype = text, initcond = '');
  CREATE TEMP TABLE chain ON COMMIT DROP AS
  SELECT account_id, op_id, (row_number() OVER walk)::int4 AS seq, decode(pg_temp.chained(concat_ws('|', op_id, account_id, op_type_id,
      op_summa, floor(extract(epoch FROM system_date) * 1000), aa_ostatok, aa_debit, aa_credit)) OVER walk, 'hex') AS hash
  FROM (SELECT account_id, op_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit, aa_credit FROM finance_operations UNION ALL
    SELECT account_id, op_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit, aa_credit FROM removed_operations) AS records
  WINDOW walk AS (PARTITION BY account_id ORDER BY op_id);
  ANALYZE chain;
  UPDATE finance_operations AS operation SET chain_seq = chain.seq, chain_hash = chain.hash
    FROM chain WHERE operation.op_id = chain.op_id;
  UPDATE removed_operations AS gone SET chain_seq = chain.seq, chain_hash = chain.hash FROM chain WHERE gone.op_id = chain.op_id;
  UPDATE admin_accounts AS account SET chain_length = seq, chain_head = hash
    FROM (SELECT DISTINCT ON (account_id) account_id, seq, hash FROM chain ORDER BY account_id, seq DESC) AS last
    WHERE account.id = last.account_id`
