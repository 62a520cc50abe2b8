import Type from 'typebox'
import { readBill } from '../../../../billing/clients/bill.ts'
import type { ChargeFor } from '../../../../billing/clients/charges-to-come.ts'
import { type Day, dayOf, monthOf } from '../../../../domain/calendar.ts'
import { servicePrice } from '../../../../domain/charges.ts'
import { lastDayBefore, type RecurringCharge } from '../../../../domain/forecast.ts'
import { type SubscriberId, subscriberId } from '../../../../domain/ids.ts'
import { formatRubles, type Money, moneyFromUnits, moneyOrNull } from '../../../../domain/money.ts'
import { chargeKeys } from '../../../../domain/money-keys.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { count, field, id, rubles } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import type { Usluga } from '../../../../platform/storage/entities/services.ts'
import type { RowOf } from '../../../../platform/storage/entity.ts'
import { momentOf } from '../../../../platform/storage/moment-of.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { readQuery, wrongField } from '../../body.ts'
import { answers, get } from '../../doors.ts'
import { billMembers, shownBill } from '../bill-shape.ts'
import { mustBeEnd, readEnd } from './model.ts'
import type { ServicesTabParts } from './tab.ts'

/** What a service would cost a subscriber, before it is given. */
export const serviceOfferRoutes = (parts: ServicesTabParts): Route[] => [
  get('/admin/Abonents/service_offer/:id', doc, (call) => showOffer(parts, call)),
]

type Wanted = {
  readonly usluga: number
  readonly own: Money | null
  readonly count: number
  readonly end: string | null
}

type Found = {
  readonly charge: RecurringCharge & ChargeFor
  /** How many of the same are switched on now. */
  readonly present: number
}

async function showOffer(parts: ServicesTabParts, call: Call): Promise<Reply> {
  const subscriber = await findVisible(parts.database.pool, 'subscriber', call.params.id, visibleTo(call))
  if (subscriber === null) return notFoundReply()
  const read = readQuery(doc.query, call.query)
  if ('refused' in read) return read.refused
  const { usluga_id: usluga, summ: own = null, countt = 1, end_time: end = null } = read.values
  if (usluga === undefined) return wrongField('usluga_id', 'be an id')
  const wanted = { usluga, own, count: countt, end }
  const found = await reading(parts, (client) => findCharge(parts, client, subscriberId(subscriber), wanted))
  const status = found && (await parts.subscribers.status(subscriberId(subscriber)))
  if (!found || !status) return notFoundReply()
  const { charge, present } = found
  const bill = await readBill(parts, status.account, status.subscriber, { service: charge })
  const { charges, lasts_through } = shownBill({
    ...bill,
    lines: bill.lines.filter(({ linkId }) => linkId === newLink),
  })
  return json({ ok: true, name: charge.name, month: formatRubles(charge.price), present, charges, lasts_through })
}

/** The link that is not there yet. */
const newLink = 0

type Row = RowOf<typeof Usluga, 'name' | 'price'> & {
  summa: string | null
  present: number
  month_charged: boolean
  day_charged: boolean
}

async function findCharge(
  { clock, settings }: ServicesTabParts,
  client: Client,
  subscriber: SubscriberId,
  { usluga, own, count, end }: Wanted,
): Promise<Found | null> {
  const zone = settings.get('TIME_ZONE')
  const today: Day = dayOf(clock.now(), zone)
  // One that was taken away in a charged month, and is given again, is not charged for that month again.
  const left = (period: string) =>
    `EXISTS (SELECT FROM money_keys WHERE key = ${chargeKeys.leftService.sql('$2::int8', 'uslugas.id', period)})`
  const { rows } = await client.query<Row>(
    `SELECT name, summa, price, ${left('$3')} AS month_charged, ${left('$4')} AS day_charged,
        (SELECT count(*)::int FROM users_uslugas WHERE abonent_id = $2 AND usluga_id = uslugas.id AND enabled
          AND (end_time IS NULL OR end_time > now())) AS present
      FROM uslugas WHERE id = $1::int8 AND enabled`,
    [usluga, subscriber, monthOf(today), today],
  )
  const [row] = rows
  if (!row) return null
  const price = servicePrice({ own, sum: moneyOrNull(row.summa), price: moneyFromUnits(row.price), count })
  const charge = {
    subscriberId: subscriber,
    kind: 'service',
    linkId: newLink,
    name: row.name,
    price,
    from: today,
    to: end === null ? null : lastDayBefore(await momentOf(client, end), zone),
    charged: row.month_charged ? 'month' : row.day_charged ? 'day' : 'nothing',
  } as const
  return { charge, present: row.present }
}

const end = field(schemas.text, mustBeEnd, (sent) => {
  const read = readEnd(sent)
  return 'value' in read ? read.value : null
})

const doc = {
  tag: 'Services',
  summary: 'What a service would cost a subscriber, before it is given',
  query: {
    usluga_id: { doc: 'The service', schema: id, required: true },
    summ: { doc: 'Own price of a month', schema: rubles },
    countt: { doc: 'How many', schema: count(1000) },
    end_time: { doc: 'Its end, as it is written', schema: end },
  },
  answers: answers(
    'Nothing is changed',
    {
      name: schemas.text,
      month: Type.With(schemas.rubles, { description: 'What a whole month of it costs' }),
      present: Type.With(schemas.integer, { description: 'How many of the same the subscriber has now' }),
      ...billMembers,
    },
    { 400: 'A parameter is wrong', 404: 'There is no such subscriber or service, or it is of another organization' },
  ),
} as const satisfies RouteDoc
