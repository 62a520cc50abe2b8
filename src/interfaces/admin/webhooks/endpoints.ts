import Type from 'typebox'
import {
  deleteEndpoint,
  type Endpoint,
  type EndpointTerms,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  replaceSecret,
  updateEndpoint,
} from '../../../billing/webhooks/endpoint-table.ts'
import { newSecret } from '../../../billing/webhooks/message.ts'
import { giveUpForeign, resume } from '../../../billing/webhooks/replay.ts'
import { lockLanes } from '../../../billing/webhooks/delivery-table.ts'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { isSafeAddress, privateAddressesVariable } from '../../../platform/outgoing/destinations.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { type AuditRow, type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, writing } from '../../../platform/storage/transactions.ts'
import { readBody, readSent, readSentBody, refused, type Refused, wrongField } from '../body.ts'
import { answers, get, post, remove } from '../doors.ts'
import { changeFields, createFields, rotationFields, usualKeepHours } from './fields.ts'
import { missingEndpoint, rights, tag, type WebhookParts } from './parts.ts'
import { endpointSchema, secretSchema } from './shapes.ts'

export const endpointsPath = '/admin/webhooks/endpoints'
/** A faulty program must not fill the table; every event is compared with each of them. */
const endpointsMax = 100
const hourMs = 3_600_000

/** Where events are sent, and which. */
export const endpointRoutes = (parts: WebhookParts): Route[] => [
  get(endpointsPath, docs.list, (call) => list(parts, call), { right: rights.read }),
  post(endpointsPath, docs.create, (call) => create(parts, call), { right: rights.create }),
  get(`${endpointsPath}/:id`, docs.one, (call) => show(parts, call), { right: rights.read }),
  post(`${endpointsPath}/:id`, docs.change, (call) => change(parts, call), { right: rights.change }),
  remove(`${endpointsPath}/:id`, docs.remove, (call) => drop(parts, call), { right: rights.remove }),
  post(`${endpointsPath}/:id/rotate_secret`, docs.rotate, (call) => rotate(parts, call), { right: rights.change }),
]

async function list(parts: WebhookParts, call: Call): Promise<Reply> {
  const items = await reading(parts, (client) => listEndpoints(client, visibleTo(call)))
  return json({ ok: true, items, total: items.length })
}

async function show(parts: WebhookParts, call: Call): Promise<Reply> {
  const endpoint = await reading(parts, (client) => findAsked(client, call))
  return endpoint ? json({ ok: true, endpoint }) : notFoundReply()
}

/** The endpoint of the address, if the caller sees it. */
export async function findAsked(client: Client, call: Call): Promise<Endpoint | null> {
  const id = readId(call.params.id)
  return id === null ? null : findEndpoint(client, id, visibleTo(call))
}

async function create(parts: WebhookParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  // Null is all organizations, and not what is left out.
  const read = readSent(createFields, body.fields, { isLeftOut: (sent) => sent === undefined || sent === '' })
  if ('refused' in read) return read.refused
  const { organizations = visibleTo(call), description = '', enabled = true, ...sent } = read.values
  const terms = { ...sent, organizations, description, enabled }
  const wrong = (await refusedAddress(parts, terms.url)) ?? (await refusedOrganizations(parts, call, organizations))
  if (wrong) return wrong.refused
  const secret = newSecret()
  const endpoint = await writing(parts, async (client) => {
    const id = await insertEndpoint(client, terms, parts.secrets.seal(secret), endpointsMax)
    if (id === null) return null
    await audit(client, call, id, 'create', { ...diffOf(null, terms), secret: [null, '***'] })
    return (await findEndpoint(client, id, null))!
  })
  if (!endpoint) return refused(400, 'too_many_endpoints', `There are ${endpointsMax} endpoints already.`)
  await parts.webhooks.changed()
  return json({ ok: true, endpoint, secret })
}

async function change(parts: WebhookParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, changeFields, { isLeftOut: (sent) => sent === undefined })
  if ('refused' in read) return read.refused
  const { values } = read
  const wrong =
    (values.url === undefined ? null : await refusedAddress(parts, values.url)) ??
    (values.organizations === undefined ? null : await refusedOrganizations(parts, call, values.organizations))
  if (wrong) return wrong.refused
  const endpoint = await writing(parts, async (client) => {
    await lockLanes(client)
    const found = await findAsked(client, call)
    if (!found) return null
    const { id } = found
    await lockEndpoint(client, id)
    const before = termsOf((await findEndpoint(client, id, null)) ?? found)
    const terms = { ...before, ...values }
    const diff = diffOf(before, terms)
    if (Object.keys(diff).length === 0) return found
    const now = parts.clock.now()
    await updateEndpoint(client, id, before, terms, now)
    if (!before.enabled && terms.enabled) await resume(client, id, now)
    if ('organizations' in diff) await giveUpForeign(client, id, now)
    await audit(client, call, id, 'change', diff)
    return (await findEndpoint(client, id, null))!
  })
  if (!endpoint) return notFoundReply()
  await parts.webhooks.changed()
  return json({ ok: true, endpoint })
}

