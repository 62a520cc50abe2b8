import Type, { type Static } from 'typebox'
import { readSums } from '../../../billing/reports/sums.ts'
import {
  type Day,
  dayOf,
  firstDay,
  lastDay,
  type Month,
  monthBefore,
  monthOf,
  nextMonth,
} from '../../../domain/calendar.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { patientFor, reading } from '../../../platform/storage/transactions.ts'
import type { Refused } from '../body.ts'
import { type ReportParts, reportMs, withoutSums } from './movements.ts'

const { integer, rubles } = schemas

const month = {
  month: Type.String({ description: 'As 2026-11' }),
  began: Type.Integer({ description: 'Subscribers when the month began' }),
  came: Type.Integer({ description: 'New ones' }),
  left: Type.Integer({ description: 'Deleted ones' }),
  ended: Type.Integer({ description: 'Subscribers when it ended, or today' }),
  average: Type.Number({ description: 'Between its beginning and its end' }),
  charged: Type.With(rubles, { description: 'Charges less what was given back' }),
  received: Type.With(rubles, { description: 'Payments less those that were reversed' }),
  charged_each: nullable(Type.With(rubles, { description: 'For each subscriber of the average; null without any' })),
  received_each: nullable(rubles),
}

export const subscribersSchema = Type.Object({
  items: Type.Array(Type.Object(month), { description: 'Month by month' }),
  totals: Type.Object({ came: integer, left: integer, charged: rubles, received: rubles }),
})

export type SubscribersReport = Static<typeof subscribersSchema>
type Asked = { readonly from: Day; readonly to: Day; readonly visible: VisibleOrganizations }

/** Months beyond these are not shown. */
const monthsMax = 120
/** PostgreSQL has no year zero in the way ISO 8601 writes it. */
const firstMonth = '0001-01' as Month
const patient = patientFor(reportMs)

/** Who came and left month by month, and the revenue of a subscriber. */
export function readSubscribers(parts: ReportParts, asked: Asked): Promise<SubscribersReport | Refused> {
  const zone = parts.timeZone()
  return reading(
    { database: parts.database, timeZone: () => zone },
    async (client) => {
      const months = monthsOf(asked)
      const money = await readMoney(client, asked, zone)
      if (typeof money === 'string') return withoutSums(money)
      const changes = await readChanges(client, asked.visible, months)
      let count = await readCount(client, asked.visible)
      for (const { came, left } of changes.values()) count += left - came
      const items = months.map((name) => {
        const { came, left } = changes.get(name) ?? { came: 0, left: 0 }
        const began = count
        count += came - left
        const average = (began + count) / 2
        const charged = money.charged.get(name) ?? '0.00'
        const received = money.received.get(name) ?? '0.00'
        return {
          ...{ month: name, began, came, left, ended: count, average, charged, received },
          charged_each: each(charged, average),
          received_each: each(received, average),
        }
      })
      const total = (of: 'came' | 'left') => items.reduce((sum, item) => sum + item[of], 0)
      const totals = {
        came: total('came'),
        left: total('left'),
        charged: money.allCharged,
        received: money.allReceived,
      }
      return { items, totals }
    },
    reportMs,
  )
}

/** The months of a period, those of the year until today where none is asked for. */
export function periodOf(parts: ReportParts, from: Day | undefined, to: Day | undefined): { from: Day; to: Day } {
  const last = monthOf(to ?? dayOf(parts.clock.now(), parts.timeZone()))
  let first = last
  for (let count = 1; count < 12 && first > firstMonth; count++) first = monthBefore(first)
  return { from: firstDay(from === undefined ? first : monthOf(from)), to: lastDay(last) }
}

function monthsOf({ from, to }: Asked): Month[] {
  const [first, last] = [monthOf(from), monthOf(to)]
  const months: Month[] = first <= last ? [first] : []
  // What follows the last month of the calendar has no name that compares with the others.
  for (let name = first; name < last && months.length < monthsMax; months.push(name)) name = nextMonth(name)
  return months
}

/** A mean is of kopecks and rounded as people do. */
const each = (sum: string, average: number): string | null => (average > 0 ? (Number(sum) / average).toFixed(2) : null)

