import type { PoolClient } from 'pg'
import type { Day } from '../../../domain/calendar.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { id, moment, reworded, sentIn } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import { seesSeveralOrganizations, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { limited } from '../../../platform/storage/sql.ts'
import { isAbsent, type Refused, readSent, wrongInWords } from '../body.ts'
import { asksNoTotals, readPage } from '../paging.ts'
import { commonMax, walkToPage } from './common-words.ts'
import { OperationFilters, readFilters } from './filters.ts'
import { operationSql } from './operation-shape.ts'
import type { OperationTotals, Place } from './totals.ts'

/** Specification 8: rows of one batch. */
const batchRows = 50
/** A search in all there ever was may take longer than other lists. */
const batchMs = 12_000

export type ListParts = TransactionScope & { readonly totals: OperationTotals }

/** The operations of so many days are few. */
const fewDays = 10

/** Where the next batch begins: strictly after this row in the order of the list. */
type Cursor = { readonly after_date: string; readonly after_id: number }

/**
 * Specification 4.12 rule 1: the newest first. The first batch has the total; later ones have -1, which means
 * unchanged.
 */
export async function listOperations(
  parts: ListParts,
  call: Call,
  options: { onlyDocuments?: boolean } = {},
): Promise<Reply> {
  const paging = readPage(call.query, batchRows)
  if ('refused' in paging) return paging.refused
  const visible = visibleTo(call)
  const filters = readFilters(call.query, visible, options)
  if ('refused' in filters) return filters.refused
  const after = readCursor(call.query)
  if (after && 'refused' in after) return after.refused
  const { page, perPage } = paging
  const offset = after ? 0 : paging.offset
  const isFirst = after === null && page === 1
  const zone = parts.timeZone()
  const limit = perPage + 1
  return await reading(
    parts,
    async (client) => {
      const isWalked = after !== null || (isFirst && asksNoTotals(call.query))
      const walked = isWalked ? await walkToPage(client, filters, after, { limit, timeoutMs: batchMs }) : null
      const overview =
        isFirst && !walked ? await parts.totals.read(client, filters, { zone, first: limit, timeoutMs: batchMs }) : null
      const until = after && !walked && (await dayOf(client, after.after_date))
      const wanted = { offset, limit, ...(until && { until }) }
      const place = overview ? overview.place : await parts.totals.placeOf(client, filters, zone, wanted)
      if (after) {
        const [date, id] = [filters.add(after.after_date, 'timestamptz'), filters.add(after.after_id, 'int8')]
        filters.where(`(operation.op_date, operation.op_id) < (${date}, ${id})`)
      }
      const kpi = overview?.totals
      const first = walked ? walked.slice(0, limit) : overview?.first
      const rows = first ? withKeys(first) : filters
      return json({
        ok: true,
        ...(await readBatch(client, rows, perPage, place ?? { days: null, offset })),
        ...(isFirst && walked ? foundAtLeast(walked.length) : { total: kpi ? kpi.total : -1 }),
        page,
        per_page: perPage,
        ...(kpi && { kpi }),
        show_org: await seesSeveralOrganizations(client, visible),
      })
    },
    batchMs,
  )
}

const foundAtLeast = (found: number) => ({ total: Math.min(found, commonMax), has_more_than_total: true })

/** The rows with these ids, which the totals have found already. */
function withKeys(keys: readonly string[]): OperationFilters {
  const filters = new OperationFilters()
  filters.where(`operation.op_id = ANY(${filters.add(keys, 'int8[]')})`)
  return filters
}

type Batch = { items: unknown[]; has_more: boolean; next_cursor: Cursor | null }

/**
 * Found by its keys, so that operations before it are skipped within the index. With `days` the operations of these are
 * looked at and no others.
 */
async function readBatch(
  client: PoolClient,
  filters: OperationFilters,
  perPage: number,
  { days, offset }: Place | { readonly days: null; readonly offset: number },
): Promise<Batch> {
  const conditions = days && days.length <= fewDays ? filters.conditionsOfFew : filters.conditions
  const table = days ? ofDays(filters.add(days, 'date[]')) : 'finance_operations AS operation'
  const { values } = filters
  const text = `SELECT ${operationSql} AS item, ${cursorDate} AS after_date, operation.op_id AS after_id
      FROM (SELECT operation.op_id FROM ${table} WHERE ${conditions}
        ORDER BY operation.op_date DESC, operation.op_id DESC LIMIT ${perPage + 1} OFFSET ${offset}) AS page
        JOIN finance_operations AS operation USING (op_id)
      ORDER BY operation.op_date DESC, operation.op_id DESC`
  const query = limited({ text, values }, batchMs)
  const { rows: found } = await client.query<{ item: unknown; after_date: string; after_id: string }>(query)
  const shown = found.slice(0, perPage)
  const last = shown.at(-1)
  const has_more = found.length > perPage
  return {
    items: shown.map(({ item }) => item),
    has_more,
    next_cursor: has_more && last ? { after_date: last.after_date, after_id: Number(last.after_id) } : null,
  }
}

/**
 * SQL: the operations of these days as `operation`, along the index of dates. Without OFFSET the planner puts the two
 * together and walks along all dates.
 */
const ofDays = (
  days: string,
): string => `unnest(${days}) AS asked (day) CROSS JOIN LATERAL (SELECT * FROM finance_operations
  WHERE op_date >= asked.day::timestamptz AND op_date < (asked.day + 1)::timestamptz OFFSET 0) AS operation`

/** The day of a moment in the time zone of the transaction. */
async function dayOf(client: PoolClient, moment: string): Promise<Day> {
  const { rows } = await client.query<{ day: Day }>('SELECT $1::timestamptz::date::text AS day', [moment])
  return rows[0]!.day
}

/** To the microsecond, which a Date would lose, and in UTC, whose Z needs no escape in an address. */
const cursorDate = `to_char(operation.op_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Of `next_cursor`, which has both or neither. */
export const cursorFields = {
  after_date: reworded(moment, 'be an ISO 8601 datetime, together with after_id'),
  after_id: reworded(id, 'be an id, together with after_date'),
}

function readCursor(query: URLSearchParams): Cursor | null | Refused {
  const sent = sentIn(query)
  if (isAbsent(sent.after_date) && isAbsent(sent.after_id)) return null
  const read = readSent(cursorFields, sent, { refuse: wrongInWords })
  return 'refused' in read ? read : read.values
}
