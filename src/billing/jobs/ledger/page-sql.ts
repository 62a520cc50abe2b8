import { keptOfRemoved } from '../../../platform/storage/entities/accounts.ts'
import { columnList } from '../../../platform/storage/entity.ts'

const recordColumns = columnList(keptOfRemoved)

/** SQL: a moment in UTC to the millisecond, which is as exactly as the ledger knows moments. */
const momentText = (moment: string): string => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Verifies a page of accounts (after $1 up to $2) in one statement, so that it sees one snapshot whatever is posted
 * meanwhile.
 *
 * `records` are the operations and what is kept of removed ones; `walked` puts each record of an account beside its
 * neighbours in the chain; `judged` names the fault of a record; the result has the first fault of each account, or the
 * fault of the account as a whole. Arithmetic is numeric, because values written by hand may overflow int8.
 */
export const pageProof = `WITH
page AS MATERIALIZED (
  SELECT id, ostatok, debit, credit, debt_since, last_operation_id, chain_length, chain_head FROM admin_accounts WHERE id > $1 AND id <= $2),
records AS MATERIALIZED (
  SELECT ${recordColumns}, false AS removed
  FROM finance_operations WHERE account_id > $1 AND account_id <= $2
  UNION ALL
  SELECT ${recordColumns}, true
  FROM removed_operations WHERE account_id > $1 AND account_id <= $2),
walked AS MATERIALIZED (
  SELECT *, row_number() OVER chain AS place, lead(op_id) OVER chain IS NULL AS is_last,
    lag(op_id) OVER chain AS before_id, coalesce(lag(chain_seq) OVER chain, 0) AS before_seq,
    coalesce(encode(lag(chain_hash) OVER chain, 'hex'), '') AS before_hash,
    coalesce(lag(aa_ostatok::numeric + op_summa) OVER chain, 0) AS balance_due,
    coalesce(lag(aa_debit::numeric + greatest(op_summa, 0)) OVER chain, 0) AS receipts_due,
    coalesce(lag(aa_credit::numeric - least(op_summa, 0)) OVER chain, 0) AS write_offs_due,
    lead(aa_ostatok) OVER chain AS balance_after
  FROM records WINDOW chain AS (PARTITION BY account_id ORDER BY chain_seq, removed, op_id)),
hashed AS (
  SELECT walked.*, chain_length, coalesce(balance_after, ostatok)::numeric - aa_ostatok AS amount_due,
    aa_ostatok <> balance_due OR aa_debit <> receipts_due OR aa_credit <> write_offs_due AS strays,
    sha256(convert_to(concat_ws('|', before_hash, op_id, account_id, op_type_id, op_summa,
      floor(extract(epoch FROM system_date) * 1000), aa_ostatok, aa_debit, aa_credit), 'UTF8')) AS hash_due
  FROM walked JOIN page ON page.id = account_id),
reversals AS (
  SELECT account_id, related_operation_id AS op_id, min(op_id) AS reversal_id FROM records
  WHERE related_operation_id IS NOT NULL GROUP BY account_id, related_operation_id),
originals AS (SELECT account_id AS original_account, op_id AS original_id, op_summa AS original_amount FROM records),
judged AS (
  SELECT *, CASE
    WHEN chain_seq IS NULL OR chain_hash IS NULL THEN 'unchained'
    WHEN chain_seq <= before_seq THEN 'doubled'
    WHEN chain_seq > before_seq + 1 THEN 'gap'
    WHEN chain_seq > chain_length THEN 'uncounted'
    WHEN strays THEN 'snapshot'
    WHEN chain_hash <> hash_due THEN CASE WHEN op_summa <> amount_due THEN 'amount' ELSE 'facts' END
    WHEN related_operation_id IS NOT NULL AND original_id IS NULL THEN 'strayReversal'
    WHEN related_operation_id IS NOT NULL AND op_summa::numeric <> -original_amount::numeric THEN 'reversalAmount'
    WHEN NOT storno AND (related_operation_id IS NOT NULL OR (reversal_id IS NOT NULL AND NOT removed)) THEN 'unmarked'
    -- Who takes back a record that is gone has nobody to name; the place of that record still knows the amount.
    WHEN storno AND NOT removed AND related_operation_id IS NULL AND reversal_id IS NULL AND NOT EXISTS (
      SELECT FROM removed_operations AS gone WHERE gone.account_id = hashed.account_id AND gone.op_id <> hashed.op_id
        AND gone.op_summa::numeric = -hashed.op_summa::numeric) THEN 'markedAlone'
    END AS fault
  FROM hashed LEFT JOIN reversals USING (account_id, op_id)
    LEFT JOIN originals ON original_account = account_id AND original_id = related_operation_id),
firsts AS MATERIALIZED (
  SELECT DISTINCT ON (account_id) * FROM judged WHERE fault IS NOT NULL ORDER BY account_id, place),
totals AS MATERIALIZED (
  SELECT account_id, count(*) AS records, sum(op_summa) AS sum, sum(greatest(op_summa, 0)) AS receipts,
    -sum(least(op_summa, 0)) AS write_offs,
    max(op_id) FILTER (WHERE is_last) AS end_id, max(chain_seq) AS end_seq,
    coalesce(max(encode(chain_hash, 'hex')) FILTER (WHERE is_last), '') AS end_hash,
    (array_agg(op_id ORDER BY chain_seq DESC) FILTER (WHERE NOT removed))[1] AS last_id,
    (array_agg(system_date ORDER BY place DESC) FILTER (WHERE aa_ostatok >= 0 AND aa_ostatok::numeric + op_summa < 0))[1] AS fell_at
  FROM walked GROUP BY account_id),
summed AS (
  SELECT page.*, end_id, coalesce(end_seq, 0) AS end_seq, coalesce(end_hash, '') AS end_hash, last_id,
    CASE WHEN ostatok < 0 THEN ${momentText('fell_at')} END AS since_due, ${momentText('debt_since')} AS since,
    coalesce(sum, 0) AS sum, coalesce(receipts, 0) AS receipts, coalesce(write_offs, 0) AS write_offs
  FROM page LEFT JOIN totals ON account_id = id),
accounts AS (
  SELECT *,
    CASE
      WHEN chain_length > end_seq THEN 'endGone'
      WHEN encode(chain_head, 'hex') <> end_hash THEN 'head'
      WHEN ostatok::numeric <> sum THEN 'balance'
      WHEN debit::numeric <> receipts THEN 'receipts'
      WHEN credit::numeric <> write_offs THEN 'writeOffs'
      WHEN last_operation_id IS DISTINCT FROM last_id THEN 'lastOperation'
      WHEN since IS DISTINCT FROM since_due THEN 'debtSince'
    END AS fault
  FROM summed),
broken AS (
  SELECT id AS account_id, coalesce(firsts.fault, accounts.fault) AS fault, jsonb_strip_nulls(
    CASE WHEN firsts.fault IS NOT NULL THEN jsonb_build_object('op', firsts.op_id::text, 'seq', chain_seq::text,
        'removed', firsts.removed, 'before', before_id::text, 'before_seq', before_seq::text, 'length', firsts.chain_length::text,
        'amount', op_summa::text, 'amount_due', amount_due::text,
        'balance', aa_ostatok::text, 'balance_due', balance_due::text, 'receipts', aa_debit::text,
        'receipts_due', receipts_due::text, 'write_offs', aa_credit::text, 'write_offs_due', write_offs_due::text,
        'hash', encode(chain_hash, 'hex'), 'hash_due', encode(hash_due, 'hex'), 'storno', storno,
        'original', related_operation_id::text, 'original_amount', original_amount::text, 'reversal', reversal_id::text)
      ELSE jsonb_build_object('length', accounts.chain_length::text, 'seq', end_seq::text, 'before', end_id::text,
        'hash', encode(chain_head, 'hex'), 'hash_due', end_hash, 'balance', ostatok::text, 'balance_due', accounts.sum::text,
        'receipts', debit::text, 'receipts_due', accounts.receipts::text, 'write_offs', credit::text,
        'write_offs_due', accounts.write_offs::text, 'last', coalesce(last_operation_id::text, 'none'),
        'last_due', coalesce(last_id::text, 'none'), 'since', coalesce(since, 'none'), 'since_due', coalesce(since_due, 'none')) END) AS facts
  FROM accounts LEFT JOIN firsts ON firsts.account_id = id
  WHERE firsts.fault IS NOT NULL OR accounts.fault IS NOT NULL)
SELECT (SELECT count(*) FROM page)::int4 AS accounts,
  (SELECT count(*) FROM records WHERE NOT removed)::int4 AS operations,
  (SELECT count(*) FROM records WHERE removed)::int4 AS removed,
  (SELECT coalesce(jsonb_agg(to_jsonb(broken) ORDER BY account_id), '[]') FROM broken) AS broken`

