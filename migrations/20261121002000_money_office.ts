import { Migration } from '@mikro-orm/migrations'

/**
 * What the money office keeps beside the first tables: the chain of every account's operations, the place that a removed operation
 * leaves in it, and what a promise payment and a charge must know of a subscriber. Operations that are there already are chained in
 * the order of their ids, as they were made.
 */
export class MoneyOffice extends Migration {
  override up(): void {
    this.addSql(columns)
    this.addSql(removed)
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

const chainAll = `
DO $$
DECLARE
  operation record;
  account int8;
  head text := '';
  seq int4 := 0;
BEGIN
  SET LOCAL tollgate.writer = 'on';
  FOR operation IN
    SELECT op_id, account_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit, aa_credit
    FROM finance_operations ORDER BY account_id, op_id
  LOOP
    IF operation.account_id IS DISTINCT FROM account THEN
      IF seq > 0 THEN
        UPDATE admin_accounts SET chain_length = seq, chain_head = decode(head, 'hex') WHERE id = account;
      END IF;
      account := operation.account_id;
      head := '';
      seq := 0;
    END IF;
    head := encode(sha256(convert_to(concat_ws('|', head, operation.op_id, operation.account_id, operation.op_type_id,
      operation.op_summa, floor(extract(epoch FROM operation.system_date) * 1000)::int8, operation.aa_ostatok, operation.aa_debit,
      operation.aa_credit), 'UTF8')), 'hex');
    seq := seq + 1;
    UPDATE finance_operations SET chain_seq = seq, chain_hash = decode(head, 'hex') WHERE op_id = operation.op_id;
  END LOOP;
  IF seq > 0 THEN
    UPDATE admin_accounts SET chain_length = seq, chain_head = decode(head, 'hex') WHERE id = account;
  END IF;
END $$`
