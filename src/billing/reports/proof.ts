import type { Pool } from 'pg'
import type { Client } from '../../platform/storage/sql.ts'
import { rewriting, type TransactionScope } from '../../platform/storage/transactions.ts'
import { type Job, JobFailure } from '../jobs/jobs.ts'
import { type DebtDifference, proveDebts } from './debts.ts'
import {
  daySumsSql,
  dimensions,
  factsSql,
  groupSql,
  monthDimensions,
  monthSumsSql,
  plainDimensions,
  plainSumsSql,
} from './facts.ts'
import { partMs, patient, staleParts } from './parts.ts'

/** A snapshot compares so many buckets, 131,072 operations at most. */
const partsAtOnce = 16
/** Or so many groups of buckets with their days and months. */
const groupsAtOnce = 4
/** How many differences the record of a run keeps. */
const keptMax = 20

/** A sum that is not what the operations say. Rubles x 10^10, null where there is none. */
type Difference = { bucket: string; day: string; op_type_id: string; kept: string | null; right: string | null }

/**
 * verify_reports: the nightly proof that the sums of reports are those of the operations, and those of debts, which
 * count as one part, those of the accounts. What does not count at the moment is left to roll_up_reports. What differs
 * is marked, so that it is summed up anew, and the run counts as failed.
 */
export const reportProof = (scope: TransactionScope): Job => ({
  name: 'verify_reports',
  async run(_, stopping, tell = () => {}) {
    const sums = { parts: 0, operations: 0, wrong: 0 }
    const differences: (Difference | DebtDifference)[] = []
    for (let after: string | null = null, seen = 0; ; ) {
      stopping.throwIfAborted()
      const page = await proveSome(scope, after)
      seen += page.seen
      if (page.seen > 0) tell(seen, page.kept)
      sums.parts += page.parts
      sums.operations += page.operations
      sums.wrong += new Set(page.differences.map(({ bucket }) => bucket)).size
      differences.push(...page.differences.slice(0, keptMax - differences.length))
      if (page.last === null) break
      after = page.last
    }
    for (let after: string | null = null; ; ) {
      stopping.throwIfAborted()
      const page = await proveSomeGroups(scope, after)
      sums.wrong += new Set(page.differences.map(({ bucket }) => bucket)).size
      differences.push(...page.differences.slice(0, keptMax - differences.length))
      if (page.last === null) break
      after = page.last
    }
    stopping.throwIfAborted()
    const { debts, differences: ofDebts } = await proveDebts(scope)
    if (ofDebts.length > 0) sums.wrong += 1
    differences.push(...ofDebts.slice(0, keptMax - differences.length))
    const result = { ...sums, debts, differences }
    if (sums.wrong > 0) throw new JobFailure(`${sums.wrong} parts of the reports are wrong.`, result)
    return result
  },
})

/** How many parts the last whole proof found wrong, in this program or another; null before the first one. */
export async function lastReportProof(pool: Pool): Promise<{ wrong: number; at: Date } | null> {
  const { rows } = await pool.query<{ wrong: number; ended_at: Date }>(
    `SELECT (result->>'wrong')::int4 AS wrong, ended_at FROM job_runs
      WHERE name = 'verify_reports' AND result ? 'wrong' AND ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1`,
  )
  return rows[0] ? { wrong: rows[0].wrong, at: rows[0].ended_at } : null
}

type Page = {
  /** How many parts were looked at, and how many there are in all. */
  readonly seen: number
  readonly kept: number
  /** How many of them have sums that count. */
  readonly parts: number
  readonly operations: number
  /** The last bucket that was looked at; null: there are no more. */
  readonly last: string | null
  readonly differences: readonly Difference[]
}

function proveSome({ database, timeZone }: TransactionScope, after: string | null): Promise<Page> {
  const zone = timeZone()
  return rewriting(
    { database, timeZone: () => zone },
    async (client) => {
      const { rows: page } = await client.query<{ bucket: string; rows: string; kept: number }>(
        `SELECT bucket, rows, (SELECT count(*)::int4 FROM report_parts) AS kept
          FROM report_parts WHERE bucket > $1 OR $1::int8 IS NULL ORDER BY bucket LIMIT $2`,
        [after, partsAtOnce],
      )
      const stale = new Set((await staleParts(client, zone, Number.MAX_SAFE_INTEGER)).map(({ bucket }) => bucket))
      const proven = page.filter(({ bucket }) => !stale.has(bucket))
      return {
        seen: page.length,
        kept: page[0]?.kept ?? 0,
        parts: proven.length,
        operations: proven.reduce((sum, { rows }) => sum + Number(rows), 0),
        last: page.length < partsAtOnce ? null : page.at(-1)!.bucket,
        differences: await compare(
          client,
          proven.map(({ bucket }) => bucket),
        ),
      }
    },
    partMs,
  )
}

