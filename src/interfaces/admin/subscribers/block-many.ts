import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import type { SubscriberActors } from '../../../billing/accounts/subscribers.ts'
import { blocksRun } from '../../../billing/runs/blocks-run.ts'
import type { Runs } from '../../../billing/runs/runs.ts'
import { subscriberId } from '../../../domain/ids.ts'
import type { Session } from '../../../domain/events.ts'
import type { SubscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field, flag, parametersOf, readBySchema } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { bulkForbiddenReply, findAllVisible, visibleTo } from '../../../platform/staff/visible-records.ts'
import { patientFor, reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { idempotencyHeader, keysOf } from '../accounts/money-request.ts'
import { type Fields, type Refused, readBody, readSent, refused } from '../body.ts'
import { answers, post } from '../doors.ts'
import { ListFilters } from '../list-filters.ts'
import { startedReply } from '../runs/routes.ts'
import { runSchema } from '../runs/shapes.ts'
import { type Asked, filterParameters, narrow } from './list-filters.ts'

export type BlockManyParts = TransactionScope & {
  readonly subscribers: Pick<SubscriberActors, 'ask' | 'status'>
  readonly sessions: { ofSubscriber(id: SubscriberId): Iterable<Session> }
  readonly runs: Pick<Runs, 'start' | 'table'>
}

/** The operator's block for many subscribers at once: marked ones, or all that a list finds. */
export const blockManyRoutes = (parts: BlockManyParts): Route[] => [
  post('/admin/Abonents/block_many/preview', docs.preview, (call) => preview(parts, call), { allowedReadOnly: true }),
  post('/admin/Abonents/block_many', docs.start, (call) => start(parts, call)),
]

const idsMax = 5_000
/** A search for a word that half of all subscribers have may take some seconds on a busy machine. */
const patientMs = 6_000
const patient = patientFor(patientMs)
const sampleMax = 5
/** So many subscribers are looked for among the live sessions in about a millisecond. */
const lookedAtOnce = 2_000

async function preview(parts: BlockManyParts, call: Call): Promise<Reply> {
  const order = await readOrder(parts, call)
  if ('refused' in order) return order.refused
  const meant = await findMeant(parts, call, order)
  const changing = meant.filter(({ is_blocked }) => is_blocked !== order.on)
  const online = await countOnline(parts, changing)
  const stay = order.on ? 0 : changing.filter(({ has_other }) => has_other).length
  return json({
    ok: true,
    total: meant.length,
    changing: changing.length,
    same: meant.length - changing.length,
    online,
    still_closed: stay,
    sample: changing.slice(0, sampleMax).map(({ id, name }) => ({ id, name })),
  })
}

/** Of a million subscribers it would hold up everything else, were it one turn of the loop. */
async function countOnline({ sessions }: BlockManyParts, subscribers: readonly Meant[]): Promise<number> {
  let online = 0
  for (const [at, { id }] of subscribers.entries()) {
    if (at % lookedAtOnce === lookedAtOnce - 1) await nextTurn()
    for (const _ of sessions.ofSubscriber(subscriberId(id))) {
      online++
      break
    }
  }
  return online
}

async function start(parts: BlockManyParts, call: Call): Promise<Reply> {
  const order = await readOrder(parts, call)
  if ('refused' in order) return order.refused
  const key = keysOf(call, order.fields)
  if ('refused' in key) return key.refused
  const { on, filter } = order
  const meant = await findMeant(parts, call, order)
  const author = authorOf(call)
  const work = blocksRun(parts.subscribers, {
    subscribers: meant,
    on,
    author,
  })
  const asked = { on, ...(filter && { filter }) }
  const started = await parts.runs.start({ kind: 'blocks', author, asked, keys: key.keys }, work)
  return startedReply(parts, call, started, 'run')
}

type Order = {
  readonly on: boolean
  readonly ids: readonly number[] | undefined
  readonly filter: Asked | undefined
  readonly fields: Fields
}

async function readOrder(parts: BlockManyParts, call: Call): Promise<Order | Refused> {
  const body = readBody(call)
  if ('refused' in body) return body
  const read = readSent(orderBody.properties, body.fields, { names: ['on', 'ids', 'filter'] })
  if ('refused' in read) return read
  const { on, ids: sent, filter } = read.values
  if ((sent === undefined) === (filter === undefined))
    return { refused: refused(400, 'wrong_field', 'Name either ids or filter.') }
  const ids = sent && (await findAllVisible(parts.database.pool, 'subscriber', sent, visibleTo(call)))
  return ids === null ? { refused: bulkForbiddenReply() } : { on, ids, filter, fields: body.fields }
}

type Meant = {
  readonly id: number
  readonly name: string
  readonly is_blocked: boolean
  /** For another reason, which stays. */
  readonly has_other: boolean
}

/** Those whom the order means now, in the order of their ids. */
function findMeant(parts: BlockManyParts, call: Call, { ids, filter }: Order): Promise<readonly Meant[]> {
  const filters = new ListFilters()
  if (ids) filters.where(`client.id = ANY(${filters.add(ids, 'int8[]')})`)
  else narrow(filters, filter ?? {}, visibleTo(call))
  const query = {
    text: `SELECT client.id::float8 AS id, client.name, coalesce(block.b_admin, false) AS is_blocked,
        coalesce(block.b_negbal OR block.b_own OR block.b_sys, false) AS has_other
      FROM abonents AS client JOIN admin_accounts AS account ON account.id = client.account_id
      LEFT JOIN abonents_block AS block ON block.abonent_id = client.id
      WHERE ${filters.conditions} ORDER BY client.id`,
    values: filters.values,
  }
  return reading(parts, async (client) => (await client.query<Meant>(patient(query))).rows, patientMs)
}

/** The filter of the list of subscribers, by the names that the list gives it. */
const filterField = field<Asked>(
  Type.Object(
    Object.fromEntries(Object.entries(filterParameters).map(([name, { schema }]) => [name, Type.Optional(schema)])),
  ),
  `have members of ${Object.keys(filterParameters).join(', ')}, as the list of subscribers takes them`,
  (sent) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null
    if (Object.keys(sent).some((name) => !(name in filterParameters))) return null
    const read = readBySchema(parametersOf(filterParameters), sent as Fields)
    return 'wrong' in read ? null : read.values
  },
)

