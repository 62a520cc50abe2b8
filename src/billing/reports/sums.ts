import type { OperationSource } from '../../domain/operation-source.ts'
import { type Day, firstDay, lastDay, monthBefore, monthOf, nextMonth, type Span } from '../../domain/calendar.ts'
import { Parameters } from '../../platform/storage/parameters.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { dimensions, factsSql, groupSql, plainDimensions } from './facts.ts'
import { type Part, patient, staleParts } from './parts.ts'

/** What the rows and the columns of a report may be, by the column of a fact. */
const columnOf = {
  type: 'op_type_id',
  day: 'day',
  month: 'day',
  channel: 'channel',
  cashier: 'owner_id',
  tariff: 'tarif_id',
  organization: 'organization_id',
} as const

export type Split = keyof typeof columnOf
export const splits = Object.keys(columnOf) as readonly Split[]

/** Which operations a report is of. Days are those of TIME_ZONE, both of them included. */
export type Question = {
  readonly from: Day
  readonly to: Day
  /** The organizations that the caller sees; null: all. */
  readonly organizations: readonly number[] | null
  readonly types: readonly number[] | null
  readonly channel: OperationSource | null
  /** 0: automatic. */
  readonly cashier: number | null
  /** 0: none. */
  readonly tariff: number | null
  /** Service operations stay out of reports. */
  readonly onlyDocuments: boolean
  readonly by: Split
  readonly across: Split | null
}

/** The organizations of a question of somebody who sees `visible` (null: all) and perhaps asks for one. */
export const organizationsAsked = (
  visible: Question['organizations'],
  organization: number | undefined,
): Question['organizations'] =>
  organization === undefined ? visible : visible?.includes(organization) === false ? [] : [organization]

/** Rubles as decimal text. */
export type Sums = {
  readonly operations: number
  readonly income: string
  readonly expense: string
  readonly net: string
}

export type Answer = {
  /** By the key of the row, and of the column; a row without a key of the column is the sum of the row. */
  readonly rows: readonly (Sums & { readonly key: string; readonly across: string | null })[]
  /** By the keys of the columns. */
  readonly columns: readonly (Sums & { readonly key: string })[]
  readonly totals: Sums
}

/** More parts than this are not read afresh, unless the caller wants fewer: 2,097,152 operations. */
const freshMax = 256
/** A report by day of a lifetime has so many rows, and no screen shows more. */
const rowsMax = 20_000
/** Rows times columns, most of which may be empty: each is written into the answer by the main thread. */
const cellsMax = 40_000

/**
 * Why there are no sums: most of the operations are not summed up, as after an update or another TIME_ZONE; or the
 * table would have more rows or cells than anybody reads.
 */
export type Unanswered = 'notReady' | 'tooLarge'

/**
 * The sums that a question asks for. What the kept sums do not have yet is read from the operations in the same
 * snapshot, so that figures are those of this moment. `zone` is TIME_ZONE, and that of the session.
 */
export async function readSums(
  client: Client,
  question: Question,
  zone: string,
  partsMax = freshMax,
): Promise<Answer | Unanswered> {
  const stale = await staleParts(client, zone, partsMax + 1)
  if (stale.length > partsMax) return 'notReady'
  const parameters = new Parameters()
  const { by, across } = question
  const [row, column] = [columnOf[by], across === null ? 'NULL::text' : columnOf[across]]
  // Summed up by columns as they are before keys are made of them, because there may be a million facts.
  const text = `WITH ${factsOf(question, stale, parameters)},
    summed AS (SELECT ${row} AS by_row, ${column} AS by_column, sum(operations) AS operations, sum(income) AS income,
        sum(expense) AS expense FROM fact GROUP BY 1, 2),
    keyed AS (SELECT ${keyOf(by, 'by_row')} AS key, ${keyOf(across, 'by_column')} AS across, operations, income, expense FROM summed)
    SELECT key, across, of_row, of_column, operations::int8, ${rublesSql('income')} AS income, ${rublesSql('expense')} AS expense,
      ${rublesSql('(income + expense)')} AS net
    FROM (SELECT key, ${across === null ? 'NULL AS across, false AS of_column' : 'across, grouping(across) = 0 AS of_column'},
        grouping(key) = 0 AS of_row, coalesce(sum(operations), 0) AS operations, coalesce(sum(income), 0) AS income,
        coalesce(sum(expense), 0) AS expense
      FROM keyed GROUP BY GROUPING SETS ((key), ()${across === null ? '' : ', (key, across), (across)'})) AS grouped
    ORDER BY of_row, ${orderOf(by)} LIMIT ${rowsMax + 1}`
  const { rows } = await client.query<Row>(patient({ text, values: parameters.values }))
  return rows.length > rowsMax ? 'tooLarge' : answerOf(rows)
}

/**
 * SQL: `fact`, the sums and operations that are asked for. Sums with the tariff are those of the groups that have them,
 * by month where the question has whole months and asks for no days, and by bucket what is in no group. `stale` are the
 * buckets whose sums do not count.
 */
