import type { ClientBase } from 'pg'
import type { Author } from '../../domain/author.ts'
import { importKey } from '../../domain/money-keys.ts'
import { operationTypes } from '../../domain/operation.ts'

/** The user in the audit of the command. */
export const commandAuthor: Author = { staffId: null, name: 'import_subscribers', address: '' }
/**
 * The marker makes the source of the operation `legacy` (contract section 5), because it is no payment. For the same
 * reason isbuhdoc is false, which keeps it out of the reports on payments.
 */
const description = '[legacy] Opening balance'
/** A payload of NOTIFY has to be shorter than 8000 bytes, and an id has at most 16 digits. */
const noticeIdsMax = 400

/** SQL: a member of a JSON object, `"name":[null,value]`; null for a null value. Made as text, which costs half. */
const createdText = (name: string, value: string) => `'"${name}":[null,' || to_json(${value})::text || ']'`
const createdNumber = (name: string, value: string) => `'"${name}":[null,' || ${value} || ']'`

/** SQL: the audit diff of a new record, from its members. Null values are left out. */
const createdDiff = (...members: readonly string[]): string =>
  `('{' || concat_ws(',', ${members.join(', ')}) || '}')::jsonb`

/** SQL: what the audit of an operation begins with. */
const postedDiff = `'{"op_id":' || op_id || ',"op_type":' || op_type_id || ',"amount":"' || amount || '"'`

/** An amount in rubles, as formatRubles writes it. */
const inRubles = (column: string) => `(${column}::numeric / 10000000000)::numeric(20, 2)::text`

/** SQL: the moment at which the operations are recorded, as exactly as the ledger knows moments. */
const recordedNow = `date_trunc('milliseconds', now())`

type Audit = {
  table: string
  id: string
  action: string
  diff: string
  of: 'fresh' | 'moved' | 'with_login' | 'blocked_ones'
}

/** SQL: a flag of a block that was set, where the condition holds. */
const setFlag = (flag: string, condition: string) => `CASE WHEN ${condition} THEN '"${flag}":[false,true]' END`

/** The same audit rows that interfaces and the ledger write for these changes (accounts/decision.ts). */
const audits: readonly Audit[] = [
  {
    ...{ table: 'ADMIN_ACCOUNTS', id: 'account_id', action: 'create', of: 'fresh' },
    diff: createdDiff(createdText('limit', inRubles('nullif("limit", 0)'))),
  },
  {
    ...{ table: 'ABONENTS', id: 'abonent_id', action: 'create', of: 'fresh' },
    diff: createdDiff(
      createdText('name', 'name'),
      createdText('contract_number', 'contract_number'),
      createdText('email', 'email'),
      createdText('sms', 'phone'),
      createdNumber('tarif', 'tarif_id'),
      createdNumber('account', 'account_id'),
      createdNumber('parent', 'folder_id'),
      createdNumber('organization', 'organization_id'),
      createdNumber('company', 'company'),
      createdText('address', 'address'),
      createdText('comment', 'comment'),
    ),
  },
  {
    ...{ table: 'USERS', id: 'user_id', action: 'create', of: 'with_login' },
    diff: createdDiff(
      createdNumber('abonent', 'abonent_id'),
      createdText('login', 'login'),
      createdText('password', `'***'::text`),
      createdText('ip', 'host(ip)'),
      createdText('mac', 'mac'),
      createdText('ipv6_prefix', 'network(ipv6_prefix)::text'),
      createdText('delegated_ipv6_prefix', 'network(delegated_ipv6_prefix)::text'),
      createdNumber('pool', 'pool_id'),
      createdNumber('simultaneous_use', 'simultaneous_use'),
      createdNumber('vlan', 'vlan'),
      createdNumber('radius_reply', 'radius_reply::text'),
      createdNumber('enabled', `CASE WHEN login_disabled THEN 'false' END`),
    ),
  },
  {
    ...{ table: 'FINANCE_OPERATIONS', id: 'op_id', action: 'create', of: 'moved' },
    diff: `(${postedDiff} || '}')::jsonb`,
  },
  {
    ...{ table: 'ADMIN_ACCOUNTS', id: 'account_id', action: 'operation', of: 'moved' },
    diff: `(${postedDiff} || ',"balance":["0.00","' || amount || '"]}')::jsonb`,
  },
  {
    ...{ table: 'ABONENTS_BLOCK', id: 'abonent_id', action: 'block', of: 'blocked_ones' },
    diff: `('{' || concat_ws(',', ${setFlag('b_negbal', 'debt')}, ${setFlag('b_admin', `blocked = 'operator'`)},
      ${setFlag('b_own', `blocked = 'client'`)}, '"enabled":[true,false]') || '}')::jsonb`,
  },
]

