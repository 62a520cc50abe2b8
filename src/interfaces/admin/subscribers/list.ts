import Type from 'typebox'
import type { Session } from '../../../domain/events.ts'
import { type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, count, reworded } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { patientFor, reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { cursor, cursorOf } from '../cursors.ts'
import { answers, get } from '../doors.ts'
import { ListFilters } from '../list-filters.ts'
import { filterParameters, narrow, orderOf, sorts } from './list-filters.ts'
import { itemSchema, itemSql, type ListedSubscriber } from './list-shape.ts'

export type SubscriberListParts = TransactionScope & {
  /** The sessions that are live now. */
  readonly sessions: { ofSubscriber(id: SubscriberId): Iterable<Session> }
}

/** The subscribers as the console lists them. */
export const subscriberListRoutes = (parts: SubscriberListParts): Route[] => [
  get('/admin/Abonents/subscribers', doc, (call) => listSubscribers(parts, call)),
]

const limitUsual = 50
const limitMax = 200
/** Counting every match of a filter would take as long as reading the table. */
const countedMax = 1_000
/** A search for a word that half of all subscribers have may take some seconds on a busy machine. */
const patientMs = 6_000
const patient = patientFor(patientMs)

async function listSubscribers(parts: SubscriberListParts, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { limit: asked = limitUsual, cursor: after, sort } = read.values
  const limit = Math.min(asked, limitMax)
  narrow(filters, read.values, visibleTo(call))
  const order = orderOf(sort)
  return reading(
    parts,
    async (client) => {
      // Counted with the first page only: the others are of the same list.
      const total = after ? undefined : await countMatches(client, filters)
      if (after) filters.where(order.afterSql(filters, after))
      const page = {
        text: `SELECT ${itemSql} AS item, ${order.valueSql} AS place
          FROM (SELECT client.id FROM abonents AS client JOIN admin_accounts AS account ON account.id = client.account_id
            WHERE ${filters.conditions} ORDER BY ${order.sql} LIMIT ${limit + 1}) AS page
          JOIN abonents AS client USING (id) JOIN admin_accounts AS account ON account.id = client.account_id
          ORDER BY ${order.sql}`,
        values: filters.values,
      }
      const { rows } = await client.query<{ item: ListedSubscriber; place: string }>(patient(page))
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const next_cursor = rows.length > limit && last ? cursorOf({ value: last.place, id: last.item.id }) : null
      return json({ ok: true, items: shown.map(({ item }) => withLine(parts, item)), next_cursor, ...total })
    },
    patientMs,
  )
}

/** Where the subscriber is in the network now, which memory knows without asking the tables. */
function withLine({ sessions }: SubscriberListParts, item: ListedSubscriber) {
  const live = [...sessions.ofSubscriber(subscriberId(item.id))]
  const newest = live.at(-1)
  return { ...item, online: live.length > 0, ip: newest?.ip ?? null, online_since: newest?.startedAt ?? null }
}

async function countMatches(client: Client, filters: ListFilters) {
  const query = {
    text: `SELECT count(*)::int4 AS total FROM (SELECT FROM abonents AS client
      JOIN admin_accounts AS account ON account.id = client.account_id WHERE ${filters.conditions} LIMIT ${countedMax + 1}) AS found`,
    values: filters.values,
  }
  const { rows } = await client.query<{ total: number }>(patient(query))
  const total = rows[0]?.total ?? 0
  return { total: Math.min(total, countedMax), has_more_than_total: total > countedMax }
}

const query = {
  ...filterParameters,
  sort: { doc: 'With - before it the other way round', schema: choice(sorts) },
  limit: {
    doc: `At most ${limitMax}; more is cut`,
    schema: reworded(count(Number.POSITIVE_INFINITY), 'be a whole number from 1'),
  },
  cursor: { doc: '`next_cursor` of the page before', schema: cursor },
} as const

const doc: RouteDoc = {
  tag: 'Subscribers',
  summary: 'A page of the subscribers, with balance, state and whether they are online',
  query,
  answers: answers(
    'One page',
    {
      items: Type.Array(itemSchema),
      next_cursor: nullable(schemas.text),
      total: Type.Optional(Type.Integer({ description: `Counted up to ${countedMax}, and on the first page only` })),
      has_more_than_total: Type.Optional(schemas.boolean),
    },
    { 400: 'A parameter is wrong' },
  ),
}