function factsOf(question: Question, stale: readonly Part[], parameters: Parameters): string {
  const buckets = parameters.place(stale.map(({ bucket }) => bucket))
  const asked = conditions(question, parameters)
  const date = (day: Day) => parameters.add(day, 'date')
  const { by, across, tariff, from, to } = question
  const isByTariff = by === 'tariff' || across === 'tariff' || tariff !== null
  const columns = (isByTariff ? dimensions : plainDimensions).join(', ')
  const period = `day BETWEEN ${date(from)} AND ${date(to)}`
  const fact = (table: string, conditionsOfTable: string, ofTable = columns) =>
    `SELECT ${ofTable}, operations, income, expense FROM ${table} WHERE ${asked} AND ${conditionsOfTable}`
  const fresh = fact(`(${factsSql(buckets)}) AS fresh`, period)
  const kept = `bucket <> ALL(${buckets}::int8[])`
  if (!isByTariff) return `fact AS (${fact('report_plain_sums', `${period} AND ${kept}`)} UNION ALL ${fresh})`
  const ofGroups = 'bucket_group IN (SELECT bucket_group FROM whole)'
  const months = by !== 'day' && across !== 'day' ? wholeMonths(from, to) : null
  const ofMonths = months && `month BETWEEN ${date(months.from)} AND ${date(months.to)} AND ${ofGroups}`
  const days = months
    ? `(day >= ${date(from)} AND day < ${date(months.from)} OR day > ${date(months.to)} AND day <= ${date(to)})`
    : period
  const apart = `bucket = ANY(ARRAY(SELECT bucket FROM report_parts
    WHERE ${groupSql('bucket')} NOT IN (SELECT bucket_group FROM whole) AND ${kept}))`
  return `whole AS MATERIALIZED (SELECT bucket_group FROM report_groups
      WHERE has_days AND bucket_group <> ALL(ARRAY(SELECT ${groupSql('bucket')} FROM unnest(${buckets}::int8[]) AS bucket))),
    fact AS (${[
      ofMonths && fact('report_month_sums', ofMonths, columns.replace('day', 'month AS day')),
      fact('report_day_sums', `${days} AND ${ofGroups}`),
      fact('report_sums', `${period} AND ${apart}`),
      fresh,
    ]
      .filter(Boolean)
      .join(' UNION ALL ')})`
}

/** The months that a period has as a whole; null: it has none. */
function wholeMonths(from: Day, to: Day): Span | null {
  const [first, last] = [monthOf(from), monthOf(to)]
  const [isFirstWhole, isLastWhole] = [from === firstDay(first), to === lastDay(last)]
  // Beyond these there may be no further month in the calendar.
  if (first >= last) return first === last && isFirstWhole && isLastWhole ? { from, to } : null
  const begin = isFirstWhole ? from : firstDay(nextMonth(first))
  const end = isLastWhole ? to : lastDay(monthBefore(last))
  return begin <= end ? { from: begin, to: end } : null
}

/** SQL: the key of a row or of a column. */
const keyOf = (split: Split | null, column: string): string =>
  split === 'month' ? `to_char(${column}, 'YYYY-MM')` : `${column}::text`

type Row = Omit<Sums, 'operations'> & {
  readonly operations: string
  readonly key: string
  readonly across: string | null
  readonly of_row: boolean
  readonly of_column: boolean
}

/** Days and months follow each other; of everything else the most money stands first. */
const orderOf = (by: Split): string =>
  by === 'day' || by === 'month' ? 'key, across' : 'abs(grouped.income + grouped.expense) DESC, key, across'

/** What a question narrows beside its days. */
function conditions(question: Question, parameters: Parameters): string {
  const { organizations, types, channel, cashier, tariff, onlyDocuments } = question
  const asked: string[] = []
  if (organizations !== null) asked.push(`organization_id = ANY(${parameters.add(organizations, 'int8[]')})`)
  if (types !== null) asked.push(`op_type_id = ANY(${parameters.add(types, 'int8[]')})`)
  if (channel !== null) asked.push(`channel = ${parameters.add(channel, 'text')}`)
  if (cashier !== null) asked.push(`owner_id = ${parameters.add(cashier, 'int8')}`)
  if (tariff !== null) asked.push(`tarif_id = ${parameters.add(tariff, 'int8')}`)
  if (onlyDocuments) asked.push('is_document')
  return asked.length > 0 ? asked.join(' AND ') : 'true'
}

function answerOf(found: readonly Row[]): Answer | Unanswered {
  const rows: (Sums & { key: string; across: string | null })[] = []
  const columnsFound: (Sums & { key: string })[] = []
  let totals: Sums = { operations: 0, income: '0.00', expense: '0.00', net: '0.00' }
  for (const { key, across, of_row, of_column, operations, income, expense, net } of found) {
    const sums: Sums = { operations: Number(operations), income, expense, net }
    if (of_row) rows.push({ ...sums, key, across: of_column ? across : null })
    else if (of_column) columnsFound.push({ ...sums, key: across! })
    else totals = sums
  }
  const lines = rows.filter(({ across }) => across === null).length
  return lines * columnsFound.length > cellsMax ? 'tooLarge' : { rows, columns: columnsFound, totals }
}