const auditRows = audits
  .map(
    ({ table, id, action, diff, of }) =>
      `SELECT author.*, '${table}', ${id}::text, '${action}', ${diff}, organization_id FROM ${of}, author`,
  )
  .join('\n  UNION ALL ')

/**
 * Announces the new rows to the running program, which reads them by id. `settled`: their accounts need no sweep
 * (storage/changes.ts).
 */
const noticesOf = (table: 'users' | 'abonents', id: string, rows: string): string =>
  `SELECT tollgate_tell(format('{"table":"${table}","ids":[%s],"settled":true}', string_agg(id::text, ',')))
  FROM (SELECT ${id} AS id, (row_number() OVER () - 1) / ${noticeIdsMax} AS part FROM ${rows}) AS named GROUP BY part`

/** What a login is made of, besides whose it is. */
const loginColumns = `login, password, ip, mac, ipv6_prefix, delegated_ipv6_prefix, pool_id, simultaneous_use, vlan, radius_reply, login_disabled`

/**
 * Creates the subscribers of a chunk's lines (staging.ts) with their accounts, logins, block records and opening
 * operations, in one statement.
 *
 * Apart from the account actors this is the only writer of balances, block flags and access switches. It writes only
 * those of accounts that it creates, which no actor can see before the commit. The domain decides the values
 * (opening.ts), and the rows are the same as those of accounts/commit-statement.ts: the snapshot of the account before
 * the operation, the position in the account's chain (domain/chain.ts), a permanent money key, and the audit.
 * The triggers that announce changes skip this writer (becomeWriter), because it announces its rows itself.
 */
