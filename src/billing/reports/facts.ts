import { defaultOrganization } from '../../domain/ids.ts'
import { sourceSql } from '../accounts/operation-source.ts'

/** What a report may be split by: the columns of a fact, which are those of report_sums and report_day_sums. */
export const dimensions = [
  'day',
  'organization_id',
  'op_type_id',
  'channel',
  'owner_id',
  'tarif_id',
  'is_document',
] as const

/** Those of report_plain_sums. */
export const plainDimensions = dimensions.filter((name) => name !== 'tarif_id')

const sumsOfSums = 'sum(operations)::int8 AS operations, sum(income) AS income, sum(expense) AS expense'

/** SQL: the plain sums of the buckets in the array `buckets`, of those with the tariff. */
export const plainSumsSql = (buckets: string): string =>
  `SELECT bucket, ${plainDimensions.join(', ')}, ${sumsOfSums}
    FROM report_sums WHERE bucket = ANY(${buckets}::int8[]) GROUP BY bucket, ${plainDimensions.join(', ')}`

/** Those of report_month_sums. */
export const monthDimensions = dimensions.map((name) => (name === 'day' ? 'month' : name))

const groupBits = 6

/** SQL: the group of 64 buckets that a bucket is of. */
export const groupSql = (bucket: string): string => `(${bucket} >> ${groupBits})`

/** SQL: the sums by day of the groups in the array `groups`, of those by bucket. */
export const daySumsSql = (
  groups: string,
): string => `SELECT ${groupSql('bucket')} AS bucket_group, ${dimensions.join(', ')}, ${sumsOfSums}
  FROM report_sums WHERE bucket = ANY(ARRAY(SELECT bucket FROM report_parts WHERE ${groupSql('bucket')} = ANY(${groups}::int8[])))
  GROUP BY 1, ${dimensions.join(', ')}`

/** SQL: the sums by month of the groups in the array `groups`, of those by day. */
export const monthSumsSql = (groups: string): string =>
  `SELECT bucket_group, date_trunc('month', day::timestamp)::date AS month, ${dimensions.slice(1).join(', ')}, ${sumsOfSums}
    FROM report_day_sums WHERE bucket_group = ANY(${groups}::int8[]) GROUP BY 1, 2, ${dimensions.slice(1).join(', ')}`

/** Operations by id, 8192 together, as row_counts has them. */
const bucketBits = 13

/** SQL: the bucket of an operation. */
export const bucketSql = (operationId: string): string => `${operationId} >> ${bucketBits}`

/** SQL: the operations of some buckets as `operation`. The planner walks along the ids of each. */
export const operationsOf = (buckets: string): string => `unnest(${buckets}::int8[]) AS part (bucket)
  CROSS JOIN LATERAL (SELECT * FROM finance_operations
    WHERE op_id >= part.bucket << ${bucketBits} AND op_id < (part.bucket + 1) << ${bucketBits}) AS operation`

/**
 * SQL: the tariff that the subscriber of an operation had when the money moved, 0 for none: what a later change has put
 * aside, or else that of today. `row` is an alias of finance_operations.
 */
const tariffOfSql = (row: string): string => `coalesce(
    (SELECT coalesce(past.tarif_id, 0) FROM past_tariffs AS past
      WHERE past.abonent_id = ${row}.abonent_id AND past.until > ${row}.op_date ORDER BY past.until, past.id LIMIT 1),
    (SELECT client.tarif_id FROM abonents AS client WHERE client.id = ${row}.abonent_id), 0)`

/** SQL: whether that was this tariff, whose id is the value of `parameter`; 0 for none. */
export const isOfTariffSql = (row: string, parameter: string): string => `${tariffOfSql(row)} = ${parameter}`

/** Who have a tariff that so many have are dearer to look for than the tariff of each of some thousand operations. */
const commonMin = 5_000

/**
 * SQL: what holds for all operations of a tariff. Those of subscribers who never had it are told by a set, because to
 * look up the tariff of each of a million operations takes seconds. `unlessCommon` has no such set where very many have
 * the tariff, for conditions over few operations.
 */
export function mayBeOfTariffSql(row: string, tariff: number, parameter: string) {
  const has = tariff === 0 ? 'coalesce(tarif_id, 0) = 0' : `tarif_id = ${parameter}`
  const ever = `SELECT id FROM abonents WHERE ${has} UNION ALL SELECT abonent_id FROM past_tariffs WHERE ${has}`
  const nobody = tariff === 0 ? `${row}.abonent_id IS NULL OR ` : ''
  const isAmong = `${nobody}${row}.abonent_id IN (${ever})`
  const holders = `(SELECT count(*) FROM (SELECT FROM abonents WHERE ${has} LIMIT ${commonMin}) AS holder)`
  return { always: `(${isAmong})`, unlessCommon: `(${holders} = ${commonMin} OR ${isAmong})` }
}

const facts = {
  day: 'operation.op_date::date',
  organization_id: `coalesce(operation.organization_id, ${defaultOrganization})`,
  op_type_id: 'operation.op_type_id',
  channel: sourceSql('operation'),
  owner_id: 'coalesce(operation.owner_id, 0)',
  tarif_id: tariffOfSql('operation'),
  is_document: 'operation.isbuhdoc',
} as const satisfies Record<(typeof dimensions)[number], string>

/**
 * SQL: the operations of the buckets in the array `buckets`, summed up by bucket and by every dimension. A day is that
 * of op_date in the session's time zone. Both an operation that was reversed and its reversal count, each on its day,
 * as they do in the totals of lists.
 */
export const factsSql = (buckets: string): string => `SELECT part.bucket, ${dimensions
  .map((name) => `${facts[name]} AS ${name}`)
  .join(', ')}, count(*) AS operations,
    coalesce(sum(operation.op_summa) FILTER (WHERE operation.op_summa > 0), 0) AS income,
    coalesce(sum(operation.op_summa) FILTER (WHERE operation.op_summa < 0), 0) AS expense
  FROM ${operationsOf(buckets)} GROUP BY ${[1, ...dimensions.map((_, at) => at + 2)].join(', ')}`
