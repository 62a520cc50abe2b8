import Type from 'typebox'
import { lockLanes } from '../../../billing/webhooks/delivery-table.ts'
import { seenEndpointSql } from '../../../billing/webhooks/endpoint-table.ts'
import { addTest, giveUp, replayMany, replayOne } from '../../../billing/webhooks/replay.ts'
import { readId } from '../../../domain/ids.ts'
import { testEvent, webhookEvents } from '../../../domain/webhook-events.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { strictlyVisibleSql } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, writing } from '../../../platform/storage/transactions.ts'
import { readSentBody, refused } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { ListFilters, periodParameters } from '../list-filters.ts'
import { type SortedList, sortedAnswers, sortedPage, sortedParameters } from '../sorted-lists.ts'
import { endpointsPath, findAsked } from './endpoints.ts'
import { replayFields } from './fields.ts'
import { missingDelivery, missingEndpoint, rights, tag, type WebhookParts } from './parts.ts'
import { deliveryItem, deliverySchema, wholeDelivery, wholeDeliverySchema } from './shapes.ts'

const path = '/admin/webhooks/deliveries'
/** More of them would take longer than a request may. */
const replayedMax = 20_000

/** What was sent to endpoints, what waits, and sending it again. */
export const deliveryRoutes = (parts: WebhookParts): Route[] => [
  get(path, docs.list, (call) => list(parts, call), { right: rights.read }),
  get(`${path}/:id`, docs.one, (call) => show(parts, call), { right: rights.read }),
  post(`${path}/:id/replay`, docs.replay, (call) => replay(parts, call), { right: rights.change }),
  post(`${path}/:id/give_up`, docs.giveUp, (call) => stop(parts, call), { right: rights.change }),
  post(`${endpointsPath}/:id/replay`, docs.replayMany, (call) => replayAll(parts, call), { right: rights.change }),
  post(`${endpointsPath}/:id/test`, docs.test, (call) => test(parts, call), { right: rights.change }),
]

const row = 'delivery'
const joins = 'JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id'

/** SQL: an endpoint may have been told of further organizations before. */
const seenSql = (visible: `$${number}`): string =>
  `${seenEndpointSql('endpoint', visible)} AND (delivery.organization_id IS NULL OR ${strictlyVisibleSql('delivery.organization_id', visible)})`

const sorted: SortedList = {
  table: 'webhook_deliveries',
  row,
  joins,
  item: () => deliveryItem,
  sorts: { id: ['delivery.id', 'int8'] },
}

function list(parts: WebhookParts, call: Call): Promise<Reply> | Reply {
  const filters = new ListFilters(call.query)
  const read = filters.read(listParameters, ['endpoint', 'state', 'event', 'abonent_id', 'sort', 'limit', 'cursor'])
  if ('refused' in read) return read.refused
  const { endpoint, state, event, abonent_id, sort = '-id', limit, cursor } = read.values
  for (const [column, value] of Object.entries({ endpoint_id: endpoint, state, event, subscriber_id: abonent_id }))
    if (value !== undefined) filters.where(`delivery.${column} = ${filters.place(value)}`)
  const visible = visibleTo(call)
  if (visible !== null) filters.where(seenSql(filters.place(visible) as `$${number}`))
  const wrong = filters.wherePeriod('delivery.created_at')
  if (wrong) return wrong.refused
  return reading(parts, async (client) => {
    const page = await sortedPage<unknown>(client, sorted, filters, { sort, limit, cursor })
    return json({ ok: true, ...page })
  })
}

type Shown = { readonly id: number; readonly endpoint_id: number; readonly state: string }

/** Null: there is none, or the caller does not see its endpoint. */
async function find(client: Client, asked: unknown, call: Call): Promise<Shown | null> {
  const wanted = readId(asked)
  if (wanted === null) return null
  const { rows } = await client.query<{ delivery: Shown }>(
    `SELECT ${wholeDelivery} AS delivery FROM webhook_deliveries AS delivery ${joins}
      WHERE delivery.id = $2 AND ${seenSql('$1')}`,
    [visibleTo(call), wanted],
  )
  return rows[0]?.delivery ?? null
}

async function show(parts: WebhookParts, call: Call): Promise<Reply> {
  const delivery = await reading(parts, (client) => find(client, call.params.id, call))
  return delivery ? json({ ok: true, delivery }) : notFoundReply()
}

const endpointOff = () => refused(409, 'endpoint_off', 'The endpoint is switched off.')

async function isOn(client: Client, endpoint: number): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM webhook_endpoints WHERE id = $1 AND enabled', [endpoint])
  return rowCount === 1
}

async function replay(parts: WebhookParts, call: Call): Promise<Reply> {
  const reply = await writing(parts, async (client) => {
    await lockLanes(client)
    const found = await find(client, call.params.id, call)
    if (!found) return notFoundReply()
    if (!(await isOn(client, found.endpoint_id))) return endpointOff()
    await replayOne(client, found.id, parts.clock.now())
    await audit(client, call, found.endpoint_id, { replayed: [null, found.id] })
    return json({ ok: true, delivery: await find(client, found.id, call) })
  })
  parts.webhooks.wake()
  return reply
}

