import Type from 'typebox'
import { type ClientService, readServices, switchService } from '../../billing/clients/services.ts'
import { formatRubles } from '../../domain/money.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { readBody } from './body.ts'
import { base, idempotencyKey, okAnswer, refusalAnswer, tags, toggle, wholeId } from './docs.ts'
import { limited, type MobileDoors, type PhoneCall } from './door.ts'
import type { MobileParts } from './parts.ts'
import { refused } from './refusal.ts'
import type { Repeats } from './repeats.ts'

export const serviceRoutes = (parts: MobileParts, doors: MobileDoors, repeats: Repeats): Route[] => [
  {
    method: 'GET',
    path: `${base}/services/list`,
    door: 'mobile',
    doc: limited(docs.list),
    handler: doors.signedIn(async ({ client }) => {
      const services = await readServices(parts.pool, client.subscriberId)
      return json({ items: services.map(shown) })
    }),
  },
  {
    method: 'POST',
    path: `${base}/services/toggle`,
    door: 'mobile',
    doc: limited(docs.toggle),
    handler: doors.signedIn((phone) => switchOne(parts, repeats, phone)),
  },
]

const shown = ({ id, name, price, enabled, canToggle }: ClientService) => ({
  id,
  name,
  price: formatRubles(price),
  enabled,
  can_toggle: canToggle,
})

async function switchOne(parts: MobileParts, repeats: Repeats, phone: PhoneCall): Promise<Reply> {
  const read = readBody(phone, docs.toggle.body)
  if ('refusal' in read) return read.refusal
  const { service_id: service, enable } = read.body
  return repeats.once(phone, read.sent, async () => {
    const { subscriberId } = phone.client
    const switched = await writing(parts, (client) =>
      switchService(client, subscriberId, service, enable, phone.author),
    )
    if (switched.kind === 'done') return json({ status: 'ok', service: shown(switched.service) })
    return switched.reason === 'fixed'
      ? refused(phone, 400, 'service_fixed')
      : refused(phone, 404, 'service_not_offered')
  })
}

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
    headers: idempotencyKey,
    body: Type.Object({ service_id: wholeId, enable: toggle }),
    answers: {
      200: okAnswer('Switched, or so already', { service: serviceSchema }),
      400: refusalAnswer('service_fixed, bad_request'),
      404: refusalAnswer('service_not_offered'),
      409: refusalAnswer('conflict'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
