import Type from 'typebox'
import { markedSql, sourceSql } from '../../../billing/accounts/operation-source.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { operationSchema, readOperations } from '../finops/operation-shape.ts'
import { answers } from '../doors.ts'
import { pageParameters, readPage } from '../paging.ts'
import { accountMissing } from './account-shape.ts'

/** Specification 8. */
const summaryDays = 90
const bankRowsUsual = 100

/** SQL: whether a row is money that somebody paid: not reversed, no service operation, no refund of a recalculation. */
export const isReceiptSql = (row: string): string =>
  `${row}.op_summa > 0 AND NOT ${row}.storno AND ${row}.isbuhdoc AND ${row}.op_type_id <> ${operationTypes.recalculation}`

/**
 * GET accounts_payments_summary: receipts by their channel and by whether the accounting system and the cash register
 * have them. Reversed operations, service operations and refunds of a recalculation do not count.
 */
export function summarizeReceipts(scope: TransactionScope, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  return reading(scope, async (client) => {
    const id = await findVisible(client, 'account', call.params.id, visible)
    if (id === null) return notFoundReply()
    const { rows } = await client.query<{ summary: object }>(
      `WITH receipt AS (
          SELECT op_summa, op_date, sync1c, kkm_printed, ${sourceSql('operation')} AS source FROM finance_operations AS operation
          WHERE account_id = $1::int8 AND ${isReceiptSql('operation')} AND op_date > now() - interval '${summaryDays} days' AND ${visibleSql('operation.organization_id', '$2')}),
        grouped AS (
          SELECT source, sync1c, kkm_printed, count(*) AS count, sum(op_summa) AS sum, max(op_date) AS last
          FROM receipt GROUP BY source, sync1c, kkm_printed)
        SELECT json_build_object('ok', true, 'days', ${summaryDays}, 'count', (SELECT count(*) FROM receipt),
          'total', (SELECT ${rublesSql('coalesce(sum(op_summa), 0)')} FROM receipt),
          'groups', coalesce((SELECT json_agg(json_build_object('channel', source, 'sync1c', sync1c, 'kkm_printed', kkm_printed,
            'count', count, 'sum', ${rublesSql('sum')}, 'last', last) ORDER BY grouped.sum DESC, source, sync1c, kkm_printed)
            FROM grouped), '[]')) AS summary`,
      [id, visible],
    )
    return json(rows[0]!.summary)
  })
}

/** GET accounts_bank_ops: operations that came with a bank statement, each with the number of its row there. */
export function listBankRows(scope: TransactionScope, call: Call): Promise<Reply> {
  const paging = readPage(call.query, bankRowsUsual)
  if ('refused' in paging) return Promise.resolve(paging.refused)
  const { perPage, offset } = paging
  const visible = visibleTo(call)
  return reading(scope, async (client) => {
    const id = await findVisible(client, 'account', call.params.id, visible)
    if (id === null) return notFoundReply()
    const condition = `operation.account_id = $2::int8 AND ${sourceSql('operation')} = 'bank'`
    const rows = await readOperations(client, visible, condition, [id], perPage + 1, offset)
    const items = rows.slice(0, perPage)
    const marks = await client.query<{ op_id: string; mark: string | null }>(
      `SELECT op_id, ${markedSql('operation', 'bank_op')} AS mark FROM finance_operations AS operation WHERE op_id = ANY($1::int8[])`,
      [items.map(({ op_id }) => op_id)],
    )
    const markOf = new Map(marks.rows.map(({ op_id, mark }) => [Number(op_id), mark]))
    return json({
      ok: true,
      items: items.map((item) => ({ ...item, bank_op: markOf.get(Number(item.op_id)) ?? null })),
      has_more: rows.length > perPage,
    })
  })
}

const tag = 'Personal accounts'
const { integer, boolean, moment, rubles } = schemas
const missing = { 404: accountMissing }

export const summaryDoc: RouteDoc = {
  tag,
  summary: `Receipts of ${summaryDays} days by channel and by what other systems have of them`,
  answers: answers(
    'Groups, the largest sum first; without what was reversed and without service operations',
    {
      days: integer,
      count: integer,
      total: rubles,
      groups: Type.Array(
        Type.Object({
          channel: Type.Enum(operationSources),
          sync1c: Type.Boolean({ description: 'Accounting has them' }),
          kkm_printed: Type.Boolean({ description: 'Sent to the cash register' }),
          count: integer,
          sum: rubles,
          last: moment,
        }),
      ),
    },
    missing,
  ),
}

export const bankRowsDoc: RouteDoc = {
  tag,
  summary: 'Operations of an account that came with a bank statement, the newest first',
  query: pageParameters,
  answers: answers(
    'One page; bank_op is the row of the statement that the text names',
    {
      items: Type.Array(Type.Object({ ...operationSchema.properties, bank_op: nullable(schemas.text) })),
      has_more: boolean,
    },
    missing,
  ),
}