const measures = ['operations', 'income', 'expense'] as const
const rowOf = (table: string) => `ROW(${measures.map((name) => `${table}.${name}`).join(', ')})`

/** SQL: the sums of a table that are not those of a query, whose first names are those of its unit and its time. */
const differing = (table: string, query: string, [unit, time, ...names]: readonly string[]): string =>
  `SELECT ${unit} AS bucket, ${time}::text AS day, op_type_id, kept.income + kept.expense AS kept, fact.income + fact.expense AS right
    FROM (SELECT * FROM ${table} WHERE ${unit} = ANY($1::int8[])) AS kept
      FULL JOIN (${query}) AS fact USING (${[unit, time, ...names].join(', ')})
    WHERE ${rowOf('kept')} IS DISTINCT FROM ${rowOf('fact')}`

const differencesSql = `${differing('report_sums', factsSql('$1'), ['bucket', ...dimensions])}
  UNION ALL ${differing('report_plain_sums', plainSumsSql('$1'), ['bucket', ...plainDimensions])} ORDER BY 1, 2, 3`

const groupDifferencesSql = `${differing('report_day_sums', daySumsSql('$1'), ['bucket_group', ...dimensions])}
  UNION ALL ${differing('report_month_sums', monthSumsSql('$1'), ['bucket_group', ...monthDimensions])} ORDER BY 1, 2, 3`

async function compare(client: Client, buckets: readonly string[]): Promise<readonly Difference[]> {
  const differences = await differencesOf(client, differencesSql, buckets)
  await mark(client, differences)
  return differences
}

/** Of buckets or groups. */
async function differencesOf(client: Client, text: string, units: readonly string[]): Promise<readonly Difference[]> {
  if (units.length === 0) return []
  return (await client.query<Difference>(patient({ text, values: [units] }))).rows
}

/** The next run of roll_up_reports sums these buckets up anew. */
async function mark(client: Client, differences: readonly Difference[]): Promise<void> {
  const wrong = [...new Set(differences.map(({ bucket }) => bucket))]
  if (wrong.length > 0) await client.query('INSERT INTO report_marks (bucket) SELECT unnest($1::int8[])', [wrong])
}

/**
 * Whether the sums by day of a group are those of its buckets, and those by month are those by day. They are made of
 * them, and gone before these change, so it does not matter which buckets count at the moment. The first bucket of a
 * wrong group is marked, and with it the group; one with a mark is made anew anyway.
 */
function proveSomeGroups(
  { database, timeZone }: TransactionScope,
  after: string | null,
): Promise<Pick<Page, 'last' | 'differences'>> {
  const zone = timeZone()
  return rewriting(
    { database, timeZone: () => zone },
    async (client) => {
      const { rows: page } = await client.query<{ bucket_group: string; bucket: string }>(
        `SELECT bucket_group, min(bucket) AS bucket FROM report_groups JOIN report_parts ON bucket_group = ${groupSql('bucket')}
          WHERE has_days AND (bucket_group > $1 OR $1::int8 IS NULL)
            AND bucket_group NOT IN (SELECT ${groupSql('marked.bucket')} FROM report_marks AS marked)
          GROUP BY bucket_group ORDER BY bucket_group LIMIT $2`,
        [after, groupsAtOnce],
      )
      const groups = page.map(({ bucket_group }) => bucket_group)
      const firsts = new Map(page.map(({ bucket_group, bucket }) => [bucket_group, bucket]))
      const found = await differencesOf(client, groupDifferencesSql, groups)
      const differences = found.map((one) => ({ ...one, bucket: firsts.get(one.bucket)! }))
      await mark(client, differences)
      return { last: groups.length < groupsAtOnce ? null : groups.at(-1)!, differences }
    },
    partMs,
  )
}
