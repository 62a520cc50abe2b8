import Type from 'typebox'
import { type ClientService, readServices, switchService } from '../../billing/clients/services.ts'
import { formatRubles } from '../../domain/money.ts'
import type { Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { okAnswer, refusalAnswer, tags, toggle, wholeId } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts } from './parts.ts'
import { refused } from './refusal.ts'

export const serviceRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/services/list', docs.list, async ({ client }) => {
    const services = await readServices(parts.pool, client.subscriberId)
    return json({ items: services.map(shown) })
  }),
  doors.once('/services/toggle', docs.toggle, (phone, { service_id: service, enable }, { keep }) =>
    writing(parts, async (client) => {
      const switched = await switchService(client, phone.client.subscriberId, service, enable, phone.author)
      if (switched.kind === 'refused')
        return switched.reason === 'fixed'
          ? refused(phone, 400, 'service_fixed')
          : refused(phone, 404, 'service_not_offered')
      const reply = json({ status: 'ok', service: shown(switched.service) })
      await keep(client, reply)
      return reply
    }),
  ),
]

const shown = ({ id, name, price, enabled, canToggle }: ClientService) => ({
  id,
  name,
  price: formatRubles(price),
  enabled,
  can_toggle: canToggle,
})

const serviceSchema = Type.Object({
  id: schemas.integer,
  name: schemas.text,
  price: Type.With(schemas.rubles, { description: 'Of a whole month' }),
  enabled: schemas.boolean,
  can_toggle: Type.Boolean({ description: 'false: only the operator switches it' }),
})

const docs = {
  list: {
    tag: tags.services,
    summary: 'Services that are on, and those on offer',
    answers: { 200: { doc: 'By name', schema: Type.Object({ items: Type.Array(serviceSchema) }) } },
  },
  toggle: {
    tag: tags.services,
    summary: 'Switch a service',
    body: Type.Object({ service_id: wholeId, enable: toggle }),
    answers: {
      200: okAnswer('Switched, or so already', { service: serviceSchema }),
      400: refusalAnswer('service_fixed, bad_request'),
      404: refusalAnswer('service_not_offered'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