/** Of today; for who sees all organizations it is kept. */
async function readCount(client: Client, visible: VisibleOrganizations): Promise<number> {
  const isVisible = visibleSql('client.organization_id', '$1')
  const { rows } = await client.query<{ count: number }>(
    visible === null
      ? `SELECT coalesce(sum(rows), 0)::int4 AS count FROM row_counts WHERE table_name = 'abonents'`
      : patient({
          text: `SELECT count(*)::int4 AS count FROM abonents AS client WHERE NOT deleted AND ${isVisible}`,
          values: [visible],
        }),
  )
  return rows[0]!.count
}

/**
 * Who came and left, by month: in the months that begin on the days of `$2`, and in all the time after them. Who is
 * there is counted month by month, each a range of an index, because to find the month of each of a million dates takes
 * longer than everything else. The deleted are few and have an index of their own. Who has a deletion without its date
 * left when he came.
 */
export function changesText(visible: VisibleOrganizations): string {
  const isVisible = visible === null ? '$1::int8[] IS NULL' : visibleSql('client.organization_id', '$1')
  const next = `(day + interval '1 month')::timestamptz`
  const ofDeleted = (at: string, came: string, left: string) =>
    `SELECT date_trunc('month', ${at}), ${came}, ${left} FROM abonents AS client
      WHERE deleted AND ${at} >= (SELECT min(since) FROM span) AND ${isVisible} GROUP BY 1`
  return `WITH span AS MATERIALIZED (SELECT day::timestamptz AS since, ${next} AS until FROM unnest($2::date[]) AS day
      UNION ALL SELECT max(${next}), 'infinity' FROM unnest($2::date[]) AS day)
    SELECT to_char(at, 'YYYY-MM') AS month, sum(came)::int4 AS came, sum("left")::int4 AS left FROM (
      SELECT since AS at, (SELECT count(*) FROM abonents AS client WHERE NOT deleted
        AND create_date >= span.since AND create_date < span.until AND ${isVisible}) AS came, 0 AS "left" FROM span
      UNION ALL ${ofDeleted('create_date', 'count(*)', '0')}
      UNION ALL ${ofDeleted('greatest(coalesce(deleted_date, create_date), create_date)', '0', 'count(*)')}
    ) AS change GROUP BY 1`
}

async function readChanges(client: Client, visible: VisibleOrganizations, months: readonly Month[]) {
  const { rows } = await client.query<{ month: string; came: number; left: number }>(
    patient({ text: changesText(visible), values: [visible, months.map(firstDay)] }),
  )
  return new Map(rows.map(({ month: name, ...change }) => [name, change]))
}

/** Types of payments from outside, and of charges with what is given back of them. */
const typesText = `SELECT array_agg(type_id) FILTER (WHERE op_sign = 1 AND type_id NOT IN ($1, $2)) AS received,
    array_agg(type_id) FILTER (WHERE op_sign = -1 OR type_id = $2) AS charged FROM fin_types`

async function readMoney(client: Client, { from, to, visible }: Asked, zone: string) {
  const { promise, recalculation } = operationTypes
  const { rows } = await client.query<{ received: string[] | null; charged: string[] | null }>(typesText, [
    promise,
    recalculation,
  ])
  const everything = { channel: null, cashier: null, tariff: null, onlyDocuments: true, across: null } as const
  const ask = (types: readonly string[] | null) => {
    const asked = { from, to, organizations: visible, types: (types ?? []).map(Number), by: 'month' } as const
    return readSums(client, { ...everything, ...asked }, zone)
  }
  const [received, charged] = [await ask(rows[0]!.received), await ask(rows[0]!.charged)]
  if (typeof received === 'string') return received
  if (typeof charged === 'string') return charged
  return {
    received: new Map(received.rows.map(({ key, net }) => [key, net])),
    charged: new Map(charged.rows.map(({ key, net }) => [key, negated(net)])),
    allReceived: received.totals.net,
    allCharged: negated(charged.totals.net),
  }
}

const negated = (sum: string): string => (sum.startsWith('-') ? sum.slice(1) : /[1-9]/.test(sum) ? `-${sum}` : sum)
