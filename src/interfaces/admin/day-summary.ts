import Type, { type Static } from 'typebox'
import { sourceSql } from '../../billing/accounts/operation-source.ts'
import { isCurrentSql } from '../../billing/clients/ticket-inbox.ts'
import { dayOf, startOfDay } from '../../domain/calendar.ts'
import { operationSources } from '../../domain/operation-source.ts'
import type { SessionTable } from '../../network/radius/accounting/session-table.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../platform/staff/visible-records.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'
import { patientFor, reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { isReceiptSql } from './accounts/receipts.ts'
import { answers, get } from './doors.ts'
import { OnlineBefore } from './online-before.ts'
import { Remembered } from './remembered.ts'

export type DaySummaryParts = TransactionScope & { readonly clock: Clock; readonly sessions: SessionTable }

/** How the day goes, for the first screen of the office. */
export function daySummaryRoutes(parts: DaySummaryParts): Route[] {
  const online = new OnlineBefore(parts)
  const summaries = new Remembered(parts.clock, (key) => summarize(parts, JSON.parse(key)))
  return [
    get('/admin/summary', doc, async (call) => {
      const [summary, online_a_day_ago] = await Promise.all([
        summaries.get(JSON.stringify(questionOf(parts, call))),
        online.aDayAgo(visibleTo(call)),
      ])
      return json({ ok: true, online_a_day_ago, ...summary })
    }),
  ]
}

/** `day` is the instant at which it began, in ISO 8601. */
type Question = { readonly visible: VisibleOrganizations; readonly day: string }

function questionOf({ timeZone, clock }: DaySummaryParts, call: Call): Question {
  const zone = timeZone()
  return { visible: visibleTo(call), day: startOfDay(dayOf(clock.now(), zone), zone).toISOString() }
}

/** A day of a million operations is added up. */
const patientMs = 8_000
const patient = patientFor(patientMs)

const summarize = (scope: TransactionScope, { visible, day }: Question): Promise<Summary> =>
  reading(
    scope,
    async (client) => {
      const values = visible === null ? [day] : [day, visible]
      const ask = async <Row extends object>(text: string): Promise<Row[]> =>
        (await client.query<Row>(patient({ text, values }))).rows
      const [counts] = await ask<Pick<Summary, 'debtors_new' | 'tickets_open'>>(countsSql(visible))
      return { ...counts!, receipts: await ask<Summary['receipts'][number]>(receiptsSql(visible)) }
    },
    patientMs,
  )

/** Who sees all organizations needs no join, which would read the rows of all subscribers concerned. */
const whereVisible = (visible: VisibleOrganizations, column: string): string =>
  visible === null ? '' : `AND ${visibleSql(column, '$2')}`

const countsSql = (visible: VisibleOrganizations): string => {
  const join = (how: string) => (visible === null ? '' : how)
  const isVisible = whereVisible(visible, 'client.organization_id')
  return `SELECT
    (SELECT count(*)::int4 FROM admin_accounts AS account
        ${join('LEFT JOIN abonents AS client ON client.account_id = account.id AND client.is_main')}
      WHERE account.debt_since >= $1::timestamptz ${isVisible}) AS debtors_new,
    (SELECT count(*)::int4 FROM hdsks AS ticket ${join('JOIN abonents AS client ON client.id = ticket.abonent_id')}
      WHERE ${isCurrentSql} ${isVisible}) AS tickets_open`
}

const receiptsSql = (visible: VisibleOrganizations): string =>
  `SELECT channel, count(*)::int4 AS count, ${rublesSql('sum(op_summa)')} AS sum
  FROM (SELECT op_summa, ${sourceSql('operation')} AS channel FROM finance_operations AS operation
    WHERE op_date >= $1::timestamptz AND op_date < $1::timestamptz + interval '1 day' AND ${isReceiptSql('operation')}
      ${whereVisible(visible, 'operation.organization_id')}) AS receipt
  GROUP BY channel ORDER BY sum(op_summa) DESC, channel`

const { integer, rubles } = schemas

const daySummarySchema = Type.Object({
  online_a_day_ago: Type.Integer({
    description: 'Sessions that were live 24 hours ago, at the last whole ten minutes',
  }),
  debtors_new: Type.Integer({ description: 'Accounts that have come below zero today and are below zero now' }),
  tickets_open: Type.Integer({ description: 'Not closed yet' }),
  receipts: Type.Array(Type.Object({ channel: Type.Enum(operationSources), count: integer, sum: rubles }), {
    description: 'Of today, the largest sum first; without what was reversed and without service operations',
  }),
})
type Summary = Omit<Static<typeof daySummarySchema>, 'online_a_day_ago'>

const doc: RouteDoc = {
  tag: 'Summary',
  summary: 'How the day goes: sessions of the day before, new debtors, receipts by channel, open tickets',
  description:
    'Of the organizations that the caller sees; on a large base as of some seconds ago, sessions as of up to ten minutes ago.',
  answers: answers('The day of the setting TIME_ZONE', daySummarySchema.properties),
}
