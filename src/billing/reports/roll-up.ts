import type { Client } from '../../platform/storage/sql.ts'
import { rewriting, type TransactionScope } from '../../platform/storage/transactions.ts'
import type { Job } from '../jobs/jobs.ts'
import { sumUpDebts } from './debts.ts'
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
import { type Part, partMs, patient, staleParts } from './parts.ts'

/** A transaction sums up so many buckets, 131,072 operations at most. */
const partsAtOnce = 16
/** Or so many groups of buckets by day and month, once all buckets are summed up. */
const groupsAtOnce = 4

/**
 * roll_up_reports keeps the sums of reports (decision 025). Postings wait for nothing: it finds out afterwards which
 * buckets have other operations, and sums those up anew.
 */
export const reportRollUp = (scope: TransactionScope): Job => ({
  name: 'roll_up_reports',
  async run(_, stopping, tell = () => {}) {
    await sumUpDebts(scope)
    for (let parts = 0; ; ) {
      stopping.throwIfAborted()
      const { rolled, left, isOver } = await rollUpSome(scope)
      parts += rolled
      tell(parts, parts + left)
      if (isOver) return { parts }
    }
  },
})

type Rolled = { readonly rolled: number; readonly left: number; readonly isOver: boolean }

/** Sums up some of the buckets whose sums do not count; how many these were, and how many there are beside them. */
function rollUpSome({ database, timeZone }: TransactionScope): Promise<Rolled> {
  const zone = timeZone()
  return rewriting(
    { database, timeZone: () => zone },
    async (client) => {
      const parts = await staleParts(client, zone, partsAtOnce)
      await replaceSums(client, parts, zone)
      const left = (parts[0]?.stale ?? 0) - parts.length
      const groups = left > 0 ? groupsAtOnce : await sumUpGroups(client)
      return { rolled: parts.length, left, isOver: groups < groupsAtOnce }
    },
    partMs,
  )
}

const columnsOf = (names: readonly string[], unit = 'bucket'): string =>
  [unit, ...names, 'operations', 'income', 'expense'].join(', ')

/** In one snapshot: marks of later changes stay, and so do operations that were not yet there. */
async function replaceSums(client: Client, parts: readonly Part[], zone: string): Promise<void> {
  const buckets = parts.map(({ bucket }) => bucket)
  const ask = (text: string, values: unknown[]) => client.query(patient({ text, values }))
  // A bucket may be gone, and with it the last of its operations, before it was ever summed up.
  const isOver = `bucket NOT IN (SELECT bucket FROM row_counts WHERE table_name = 'finance_operations')`
  await ask(`DELETE FROM report_marks WHERE bucket = ANY($1::int8[]) OR ${isOver}`, [buckets])
  if (buckets.length === 0) return
  await forgetGroups(client, `SELECT ${groupSql('bucket')} FROM unnest($1::int8[]) AS bucket`, buckets)
  for (const table of ['report_sums', 'report_plain_sums', 'report_parts'])
    await ask(`DELETE FROM ${table} WHERE bucket = ANY($1::int8[])`, [buckets])
  await ask(`INSERT INTO report_sums (${columnsOf(dimensions)}) ${factsSql('$1')}`, [buckets])
  await ask(`INSERT INTO report_plain_sums (${columnsOf(plainDimensions)}) ${plainSumsSql('$1')}`, [buckets])
  await ask(
    `INSERT INTO report_parts (bucket, rows, zone) SELECT bucket, rows, $3
      FROM unnest($1::int8[], $2::int8[]) AS part (bucket, rows) WHERE rows > 0`,
    [buckets, parts.map(({ rows }) => rows), zone],
  )
}

/** Deletes the sums by day and by month of the groups that `query` selects, whose parameter is `ids`. */
async function forgetGroups(client: Client, query: string, ids: readonly string[]): Promise<void> {
  for (const table of ['report_groups', 'report_day_sums', 'report_month_sums'])
    await client.query(patient({ text: `DELETE FROM ${table} WHERE bucket_group IN (${query})`, values: [ids] }))
}

/** Groups that nothing is added to any more, and that have changed or are new; the last one is still being filled. */
const newGroupsSql = `SELECT DISTINCT ${groupSql('bucket')} AS bucket_group FROM report_parts
    WHERE ${groupSql('bucket')} < (SELECT ${groupSql('max(bucket)')} FROM report_parts)
  EXCEPT SELECT bucket_group FROM report_groups WHERE has_days ORDER BY 1 LIMIT $1`

/** Makes the sums by day and by month of some groups that have none; how many these were. */
async function sumUpGroups(client: Client): Promise<number> {
  const ask = <Row extends object>(text: string, values: unknown[]) => client.query<Row>(patient({ text, values }))
  const { rows } = await ask<{ bucket_group: string }>(newGroupsSql, [groupsAtOnce])
  if (rows.length === 0) return 0
  const groups = rows.map(({ bucket_group }) => bucket_group)
  // Of a node of the release before there may be a group without days, or days without their group.
  await forgetGroups(client, 'SELECT unnest($1::int8[])', groups)
  await ask('INSERT INTO report_groups (bucket_group, has_days) SELECT unnest($1::int8[]), true', [groups])
  await ask(`INSERT INTO report_day_sums (${columnsOf(dimensions, 'bucket_group')}) ${daySumsSql('$1')}`, [groups])
  await ask(`INSERT INTO report_month_sums (${columnsOf(monthDimensions, 'bucket_group')}) ${monthSumsSql('$1')}`, [
    groups,
  ])
  return rows.length
}
