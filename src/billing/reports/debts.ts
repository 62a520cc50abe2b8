import { defaultOrganization, type OrganizationId } from '../../domain/ids.ts'
import { Parameters } from '../../platform/storage/parameters.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { rewriting, type TransactionScope } from '../../platform/storage/transactions.ts'
import { bucketSql, operationsOf } from './facts.ts'
import { keptRows, partMs, patient } from './parts.ts'

/** What is kept of an account below zero, and what the sums of debts are by. */
const what = ['day', 'organization_id', 'departed'] as const
const by = what.join(', ')
const debtor = `account_id, ${by}, debt`

/** Where more has changed, all accounts below zero are looked at. */
const bucketsMax = 16
const marksMax = 10_000

/**
 * What has changed since debts were summed up: accounts of the operations in these buckets and marked ones. `any`: no
 * account is known not to have, as after the night's charges, another TIME_ZONE, or before the first run.
 */
type Changed = { readonly buckets: readonly string[]; readonly marks: number } | 'any'

/**
 * Days are those of `zone`, which is TIME_ZONE and that of the session. A bucket that lost an operation may have got
 * another one since and count as many as before, so the buckets in which a marked account ever lost one are looked at
 * too.
 */
async function changedSince(client: Client, zone: string): Promise<Changed> {
  const text = `SELECT (SELECT bool_and(zone = $1) FROM report_debt_parts) AS counted,
    (SELECT count(*)::int4 FROM report_debt_marks) AS marks,
    ARRAY(SELECT bucket FROM (${keptRows}) AS kept FULL JOIN report_debt_parts AS part USING (bucket)
      WHERE kept.rows IS DISTINCT FROM part.rows
      UNION SELECT ${bucketSql('removed.op_id')} FROM removed_operations AS removed
        WHERE account_id IN (SELECT account_id FROM report_debt_marks)
      LIMIT ${bucketsMax + 1})::text[] AS buckets`
  const { rows } = await client.query<{ counted: boolean | null; marks: number; buckets: string[] }>(
    patient({ text, values: [zone] }),
  )
  const { counted, marks, buckets } = rows[0]!
  return counted !== true || marks > marksMax || buckets.length > bucketsMax ? 'any' : { buckets, marks }
}

/** SQL: the ids of accounts whose debt may be another than that which is summed up. */
const concernedSql = (changed: Changed, parameters: Parameters): string =>
  changed === 'any'
    ? `SELECT account_id FROM report_debtors UNION SELECT id FROM admin_accounts WHERE debt_since IS NOT NULL`
    : `SELECT operation.account_id FROM ${operationsOf(parameters.place(changed.buckets))}
        UNION SELECT account_id FROM report_debt_marks`

/** SQL: those that are below zero, of some accounts called `account`. The organization is that of the main client. */
const debtorsSql = (accounts: string): string => `SELECT account.id AS account_id, account.debt_since::date AS day,
    coalesce(client.organization_id, ${defaultOrganization}) AS organization_id, coalesce(client.deleted, false) AS departed,
    -account.ostatok AS debt
  FROM ${accounts} LEFT JOIN abonents AS client ON client.account_id = account.id AND client.is_main
  WHERE account.debt_since IS NOT NULL`

/** Looked up one by one: the planner thinks of more than there are, and would read all accounts. */
const concernedAccounts = `concerned CROSS JOIN LATERAL
  (SELECT id, debt_since, ostatok FROM admin_accounts WHERE id = concerned.account_id OFFSET 0) AS account`

/** SQL: `change`, the debtors that are to be added to what is summed up, and those that are to be taken away. */
const changeSql = (concerned: string): string => `WITH concerned AS MATERIALIZED (${concerned}),
  kept AS MATERIALIZED (SELECT ${debtor} FROM concerned CROSS JOIN LATERAL (SELECT ${by}, debt
    FROM report_debtors AS one WHERE one.account_id = concerned.account_id OFFSET 0) AS kept),
  found AS MATERIALIZED (${debtorsSql(concernedAccounts)}),
  change AS MATERIALIZED (SELECT 1 AS sign, * FROM (TABLE found EXCEPT TABLE kept) AS come
    UNION ALL SELECT -1, * FROM (TABLE kept EXCEPT TABLE found) AS gone)`

/** Brings the sums of debts to this moment, as roll_up_reports does every minute. */
export const sumUpDebts = (scope: TransactionScope): Promise<void> => {
  const zone = scope.timeZone()
  return rewriting({ ...scope, timeZone: () => zone }, (client) => sumUp(client, zone), partMs)
}