const createSubscribers = `WITH
author AS MATERIALIZED (
  SELECT nullif(current_setting('tollgate.author_id'), '')::int8, current_setting('tollgate.author_name'),
    nullif(current_setting('tollgate.author_address'), '')),
numbered AS (
  SELECT *, nextval('admin_accounts_id_seq') AS account_id, nextval('abonents_id_seq') AS abonent_id,
    CASE WHEN login IS NOT NULL THEN nextval('users_id_seq') END AS user_id,
    CASE WHEN balance <> 0 THEN nextval('finance_operations_op_id_seq') END AS op_id,
    CASE WHEN balance > 0 THEN ${operationTypes.manualReceipt} ELSE ${operationTypes.manualExpense} END AS op_type_id,
    ${inRubles('balance')} AS amount
  FROM (SELECT * FROM import_lines WHERE of_line IS NULL ORDER BY line) AS ordered),
fresh AS MATERIALIZED (
  SELECT *, CASE WHEN op_id IS NOT NULL THEN sha256(convert_to(concat_ws('|', '', op_id, account_id, op_type_id, balance,
    floor(extract(epoch FROM now()) * 1000)::int8, 0, 0, 0), 'UTF8')) END AS chain_hash
  FROM numbered),
moved AS (SELECT * FROM fresh WHERE op_id IS NOT NULL),
further AS MATERIALIZED (
  SELECT nextval('users_id_seq') AS user_id, whose.abonent_id, whose.organization_id, whose.enabled, line.*
  FROM (SELECT of_line, ${loginColumns} FROM import_lines WHERE of_line IS NOT NULL ORDER BY line) AS line
  JOIN fresh AS whose ON whose.line = line.of_line),
with_login AS (
  SELECT user_id, abonent_id, organization_id, enabled, ${loginColumns} FROM fresh WHERE user_id IS NOT NULL
  UNION ALL SELECT user_id, abonent_id, organization_id, enabled, ${loginColumns} FROM further),
blocked_ones AS (SELECT * FROM fresh WHERE debt OR blocked IS NOT NULL),
made_accounts AS (
  INSERT INTO admin_accounts (id, ostatok, debit, credit, debt_since, "limit", last_operation_id, chain_length, chain_head)
  SELECT account_id, balance, receipts, write_offs, CASE WHEN balance < 0 THEN ${recordedNow} END, "limit", op_id, CASE WHEN op_id IS NULL THEN 0 ELSE 1 END,
    coalesce(chain_hash, '')
  FROM fresh),
made_subscribers AS (
  INSERT INTO abonents (id, name, contract_number, email, sms, enabled, tarif_id, account_id, parent_id, organization_id, company,
    address, comment, charged_from)
  SELECT abonent_id, name, contract_number, email, phone, enabled, tarif_id, account_id, folder_id, organization_id,
    coalesce(company, false), address, comment, charged_from
  FROM fresh),
made_blocks AS (
  INSERT INTO abonents_block (abonent_id, b_negbal, b_admin, b_own)
  SELECT abonent_id, debt, blocked IS NOT DISTINCT FROM 'operator', blocked IS NOT DISTINCT FROM 'client' FROM blocked_ones),
made_logins AS (
  INSERT INTO users (id, abonent_id, login, password, ip, mac, ipv6_prefix, delegated_ipv6_prefix, pool_id, simultaneous_use, vlan,
    radius_reply, enabled, disabled_by_hand)
  SELECT user_id, abonent_id, login, password, ip, mac, network(ipv6_prefix), network(delegated_ipv6_prefix), pool_id, coalesce(simultaneous_use, 1), vlan,
    coalesce(radius_reply, '[]'), enabled AND login_disabled IS NOT TRUE, login_disabled IS TRUE
  FROM with_login),
made_operations AS (
  INSERT INTO finance_operations (op_id, op_summa, op_type_id, abonent_id, account_id, descr, organization_id, aa_limit, isbuhdoc,
    chain_seq, chain_hash)
  SELECT op_id, balance, op_type_id, abonent_id, account_id, '${description}', organization_id, "limit", false, 1, chain_hash
  FROM moved),
made_keys AS (
  INSERT INTO money_keys (key, account_id, op_id, amount)
  SELECT ${importKey.sql('contract_number')}, account_id, op_id, balance FROM moved),
made_audits AS (
  INSERT INTO audit_operations (user_id, user_name, address, table_name, object_id, action, diff, organization_id)
  ${auditRows})
${noticesOf('users', 'user_id', 'with_login')}
UNION ALL
${noticesOf('abonents', 'abonent_id', 'fresh WHERE user_id IS NULL')}`

export async function becomeWriter(client: ClientBase, { staffId, name, address }: Author): Promise<void> {
  await client.query(
    `SELECT set_config('tollgate.writer', 'on', false), set_config('tollgate.author_id', $1, false),
      set_config('tollgate.author_name', $2, false), set_config('tollgate.author_address', $3, false)`,
    [staffId === null ? '' : String(staffId), name, address],
  )
}

export async function createChunk(client: ClientBase): Promise<void> {
  await client.query({ name: 'create-chunk', text: createSubscribers })
}

/** Updates the statistics: after a large import the planner would otherwise choose plans for small tables. */
export async function analyzeTables(client: ClientBase): Promise<void> {
  await client.query(
    'ANALYZE admin_accounts, abonents, abonents_block, users, finance_operations, money_keys, audit_operations',
  )
}
