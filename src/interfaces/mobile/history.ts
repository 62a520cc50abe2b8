import Type from 'typebox'
import { type HistoryKind, historyPeriods, periodStart, readHistory } from '../../billing/clients/history.ts'
import { dayOf } from '../../domain/calendar.ts'
import { readDate } from '../../domain/iso-dates.ts'
import { formatRubles } from '../../domain/money.ts'
import { spelled } from '../../domain/text.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { choice, count, field } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { readQuery } from './body.ts'
import { refusalAnswer, tags } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refusedDetail } from './refusal.ts'

/** The history of the account: payments and charges. */
export const historyRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/finance/history', docOf('Payments: amounts above zero'), (phone) =>
    list(parts, phone, 'payments'),
  ),
  doors.signedIn('GET', '/finance/charges', docOf('Charges: amounts below zero'), (phone) =>
    list(parts, phone, 'charges'),
  ),
]

/**
 * Items per page (specification 8). More than `most` is reduced to it instead of being refused (contract section 5).
 */
const perPage = { standard: 25, most: 100 } as const
const pageMax = 1_000_000

async function list(parts: MobileParts, phone: PhoneCall, kind: HistoryKind): Promise<Reply> {
  const read = readQuery(phone, query)
  if ('refusal' in read) return read.refusal
  const { period, from = null, to = null, page = 1, per_page = perPage.standard } = read.query
  if (from && to && from > to) return refusedDetail(phone, 'span')
  const size = Math.min(per_page, perPage.most)
  const zone = parts.settings.get('TIME_ZONE')
  const now = parts.clock.now()
  // Explicit days take precedence over a period.
  const isNamed = from !== null || to !== null
  const span = isNamed || !period ? { from, to } : { from: periodStart(period, now, zone), to: dayOf(now, zone) }
  const found = await readHistory(parts, phone.client.subscriberId, { kind, ...span, page, perPage: size })
  return json({
    items: found.items.map(({ typeId: _, ...line }) => ({ ...line, amount: formatRubles(line.amount) })),
    page: found.page,
    per_page: found.perPage,
    total: found.total,
    sum: formatRubles(found.sum),
  })
}

const day = field(schemas.day, 'be a date such as 2026-12-31', (sent) => readDate(spelled(sent)))

const query = {
  period: { doc: 'Up to today; left out with from and to: everything', schema: choice(historyPeriods) },
  from: { doc: 'The first day', schema: day },
  to: { doc: 'The last day', schema: day },
  page: { doc: 'From 1', schema: Type.With(count(pageMax), { default: 1 }) },
  per_page: { doc: `At most ${perPage.most}`, schema: Type.With(count(pageMax), { default: perPage.standard }) },
} as const

const docOf = (summary: string): RouteDoc => ({
  tag: tags.money,
  summary,
  query,
  answers: {
    200: {
      doc: 'The newest first',
      schema: Type.Object({
        items: Type.Array(
          Type.Object({
            id: schemas.integer,
            date: schemas.moment,
            amount: schemas.rubles,
            description: schemas.text,
            type: Type.String({ description: 'In words' }),
            storno: Type.Boolean({ description: 'Reversed, or a reversal' }),
          }),
        ),
        page: schemas.integer,
        per_page: schemas.integer,
        total: Type.Integer({ description: 'Items of all pages' }),
        sum: Type.With(schemas.rubles, { description: 'Of all pages; what was reversed does not count' }),
      }),
    },
    400: refusalAnswer('bad_request'),
  },
})