/**
 * Of the next $2 keys after $1, those that name no operation of their account or one with another amount; and the last
 * key examined. A command that posts nothing, such as a planned change of tariff, leaves a key of neither.
 */
export const keyProof = `WITH
looked_at AS MATERIALIZED (SELECT * FROM money_keys WHERE key > $1 ORDER BY key LIMIT $2),
wrong AS (
  SELECT taken.account_id, jsonb_strip_nulls(jsonb_build_object('key', taken.key, 'target', coalesce(taken.op_id::text, 'none'),
      'amount', coalesce(taken.amount, 0)::text, 'account', coalesce(operation.account_id, gone.account_id)::text,
      'found', coalesce(operation.op_summa, gone.op_summa)::text)) AS facts
  FROM looked_at AS taken LEFT JOIN finance_operations AS operation ON operation.op_id = taken.op_id
    LEFT JOIN removed_operations AS gone ON gone.op_id = taken.op_id
  WHERE NOT (taken.op_id IS NULL AND taken.amount IS NULL)
    AND (coalesce(operation.account_id, gone.account_id) IS DISTINCT FROM taken.account_id
      OR coalesce(operation.op_summa, gone.op_summa) IS DISTINCT FROM taken.amount))
SELECT (SELECT max(key) FROM looked_at) AS last,
  (SELECT coalesce(jsonb_agg(to_jsonb(wrong) ORDER BY account_id, facts->>'key'), '[]') FROM wrong) AS wrong`
