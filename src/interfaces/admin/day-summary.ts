import Type, { type Static } from 'typebox'
import { sourceSql } from '../../billing/accounts/operation-source.ts'
import { isCurrentSql } from '../../billing/clients/ticket-inbox.ts'
import { dayOf, startOfDay } from '../../domain/calendar.ts'
import { operationSources } from '../../domain/operation-source.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../platform/staff/visible-records.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'
import { patientFor, reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { isReceiptSql } from './accounts/receipts.ts'
import { countedAnswers } from './countings.ts'
import { get } from './doors.ts'
import { Remembered } from './remembered.ts'

export type DaySummaryParts = TransactionScope & { readonly clock: Clock }

/** How the day goes, for the first screen of the office. */
export function daySummaryRoutes(parts: DaySummaryParts): Route[] {
  const summaries = new Remembered(parts.clock, (key) => summarize(parts, JSON.parse(key)))
  return [get('/admin/summary', doc, (call) => answer(parts, summaries, call))]
}

/** `day` is the instant at which it began, in ISO 8601. */
type Question = { readonly visible: readonly number[] | null; readonly day: string }

/** A day of a million sessions is counted. */
const patientMs = 8_000
const patient = patientFor(patientMs)

async function answer(parts: DaySummaryParts, summaries: Remembered<DaySummary>, call: Call): Promise<Reply> {
  const zone = parts.timeZone()
  const day = startOfDay(dayOf(parts.clock.now(), zone), zone).toISOString()
  const question: Question = { visible: visibleTo(call), day }
  return json({ ok: true, ...(await summaries.get(JSON.stringify(question))) })
}

const summarize = (scope: TransactionScope, { visible, day }: Question): Promise<DaySummary> =>
  reading(
    scope,
    async (client) => {
      const ask = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
        (await client.query<Row>(patient({ text, values }))).rows
      const [counts] = await ask<Pick<DaySummary, 'debtors_new' | 'tickets_open'>>(countsSql, [visible, day])
      const onlineText = visible === null ? onlineOfAllSql : onlineSql
      const [online] = await ask<Pick<DaySummary, 'online_a_day_ago'>>(onlineText, [visible])
      const receipts = await ask<DaySummary['receipts'][number]>(receiptsSql, [visible, day])
      return { ...online!, ...counts!, receipts }
    },
    patientMs,
  )

const countsSql = `SELECT
  (SELECT count(*)::int4 FROM admin_accounts AS account
      LEFT JOIN abonents AS client ON client.account_id = account.id AND client.is_main
    WHERE account.debt_since >= $2::timestamptz AND ${visibleSql('client.organization_id', '$1')}) AS debtors_new,
  (SELECT count(*)::int4 FROM hdsks AS ticket JOIN abonents AS client ON client.id = ticket.abonent_id
    WHERE ${isCurrentSql} AND ${visibleSql('client.organization_id', '$1')}) AS tickets_open`

const receiptsSql = `SELECT channel, count(*)::int4 AS count, ${rublesSql('sum(op_summa)')} AS sum
  FROM (SELECT op_summa, ${sourceSql('operation')} AS channel FROM finance_operations AS operation
    WHERE op_date >= $2::timestamptz AND op_date < $2::timestamptz + interval '1 day' AND ${isReceiptSql('operation')}
      AND ${visibleSql('operation.organization_id', '$1')}) AS receipt
  GROUP BY channel ORDER BY sum(op_summa) DESC, channel`

const aDayAgo = `now() - interval '24 hours'`
const difference = `greatest(0, live - started + ended) AS online_a_day_ago`

/** Those who are online, without who has come since, with who has gone since. */
const onlineSql = `SELECT ${difference} FROM
  (SELECT count(*)::int4 AS live FROM radius_live_sessions AS known JOIN radius_sessions AS session ON session.id = known.session_id
    WHERE session.organization_id = ANY($1::int8[])) AS live,
  (SELECT count(*)::int4 AS started FROM radius_sessions AS session
    WHERE session.started_at > ${aDayAgo} AND session.organization_id = ANY($1::int8[])) AS started,
  (SELECT count(*)::int4 AS ended FROM radius_ended_sessions AS known JOIN radius_sessions AS session ON session.id = known.session_id
    WHERE known.ended_at > ${aDayAgo} AND session.organization_id = ANY($1::int8[])) AS ended`

/** The same for who sees all organizations, from indexes alone. */
const onlineOfAllSql = `SELECT ${difference} FROM
  (SELECT count(*)::int4 AS live FROM radius_live_sessions WHERE $1::int8[] IS NULL) AS live,
  (SELECT count(*)::int4 AS started FROM radius_sessions WHERE started_at > ${aDayAgo}) AS started,
  (SELECT count(*)::int4 AS ended FROM radius_ended_sessions WHERE ended_at > ${aDayAgo}) AS ended`

const { integer, rubles } = schemas

const daySummarySchema = Type.Object({
  online_a_day_ago: Type.Integer({ description: 'Sessions that were live 24 hours ago' }),
  debtors_new: Type.Integer({ description: 'Accounts that have come below zero today and are below zero now' }),
  tickets_open: Type.Integer({ description: 'Not closed yet' }),
  receipts: Type.Array(Type.Object({ channel: Type.Enum(operationSources), count: integer, sum: rubles }), {
    description: 'Of today, the largest sum first; without what was reversed and without service operations',
  }),
})
type DaySummary = Static<typeof daySummarySchema>

const doc: RouteDoc = {
  tag: 'Summary',
  summary: 'How the day goes: sessions of the day before, new debtors, receipts by channel, open tickets',
  description: 'Of the organizations that the caller sees; on a large base as of some seconds ago.',
  answers: countedAnswers('The day of the setting TIME_ZONE', daySummarySchema.properties),
}