async function sumUp(client: Client, zone: string): Promise<void> {
  const changed = await changedSince(client, zone)
  if (changed !== 'any' && changed.buckets.length === 0 && changed.marks === 0) return
  const ask = (text: string, values: unknown[] = []) => client.query(patient({ text, values }))
  const parameters = new Parameters()
  await ask(
    `${changeSql(concernedSql(changed, parameters))},
      summed AS (INSERT INTO report_debts AS kept (${by}, accounts, debt)
        SELECT ${by}, sum(sign), sum(sign * debt) FROM change GROUP BY ${by}
        ON CONFLICT (${by}) DO UPDATE SET accounts = kept.accounts + excluded.accounts, debt = kept.debt + excluded.debt),
      free AS (DELETE FROM report_debtors
        WHERE account_id IN (SELECT account_id FROM change GROUP BY account_id HAVING max(sign) < 0))
      INSERT INTO report_debtors (${debtor}) SELECT ${debtor} FROM change WHERE sign > 0
      ON CONFLICT (account_id) DO UPDATE SET (${by}, debt) = (${[...what, 'debt'].map((name) => `excluded.${name}`)})`,
    parameters.values,
  )
  await ask('DELETE FROM report_debts WHERE accounts = 0')
  await ask('DELETE FROM report_debt_marks')
  await ask(`DELETE FROM report_debt_parts WHERE bucket NOT IN (SELECT bucket FROM (${keptRows}) AS kept)`)
  await ask(
    `INSERT INTO report_debt_parts (bucket, rows, zone)
      SELECT bucket, kept.rows, $1 FROM (${keptRows}) AS kept LEFT JOIN report_debt_parts AS part USING (bucket)
      WHERE (part.rows, part.zone) IS DISTINCT FROM (kept.rows, $1)
      ON CONFLICT (bucket) DO UPDATE SET (rows, zone) = (excluded.rows, excluded.zone)`,
    [zone],
  )
}

/** A debt or a sum of debts that is kept and should be another. Rubles x 10^10, null where there is none. */
export type DebtDifference = {
  /** Null: a sum. */
  readonly account_id: string | null
  readonly day: string
  readonly organization_id: string
  readonly kept: string | null
  readonly right: string | null
}

/**
 * Compares what is summed up with every account; what has changed since is left to the next run. Where something
 * differs, all of it is forgotten, and that run sums up every debt anew.
 */
export const proveDebts = (
  scope: TransactionScope,
): Promise<{ readonly debts: number; readonly differences: readonly DebtDifference[] }> => {
  const zone = scope.timeZone()
  return rewriting({ ...scope, timeZone: () => zone }, (client) => prove(client, zone), partMs)
}

async function prove(client: Client, zone: string) {
  const changed = await changedSince(client, zone)
  if (changed === 'any') return { debts: 0, differences: [] }
  const parameters = new Parameters()
  const text = `${changeSql(concernedSql('any', parameters))}
    SELECT account_id, day::text, organization_id, CASE WHEN sign < 0 THEN debt END AS kept, CASE WHEN sign > 0 THEN debt END AS right
      FROM change WHERE account_id NOT IN (${concernedSql(changed, parameters)})
    UNION ALL SELECT NULL, day::text, organization_id, kept.debt, right_one.debt
      FROM report_debts AS kept FULL JOIN (SELECT ${by}, count(*) AS accounts, sum(debt) AS debt
        FROM report_debtors GROUP BY ${by}) AS right_one USING (${by})
      WHERE (kept.accounts, kept.debt) IS DISTINCT FROM (right_one.accounts, right_one.debt)
    ORDER BY account_id, day`
  const { rows: differences } = await client.query<DebtDifference>(patient({ text, values: parameters.values }))
  const { rows } = await client.query<{ debts: number }>('SELECT count(*)::int4 AS debts FROM report_debtors')
  if (differences.length > 0)
    for (const table of ['report_debtors', 'report_debts', 'report_debt_parts'])
      await client.query(`DELETE FROM ${table}`)
  return { debts: rows[0]!.debts, differences }
}

/** Rubles as decimal text. */
export type DebtsOfAge = {
  /** How many of the ages' beginnings are reached; null: the sum of all. */
  readonly at: number | null
  readonly accounts: number
  readonly debt: string
  /** Of these the ones whose subscriber is deleted. */
  readonly departed_accounts: number
  readonly departed_debt: string
}

/**
 * Debts by their age, of this moment: what the sums do not have yet is read from the accounts in the same snapshot.
 * `beginnings`: the days from which the ages but the first count, upwards. `organizations`: whose debts; null: all.
 */
export async function readDebtsByAge(
  client: Client,
  zone: string,
  beginnings: readonly number[],
  organizations: readonly OrganizationId[] | null,
): Promise<readonly DebtsOfAge[]> {
  const parameters = new Parameters()
  const visible = parameters.add(organizations, 'int8[]')
  const sumsOf = (name: string, which = '') => `coalesce(sum(accounts) ${which}, 0)::int4 AS ${name}accounts,
    ${rublesSql(`coalesce(sum(debt) ${which}, 0)`)} AS ${name}debt`
  const text = `${countedSql(await changedSince(client, zone), parameters)}
    SELECT at, ${sumsOf('')}, ${sumsOf('departed_', 'FILTER (WHERE departed)')}
    FROM (SELECT width_bucket(current_date - day, ${parameters.add(beginnings, 'int4[]')}) AS at, departed, accounts, debt
      FROM counted WHERE ${visible} IS NULL OR organization_id = ANY(${visible})) AS aged
    GROUP BY GROUPING SETS ((at), ())`
  return (await client.query<DebtsOfAge>(patient({ text, values: parameters.values }))).rows
}

/** SQL: `counted`, the sums with what has changed since, or all debtors one by one. */
const countedSql = (changed: Changed, parameters: Parameters): string =>
  changed === 'any'
    ? `WITH counted AS (SELECT ${by}, 1 AS accounts, debt FROM (${debtorsSql('admin_accounts AS account')}) AS debtor)`
    : `${changeSql(concernedSql(changed, parameters))},
      counted AS (SELECT ${by}, accounts, debt FROM report_debts UNION ALL SELECT ${by}, sign, sign * debt FROM change)`
