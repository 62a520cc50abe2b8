import Type from 'typebox'
import { type HistoryKind, historyPeriods, periodStart, readHistory } from '../../billing/clients/history.ts'
import { type Day, dayOf } from '../../domain/calendar.ts'
import { formatRubles } from '../../domain/money.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { base, refusalAnswer, tags } from './docs.ts'
import { limited, type MobileDoors, type PhoneCall } from './door.ts'
import { readQuery } from './fields.ts'
import type { MobileParts } from './parts.ts'

/** The history of the account: payments and charges. */
export const historyRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  {
    method: 'GET',
    path: `${base}/finance/history`,
    door: 'mobile',
    doc: limited(docOf('Payments: amounts above zero')),
    handler: doors.signedIn((phone) => list(parts, phone, 'payments')),
  },
  {
    method: 'GET',
    path: `${base}/finance/charges`,
    door: 'mobile',
    doc: limited(docOf('Charges: amounts below zero')),
    handler: doors.signedIn((phone) => list(parts, phone, 'charges')),
  },
]

/**
 * Items per page (specification 8). More than `most` is reduced to it instead of being refused (contract section 5).
 */
const perPage = { standard: 25, most: 100 } as const
const pageMax = 1_000_000

async function list(parts: MobileParts, phone: PhoneCall, kind: HistoryKind): Promise<Reply> {
  const query = readQuery(phone)
  const period = query.choice('period', historyPeriods)
  const [from, to] = [query.day('from') as Day | null, query.day('to') as Day | null]
  const page = query.page('page', 1, pageMax)
  const size = Math.min(query.page('per_page', perPage.standard, pageMax), perPage.most)
  if (from && to && from > to) query.wrong('span')
  if (query.refusal) return query.refusal
  const zone = parts.settings.get('TIME_ZONE')
  const now = parts.clock.now()
  // Explicit days take precedence over a period.
  const isNamed = from !== null || to !== null
  const span = isNamed || !period ? { from, to } : { from: periodStart(period, now, zone), to: dayOf(now, zone) }
  const found = await readHistory(parts, phone.client.subscriberId, { kind, ...span, page, perPage: size })
  return json({
    items: found.items.map(({ id, date, amount, description, type, storno }) => ({
      id,
      date,
      amount: formatRubles(amount),
      description,
      type,
      storno,
    })),
    page: found.page,
    per_page: found.perPage,
    total: found.total,
    sum: formatRubles(found.sum),
  })
}

const docOf = (summary: string): RouteDoc => ({
  tag: tags.money,
  summary,
  query: {
    period: { doc: 'Up to today; left out with from and to: everything', schema: Type.Enum([...historyPeriods]) },
    from: { doc: 'The first day', schema: schemas.day },
    to: { doc: 'The last day', schema: schemas.day },
    page: { doc: 'From 1', schema: Type.Integer({ minimum: 1, maximum: pageMax, default: 1 }) },
    per_page: {
      doc: `At most ${perPage.most}`,
      schema: Type.Integer({ minimum: 1, maximum: pageMax, default: perPage.standard }),
    },
  },
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
