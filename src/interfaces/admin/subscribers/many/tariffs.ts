import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import {
  type PlannedRow,
  planProspect,
  tariffProspects,
  type WantedTariff,
} from '../../../../billing/accounts/tariff-prospects.ts'
import { deletedText, tariffStep } from '../../../../billing/runs/steps.ts'
import { dayOf } from '../../../../domain/calendar.ts'
import { formatRubles, minus, plus, times, zero } from '../../../../domain/money.ts'
import type { Clock } from '../../../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, id } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { type Refused, refused } from '../../body.ts'
import { post } from '../../doors.ts'
import { nextMonthBegins, type PreviewParts } from '../tariff/preview.ts'
import { findTariff, type FoundTariff, unfitTariff } from '../tariff/tariffs.ts'
import { preferHeader, countedAnswers, type Progress } from '../../countings.ts'
import {
  foresee,
  foreseeTogether,
  type Looking,
  type ManyParts,
  meantIds,
  type Order,
  orderBodyOf,
  patient,
  previewMembers,
  readOrder,
  refusalsMember,
  refusedOrder,
  startDoc,
  startMany,
  Tally,
} from './meant.ts'

export type TariffManyParts = ManyParts &
  Pick<PreviewParts, 'settings'> & {
    readonly clock: Clock
    readonly subscribers: Pick<SubscriberActors, 'ask' | 'status' | 'tariffPlan'>
  }

const fields = { tarif: id, when: choice(['now', 'next_month']) }

/** A tariff for many subscribers at once, or from the next month on: marked ones, or all that a list finds. */
export const tariffManyRoutes = (parts: TariffManyParts): Route[] => [
  post(
    '/admin/Abonents/tariff_many/preview',
    docs.preview,
    (call) => parts.countings.answer(call, (progress) => preview(parts, call, progress)),
    { allowedReadOnly: true },
  ),
  post('/admin/Abonents/tariff_many', docs.start, (call) => start(parts, call)),
]

/** Both null: the tariff begins at once. */
const atOnce = { day: null, at: null }

type TariffOrder = {
  readonly order: Order<typeof fields>
  readonly tariff: FoundTariff
  readonly from: ReturnType<typeof nextMonthBegins> | typeof atOnce
}

async function readTariffOrder(parts: TariffManyParts, call: Call): Promise<TariffOrder | Refused> {
  const order = await readOrder(parts, call, fields)
  if ('refused' in order) return order
  const { tarif, when } = order.own
  const tariff = await reading(parts, (client) => findTariff(client, tarif))
  const unfit = unfitTariff(tariff)
  if (!tariff || unfit) return { refused: refused(400, unfit!.code, unfit!.error) }
  return { order, tariff, from: when === 'now' ? atOnce : nextMonthBegins(parts) }
}

async function preview(parts: TariffManyParts, call: Call, progress: Progress): Promise<Reply> {
  const read = await readTariffOrder(parts, call)
  if ('refused' in read) return read.refused
  const { order, tariff, from } = read
  const looking = { call, order, progress }
  const seen = from.at
    ? await previewPlan(parts, looking, { id: tariff.id, price: tariff.price, from: from.at })
    : await previewNow(parts, looking, { id: tariff.id, price: tariff.price })
  const { total, tally, charged, back, monthly, closing } = seen
  return json({
    ok: true,
    total,
    ids: await meantIds(parts, looking, total),
    ...tally.counts,
    from: from.day,
    charged: formatRubles(charged),
    given_back: formatRubles(back),
    monthly: formatRubles(monthly),
    closing,
  })
}

async function previewNow(parts: TariffManyParts, looking: Looking, wanted: WantedTariff) {
  const now = parts.clock.now()
  const at = { now, day: dayOf(now, parts.settings.get('TIME_ZONE')) }
  const tally = new Tally()
  let [charged, back, monthly, closing] = [zero, zero, zero, 0]
  const total = await foresee(
    parts,
    looking,
    (client, ids) => tariffProspects(client, ids, wanted, at, patient),
    (one, prospect) => {
      if (prospect.kind === 'refused') return tally.refuse(prospect.reason, deletedText)
      if (prospect.kind === 'same') return tally.leave()
      tally.change(one)
      const { settled, closes } = prospect
      if (settled > zero) charged = plus(charged, settled)
      else back = minus(back, settled)
      monthly = plus(monthly, prospect.monthly)
      if (closes) closing++
    },
  )
  return { total, tally, charged, back, monthly, closing }
}

/** What decides about a plan has few values. */
const planColumns = ['client.deleted', 'client.tarif_id', 'client.next_tarif_id', 'client.next_tarif_date']

async function previewPlan(parts: TariffManyParts, looking: Looking, wanted: WantedTariff & { readonly from: Date }) {
  const tally = new Tally()
  let monthly = zero
  const total = await foreseeTogether<PlannedRow, ReturnType<typeof planProspect>>(parts, looking, {
    tally,
    columns: () => planColumns,
    judge: async () => (row) => planProspect(row, wanted),
    tell(prospect, count) {
      if (prospect.kind === 'refused') return tally.refuse(prospect.reason, deletedText, count)
      if (prospect.kind === 'same') return tally.leave(count)
      tally.changeSome(count)
      monthly = plus(monthly, times(prospect.monthly, count))
    },
  })
  return { total, tally, charged: zero, back: zero, monthly, closing: 0 }
}

async function start(parts: TariffManyParts, call: Call): Promise<Reply> {
  const read = await readTariffOrder(parts, call)
  if ('refused' in read) return read.refused
  const { order, tariff, from } = read
  const asked = { tarif: { id: tariff.id, name: tariff.name }, from: from.day }
  const step = tariffStep(parts.subscribers, { tariffId: tariff.id, from: from.at })
  return startMany(parts, call, order, { kind: 'tariffs', asked }, step)
}

const orderBody = orderBodyOf(fields)

const docs = {
  preview: {
    tag: 'Subscribers',
    summary: 'What a tariff for many would change and cost, before it is begun',
    headers: preferHeader,
    body: orderBody,
    isFormToo: false,
    answers: countedAnswers(
      'By the rules of the change and the tables as they are now; nothing is written',
      {
        ...previewMembers,
        refused: refusalsMember,
        from: Type.With(nullable(schemas.day), { description: 'The first day of the tariff; null: at once' }),
        charged: Type.With(schemas.rubles, {
          description: 'What is charged at once for the rest of the period, in all',
        }),
        given_back: Type.With(schemas.rubles, { description: 'What is given back at once, in all' }),
        monthly: Type.With(schemas.rubles, { description: 'By how much the prices of a month grow, in all' }),
        closing: Type.Integer({ description: 'Of those who change: open now, and closed by the debt that it makes' }),
      },
      refusedOrder,
    ),
  },
  start: startDoc('Change the tariff of many subscribers at once, or plan it for the next month', orderBody),
} as const satisfies Record<string, RouteDoc>
