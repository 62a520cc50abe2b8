import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { readBill } from '../../../../billing/clients/bill.ts'
import type { BillParts } from '../../../../billing/clients/charges-to-come.ts'
import { type Day, dayOf, lastDay, monthOf } from '../../../../domain/calendar.ts'
import { subscriberId } from '../../../../domain/ids.ts'
import { formatRubles, zero } from '../../../../domain/money.ts'
import { chargeKeys } from '../../../../domain/money-keys.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { linkNotChargedSql, type NotCharged, notCharged, notChargedSql, ofAccount } from '../../accounts/services.ts'
import { answers, get } from '../../doors.ts'
import { billMembers, shownBill } from '../bill-shape.ts'
import { standingMembers, readStanding } from '../tariff/tariffs.ts'
import { offeredServices, readOfferedServices } from './offered.ts'
import { serviceObject, type ShownService, servicesOf } from './record.ts'

export type ServicesTabParts = TransactionScope &
  BillParts & { readonly subscribers: Pick<SubscriberActors, 'status' | 'serviceRefunds'> }

/** What a subscriber has and had, and what of it will be charged: the tab of the card. */
export const servicesTabRoutes = (parts: ServicesTabParts): Route[] => [
  get('/admin/Abonents/services/:id', doc, (call) => showTab(parts, call)),
]

async function showTab(parts: ServicesTabParts, call: Call): Promise<Reply> {
  const today = dayOf(parts.clock.now(), parts.settings.get('TIME_ZONE'))
  const found = await reading(parts, async (client) => {
    const id = await findVisible(client, 'subscriber', call.params.id, visibleTo(call))
    return id === null ? null : { id, ...(await readTab(client, id, today)) }
  })
  const status = found && (await parts.subscribers.status(subscriberId(found.id)))
  if (!found || !status) return notFoundReply()
  const { id, services, ...tab } = found
  const refunds = await parts.subscribers.serviceRefunds(subscriberId(id))
  const shown = services.map((one) => ({ ...one, gives_back: formatRubles(refunds.get(one.id) ?? zero) }))
  const bill = await readBill(parts, status.account, status.subscriber)
  const { nextCharge } = bill
  return json({
    ok: true,
    ...tab,
    services: shown,
    ...shownBill(bill),
    next_charge: nextCharge && { day: nextCharge.day, amount: formatRubles(nextCharge.amount) },
  })
}

async function readTab(client: Client, id: number, today: Day) {
  const { tarif, planned } = await readStanding(client, id)
  const [charging] = await readTariffCharging(client, id, today)
  const charged = await readServiceCharging(client, id, today)
  const services = (await servicesOf(client, id)).map((service) =>
    withCharging(service, charged.get(service.id)!, today),
  )
  const { reason = null, ...taken } = charging!
  return {
    tarif,
    planned,
    not_charged: reason,
    charged_through: chargedThrough(taken, today),
    history: await readHistory(client, id),
    services,
    offered: await readOfferedServices(client),
  }
}

type Taken = { readonly month_charged: boolean; readonly day_charged: boolean }
type Charging = Taken & { readonly reason: NotCharged | null }

/** The last day that has been charged. */
const chargedThrough = ({ month_charged, day_charged }: Taken, today: Day): Day | null =>
  month_charged ? lastDay(monthOf(today)) : day_charged ? today : null

const isTaken = (key: string) => `EXISTS (SELECT FROM money_keys WHERE key = ${key})`

async function readTariffCharging(client: Client, id: number, today: Day): Promise<Charging[]> {
  const { rows } = await client.query<Charging>(
    `SELECT ${notChargedSql} AS reason, ${isTaken(chargeKeys.tariff.sql('client.id', '$2'))} AS month_charged,
        ${isTaken(chargeKeys.tariff.sql('client.id', '$3'))} AS day_charged
      FROM ${ofAccount} WHERE client.id = $1::int8`,
    [id, monthOf(today), today],
  )
  return rows
}

async function readServiceCharging(client: Client, id: number, today: Day): Promise<ReadonlyMap<number, Charging>> {
  const { rows } = await client.query<Charging & { id: string }>(
    `SELECT link.id, ${linkNotChargedSql} AS reason,
        ${isTaken(chargeKeys.service.sql('client.id', 'link.id', '$2'))} AS month_charged,
        ${isTaken(chargeKeys.service.sql('client.id', 'link.id', '$3'))} AS day_charged
      FROM ${ofAccount} JOIN users_uslugas AS link ON link.abonent_id = client.id WHERE client.id = $1::int8`,
    [id, monthOf(today), today],
  )
  return new Map(rows.map((row) => [Number(row.id), row]))
}

/** What costs nothing is not charged either; a promise payment has a daily fee of its own. */
const withCharging = (service: ShownService, { reason, ...taken }: Charging, today: Day) => ({
  ...service,
  not_charged: service.is_promise ? 'promise' : (reason ?? (service.amount === '0.00' ? 'free' : null)),
  charged_through: chargedThrough(taken, today),
})

const { text, rubles, moment, day } = schemas

const historyMax = 20

const changeSchema = Type.Object({
  at: moment,
  from: nullable(text),
  to: nullable(text),
  by: nullable(text),
})

/** The changes of the tariff, the newest first, as the audit has them. */
async function readHistory(client: Client, id: number): Promise<object[]> {
  const name = (place: number) => `(SELECT name FROM tarifs WHERE id::text = diff->'tarif'->>${place})`
  const { rows } = await client.query<{ at: Date; from: string | null; to: string | null; by: string | null }>(
    `SELECT at, ${name(0)} AS "from", ${name(1)} AS "to", user_name AS by FROM audit_operations
      WHERE table_name = 'ABONENTS' AND object_id = $1::int8::text AND jsonb_typeof(diff->'tarif') = 'array'
      ORDER BY id DESC LIMIT ${historyMax}`,
    [id],
  )
  return rows
}

const chargedThroughSchema = Type.With(nullable(day), { description: 'The last day that has been charged' })
const reasons = [...notCharged, 'free'] as const

const doc: RouteDoc = {
  tag: 'Services',
  summary: 'Tariff and services of a subscriber, what is not charged and why, and the charges to come',
  answers: answers(
    'What the subscriber has, had and will be charged for',
    {
      ...standingMembers,
      not_charged: Type.With(nullable(Type.Enum([...notCharged])), { description: 'Why the tariff is not charged' }),
      charged_through: chargedThroughSchema,
      history: Type.With(Type.Array(changeSchema), {
        description: `At most ${historyMax} changes of the tariff, the newest first`,
      }),
      services: Type.Array(
        Type.Object({
          ...serviceObject.properties,
          not_charged: Type.With(nullable(Type.Enum([...reasons])), { description: 'Why it is not charged' }),
          charged_through: chargedThroughSchema,
          gives_back: Type.With(rubles, { description: 'What give_back returns where it is taken away now' }),
        }),
      ),
      offered: offeredServices,
      ...billMembers,
      next_charge: Type.With(nullable(Type.Object({ day, amount: rubles })), {
        description:
          'All that is charged on the first day on which anything is; null: nothing until the end of the next month',
      }),
    },
    { 404: 'There is no such subscriber, or it is of another organization' },
  ),
}