async function stop(parts: WebhookParts, call: Call): Promise<Reply> {
  const reply = await writing(parts, async (client) => {
    await lockLanes(client)
    const found = await find(client, call.params.id, call)
    if (!found) return notFoundReply()
    if (!(await giveUp(client, found.id, `Given up by ${authorOf(call).name}.`, parts.clock.now())))
      return refused(409, 'delivery_over', 'It does not wait any more.')
    await audit(client, call, found.endpoint_id, { given_up: [null, found.id] })
    return json({ ok: true, delivery: await find(client, found.id, call) })
  })
  parts.webhooks.wake()
  return reply
}

async function replayAll(parts: WebhookParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, replayFields)
  if ('refused' in read) return read.refused
  const { state = 'failed', since, until } = read.values
  if (state === 'all' && since === undefined)
    return refused(400, 'since_missing', 'All that was delivered is sent again since a moment only.')
  const reply = await writing(parts, async (client) => {
    await lockLanes(client)
    const endpoint = await findAsked(client, call)
    if (!endpoint) return notFoundReply()
    if (!endpoint.enabled) return endpointOff()
    const order = {
      endpoint: endpoint.id,
      states: state === 'all' ? (['failed', 'delivered'] as const) : (['failed'] as const),
      since: since === undefined ? null : await momentOf(client, since),
      until: until === undefined ? null : await momentOf(client, until),
    }
    const replayed = await replayMany(client, order, replayedMax, parts.clock.now())
    if (replayed > replayedMax)
      return refused(400, 'too_many', `They are more than ${replayedMax}; narrow the period down.`)
    if (replayed > 0)
      await audit(client, call, endpoint.id, { replayed: [null, { state, since, until, count: replayed }] })
    return json({ ok: true, replayed })
  })
  parts.webhooks.wake()
  return reply
}

async function test(parts: WebhookParts, call: Call): Promise<Reply> {
  const reply = await writing(parts, async (client) => {
    await lockLanes(client)
    const endpoint = await findAsked(client, call)
    if (!endpoint) return notFoundReply()
    if (!endpoint.enabled) return endpointOff()
    const added = await addTest(client, endpoint.id, parts.clock.now())
    await audit(client, call, endpoint.id, { tested: [null, added] })
    return json({ ok: true, delivery: await find(client, added, call) })
  })
  parts.webhooks.wake()
  return reply
}

const audit = (client: Client, call: Call, endpoint: number, diff: Diff): Promise<void> =>
  writeAudit(client, {
    ...{ author: authorOf(call), table: 'WEBHOOK_ENDPOINTS', id: String(endpoint) },
    ...{ action: 'change', diff, organizationId: null },
  })

const listParameters = {
  endpoint: { doc: 'The endpoint', schema: id },
  state: { doc: 'waiting, delivered or failed', schema: choice(['waiting', 'delivered', 'failed']) },
  event: { doc: 'What it tells', schema: choice([...webhookEvents, testEvent]) },
  abonent_id: { doc: 'The subscriber', schema: id },
  ...periodParameters,
  ...sortedParameters(['id']),
}

const one = { delivery: wholeDeliverySchema }
const missing = { 404: missingDelivery }
const off = 'The endpoint is switched off (`endpoint_off`)'

const docs = {
  list: {
    tag,
    summary: 'Deliveries of webhooks, the newest first',
    description: 'They are kept for 30 days.',
    query: listParameters,
    answers: sortedAnswers(deliverySchema),
  },
  one: { tag, summary: 'One delivery, with what is sent', answers: answers('The delivery', one, missing) },
  replay: {
    tag,
    summary: 'Send a delivery again',
    description:
      'With the same id and body, signed with the time of now. It takes its place among the deliveries of its subscriber; one that waits is tried at once.',
    answers: answers('It waits', one, { ...missing, 409: off }),
  },
  giveUp: {
    tag,
    summary: 'Give up a delivery that waits, so that the next one of its subscriber goes',
    answers: answers('It is given up', one, { ...missing, 409: 'It does not wait (`delivery_over`)' }),
  },
  replayMany: {
    tag,
    summary: 'Send again what was given up, or all since a moment',
    body: Type.Object(replayFields),
    answers: answers(
      'They wait',
      { replayed: schemas.integer },
      {
        400: 'A wrong field; `all` without `since` (`since_missing`); or there are too many (`too_many`)',
        404: missingEndpoint,
        409: off,
      },
    ),
  },
  test: {
    tag,
    summary: 'Send a test event to an endpoint',
    description: 'Its type is `webhook.test`. Ask the delivery for what became of it.',
    answers: answers('It waits', one, { 404: missingEndpoint, 409: off }),
  },
} as const satisfies Record<string, RouteDoc>
