import Type from 'typebox'
import type { Session } from '../../../domain/events.ts'
import { type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { patientFor, reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { findHomesWithin } from '../../../platform/storage/addresses.ts'
import { cursor, cursorOf } from '../cursors.ts'
import { answers, get } from '../doors.ts'
import { ListFilters } from '../list-filters.ts'
import { atMost } from '../paging.ts'
import { idsByName } from './found-by-name.ts'
import { clientsSql, filterParameters, matchOrder, narrow, narrowToBeginning, orderOf, sorts } from './list-filters.ts'
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
/** Finding every match of a filter would take as long as reading the table. */
const countedMax = 1_000
/** A search for a word that half of all subscribers have may take some seconds on a busy machine. */
const patientMs = 6_000
const patient = patientFor(patientMs)

async function listSubscribers(parts: SubscriberListParts, call: Call): Promise<Reply> {
  const read = new ListFilters(call.query).read(query)
  if ('refused' in read) return read.refused
  const { limit: asked = limitUsual, cursor: after, sort, q } = read.values
  const limit = Math.min(asked, limitMax)
  const { home } = read.values
  const order = orderOf(sort)
  const isMatch = sort === 'match'
  return reading(
    parts,
    async (client) => {
      const homes = home === undefined ? undefined : await findHomesWithin(client, home)
      const narrowed = () => {
        const filters = new ListFilters()
        narrow(filters, read.values, visibleTo(call), homes)
        return filters
      }
      const filters = narrowed()
      const few = await fewMatches(client, filters)
      const found = { narrowed, patient, idsOf: (of: ListFilters) => fewMatches(client, of) }
      const begun = isMatch && few === null ? await idsBeginning(client, narrowed(), q) : []
      const byName = () => idsByName(client, { ...found, q, order, after, limit: limit + 1 })
      const ids = few ?? (begun.length > 0 ? begun : await byName())
      if (ids !== null) filters.where(`client.id = ANY(${filters.add(ids, 'int8[]')})`)
      // Told with the first page only: the others are of the same list.
      const total = after ? undefined : { total: few?.length ?? countedMax, has_more_than_total: few === null }
      if (after) filters.where(order.afterSql(filters, after))
      const orderSql = (isMatch ? matchOrder(filters, q) : null) ?? order.sql
      const page = {
        text: `SELECT ${itemSql} AS item, ${order.valueSql} AS place
          FROM (SELECT client.id FROM ${clientsSql} WHERE ${filters.conditions} ORDER BY ${orderSql} LIMIT ${limit + 1}) AS page
          JOIN abonents AS client USING (id) JOIN admin_accounts AS account ON account.id = client.account_id
          ORDER BY ${orderSql}`,
        values: filters.values,
      }
      const { rows } = await client.query<{ item: ListedSubscriber; place: string }>(patient(page))
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const next_cursor =
        rows.length > limit && last && !isMatch ? cursorOf({ value: last.place, id: last.item.id }) : null
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

/**
 * The ids of all that a filter finds, in any order; null: there are more than are counted. Where they are few, the page
 * is made of them: walking along its order would pass by most of a million others.
 */
async function fewMatches(client: Client, filters: ListFilters): Promise<readonly number[] | null> {
  const ids = await idsFound(client, filters, countedMax + 1)
  return ids.length > countedMax ? null : ids
}

async function idsFound(client: Client, filters: ListFilters, limit: number): Promise<readonly number[]> {
  const query = {
    text: `SELECT client.id::float8 AS id FROM ${clientsSql} WHERE ${filters.conditions} LIMIT ${limit}`,
    values: [...filters.values],
  }
  const { rows } = await client.query<{ id: number }>(patient(query))
  return rows.map(({ id }) => id)
}

/** Some of those whose name begins with the first word, where too many are found to look at each. */
async function idsBeginning(client: Client, filters: ListFilters, q?: string): Promise<readonly number[]> {
  narrowToBeginning(filters, q)
  return idsFound(client, filters, countedMax)
}

const query = {
  ...filterParameters,
  sort: {
    doc: 'With - before it the other way round; `match` has one page, first of it those whose name begins with the first word',
    schema: choice(sorts),
  },
  limit: atMost(limitMax),
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
