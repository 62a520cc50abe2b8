import Type from 'typebox'
import { chooseTariff, type OfferedTariff, readTariffs } from '../../billing/clients/tariffs.ts'
import { dayOf } from '../../domain/calendar.ts'
import { formatRubles } from '../../domain/money.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { okAnswer, refusalAnswer, tags, wholeId } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refused } from './refusal.ts'
import type { Attempt } from './repeats.ts'

export const tariffRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/account/tariffs', docs.list, async ({ client }) => {
    const { items, next } = await readTariffs(parts, client.subscriberId)
    return json({ items: items.map(shown), next: next && { id: next.id, name: next.name, date: next.from } })
  }),
  doors.once('/account/tariff', docs.choose, (phone, { tariff_id: tariff }, attempt) =>
    choose(parts, phone, tariff, attempt),
  ),
]

const shown = ({ id, name, price, speedMbit, uploadMbit, description, isCurrent }: OfferedTariff) => ({
  id,
  name,
  price: formatRubles(price),
  speed_mbit: speedMbit,
  upload_mbit: uploadMbit,
  description,
  current: isCurrent,
})

async function choose(
  parts: MobileParts,
  phone: PhoneCall,
  tariff: number,
  { keys, isRetry }: Attempt,
): Promise<Reply> {
  const { subscriberId } = phone.client
  const chosen = await chooseTariff(parts, subscriberId, tariff, phone.author, keys)
  if (chosen.kind === 'done') {
    // RADIUS must know the new speed before the phone gets its answer.
    await parts.changed({ table: 'abonents', ids: [subscriberId] })
    return json({ status: 'ok', tariff_id: tariff, effective_date: chosen.from, operation_id: chosen.operationId })
  }
  if (chosen.reason === 'current' && isRetry) {
    const today = dayOf(parts.clock.now(), parts.settings.get('TIME_ZONE'))
    return json({ status: 'ok', tariff_id: tariff, effective_date: today, operation_id: null })
  }
  if (chosen.reason === 'missing') return refused(phone, 404, 'not_found')
  return chosen.reason === 'current' ? refused(phone, 400, 'tariff_current') : refused(phone, 404, 'tariff_not_offered')
}

const docs = {
  list: {
    tag: tags.account,
    summary: 'Tariffs to choose from, with the present one',
    answers: {
      200: {
        doc: 'The cheapest first',
        schema: Type.Object({
          items: Type.Array(
            Type.Object({
              id: schemas.integer,
              name: schemas.text,
              price: Type.With(schemas.rubles, { description: 'Of a month' }),
              speed_mbit: nullable(schemas.number),
              upload_mbit: nullable(schemas.number),
              description: schemas.text,
              current: schemas.boolean,
            }),
          ),
          next: Type.With(nullable(Type.Object({ id: schemas.integer, name: schemas.text, date: schemas.day })), {
            description: 'A change that is planned',
          }),
        }),
      },
    },
  },
  choose: {
    tag: tags.account,
    summary: 'Change the tariff',
    description:
      'At once, or from the first of the next month with the setting TARIFF_CHANGE=next_period; then choosing the present tariff takes the change back.',
    body: Type.Object({ tariff_id: wholeId }),
    answers: {
      200: okAnswer('Changed, or planned', {
        tariff_id: schemas.integer,
        effective_date: schemas.day,
        operation_id: Type.With(nullable(schemas.integer), { description: 'null: it is yet to begin' }),
      }),
      400: refusalAnswer('tariff_current, bad_request'),
      404: refusalAnswer('tariff_not_offered'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