const idsField = field<number[]>(
  Type.Array(schemas.integer, { minItems: 1, maxItems: idsMax }),
  `be a list of 1 to ${idsMax} ids`,
  (sent) => (Array.isArray(sent) && sent.length > 0 && sent.length <= idsMax ? (sent as number[]) : null),
)

const orderBody = Type.Object({
  on: Type.With(flag, { description: 'true: block; false: lift the block of the operator' }),
  ids: Type.Optional(idsField),
  filter: Type.Optional(Type.With(filterField, { description: 'Everybody whom the list of subscribers finds by it' })),
})

const refusedOrder = {
  400: 'Neither ids nor filter, or both, or a wrong one',
  403: 'One of the subscribers is missing or of another organization; nothing is done',
}

const docs = {
  preview: {
    tag: 'Subscribers',
    summary: 'Whom a block of many would change, before it is begun',
    body: orderBody,
    isFormToo: false,
    answers: answers(
      'By the tables as they are now; nothing is written',
      {
        total: Type.Integer({ description: 'Those who were meant' }),
        changing: schemas.integer,
        same: Type.Integer({ description: 'Those who are so already' }),
        online: Type.Integer({ description: 'Of those who change; a block cuts their sessions' }),
        still_closed: Type.Integer({ description: 'Of those who are opened: closed for another reason' }),
        sample: Type.Array(Type.Object({ id: schemas.integer, name: schemas.text })),
      },
      refusedOrder,
    ),
  },
  start: {
    tag: 'Subscribers',
    summary: 'Block many subscribers, or open them',
    description:
      'Each by a turn of its account, as a single block; what cannot be done for one holds up no other. It answers at once, and the run goes on: ask `/admin/runs/{id}/`, and `/admin/runs/{id}/faults/` for whom it could not be done.',
    headers: idempotencyHeader,
    body: orderBody,
    isFormToo: false,
    answers: answers(
      'It has begun',
      { run: runSchema },
      { ...refusedOrder, 409: 'The key was used for another order' },
    ),
  },
} as const satisfies Record<string, RouteDoc>