async function drop(parts: WebhookParts, call: Call): Promise<Reply> {
  const isDone = await writing(parts, async (client) => {
    const endpoint = await findAsked(client, call)
    if (!endpoint) return false
    await deleteEndpoint(client, endpoint.id)
    const diff = Object.entries(termsOf(endpoint)).map(([name, value]) => [name, [value, null]])
    await audit(client, call, endpoint.id, 'delete', Object.fromEntries(diff) as Diff)
    return true
  })
  if (!isDone) return notFoundReply()
  await parts.webhooks.changed()
  return json({ ok: true })
}

async function rotate(parts: WebhookParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, rotationFields)
  if ('refused' in read) return read.refused
  const { keep_hours: keepHours = usualKeepHours } = read.values
  const secret = newSecret()
  const endpoint = await writing(parts, async (client) => {
    const found = await findAsked(client, call)
    if (!found) return null
    const until = new Date(parts.clock.now().getTime() + keepHours * hourMs)
    await replaceSecret(client, found.id, parts.secrets.seal(secret), until)
    await audit(client, call, found.id, 'change', { secret: ['***', '***'], previous_secret_until: [null, until] })
    return (await findEndpoint(client, found.id, null))!
  })
  return endpoint ? json({ ok: true, endpoint, secret }) : notFoundReply()
}

/** What is sent says much of clients, so it goes encrypted, and nowhere within the provider's network. */
async function refusedAddress({ destinations }: WebhookParts, url: string): Promise<Refused | null> {
  if (!isSafeAddress(url))
    return { refused: wrongField('url', 'begin with https://, or be of a private IP address with http://') }
  if (!(await destinations.isPrivate(new URL(url).hostname))) return null
  const sentence = `The address is one of a private network that ${privateAddressesVariable} does not list.`
  return {
    refused: refused(400, 'private_address', sentence, {
      errors: { url: sentence },
      codes: { url: 'private_address' },
    }),
  }
}

async function refusedOrganizations(
  parts: WebhookParts,
  call: Call,
  organizations: readonly number[] | null,
): Promise<Refused | null> {
  const visible = visibleTo(call)
  const wrong = { refused: wrongField('organizations', 'be a list of organizations that you see') }
  if (organizations === null) return visible === null ? null : wrong
  if (visible !== null && !organizations.every((id) => visible.some((seen) => seen === id))) return wrong
  const found = await parts.database.pool.query('SELECT FROM organizations WHERE id = ANY($1::int8[])', [organizations])
  return found.rowCount === organizations.length ? null : wrong
}

const termNames = ['url', 'description', 'events', 'organizations', 'enabled'] as const

const termsOf = (endpoint: Endpoint): EndpointTerms => ({
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  organizations: endpoint.organizations,
  enabled: endpoint.enabled,
})

const diffOf = (before: EndpointTerms | null, after: EndpointTerms): Diff =>
  Object.fromEntries(
    termNames
      .filter((name) => before === null || JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, [before?.[name] ?? null, after[name]]]),
  )

const audit = (client: Client, call: Call, id: number, action: AuditRow['action'], diff: Diff): Promise<void> =>
  writeAudit(client, {
    ...{ author: authorOf(call), table: 'WEBHOOK_ENDPOINTS', id: String(id) },
    ...{ action, diff, organizationId: null },
  })

const wrong = { 400: 'A wrong field, or an address of a private network (`private_address`)' }
const missing = { 404: missingEndpoint }

const docs = {
  list: {
    tag,
    summary: 'Endpoints of webhooks',
    description: 'Staff of some organizations see those that are told of no other organization.',
    answers: answers('By id', { items: Type.Array(endpointSchema), total: schemas.integer }),
  },
  create: {
    tag,
    summary: 'Have events sent to an address',
    description:
      'Events are sent as Standard Webhooks says, signed with the secret of this answer; `webhooks` of this document has their shapes, and docs/webhooks.md says how to verify them.',
    body: Type.Object(createFields),
    answers: answers(
      'The endpoint',
      { endpoint: endpointSchema, secret: secretSchema },
      { 400: `${wrong[400]}, or there are too many (\`too_many_endpoints\`)` },
    ),
  },
  one: { tag, summary: 'One endpoint', answers: answers('The endpoint', { endpoint: endpointSchema }, missing) },
  change: {
    tag,
    summary: 'Change an endpoint',
    description: 'Fields that are left out stay. What waits goes on when the endpoint is switched on again.',
    body: Type.Object(changeFields),
    answers: answers('The endpoint', { endpoint: endpointSchema }, { ...wrong, ...missing }),
  },
  remove: {
    tag,
    summary: 'Delete an endpoint',
    answers: answers('Nothing is sent there any more', {}, missing),
  },
  rotate: {
    tag,
    summary: 'Give an endpoint a new secret',
    description: 'The one of before signs as well for some hours, so that the receiver has time to change.',
    body: Type.Object(rotationFields),
    answers: answers(
      'The new secret',
      { endpoint: endpointSchema, secret: secretSchema },
      { 400: 'A wrong field', ...missing },
    ),
  },
} as const satisfies Record<string, RouteDoc>
