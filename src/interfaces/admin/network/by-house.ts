import Type from 'typebox'
import { type Houses, lostMinutes } from '../../../network/houses/houses.ts'
import type { HouseCounts } from '../../../network/houses/subscriber-homes.ts'
import { firstInOrder } from '../../../platform/first-in-order.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { isVisible, type VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { addressSql, findHomesWithin } from '../../../platform/storage/addresses.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { readQuery, trimmed } from '../body.ts'
import { cursorOf } from '../cursors.ts'
import { get } from '../doors.ts'
import { sortedAnswers, sortedParameters } from '../sorted-lists.ts'

type Parts = TransactionScope & { readonly houses: Houses }

/** How many of the subscribers of each house are online, so that an outage of a house is seen. */
export const byHouseRoutes = (parts: Parts): Route[] => [get('/admin/radius/homes', doc, (call) => list(parts, call))]

const limitUsual = 50
const limitMax = 200
/** Nobody scrolls further; a city or a street narrows it down. */
const housesMax = 10_000

const offlineOf = ({ subscribers, online }: HouseCounts): number => subscribers - online
const orders = {
  lost: ({ lost }: HouseCounts) => lost,
  offline: offlineOf,
  online: ({ online }: HouseCounts) => online,
  subscribers: ({ subscribers }: HouseCounts) => subscribers,
} as const
const columns = Object.keys(orders) as (keyof typeof orders)[]
const views = {
  all: () => true,
  // One subscriber who is away is no outage.
  down: ({ subscribers, online }: HouseCounts) => subscribers > 1 && online === 0,
  lost: ({ lost }: HouseCounts) => lost > 0,
} as const

type Question = {
  readonly visible: VisibleOrganizations
  readonly home: number | null
  readonly show: keyof typeof views
}

async function list(parts: Parts, call: Call): Promise<Reply> {
  const read = readQuery(query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const { home = null, show = 'all', sort = '-lost', cursor, limit: asked = limitUsual } = read.values
  const counted = await countHouses(parts, { visible: visibleTo(call), home, show })
  const total = Math.min(counted.length, housesMax)
  const begin = cursor?.id ?? 0
  const end = Math.min(begin + Math.min(asked, limitMax), housesMax)
  const page = (await firstInOrder(counted, orderOf(sort), end)).slice(begin)
  const addresses = await addressesOf(parts, page)
  return json({
    ok: true,
    items: page.map((house) => ({ ...house, address: addresses.get(house.id) ?? '' })),
    next_cursor: end < total ? cursorOf({ value: '', id: end }) : null,
    ...(cursor === undefined && { total, has_more_than_total: total === housesMax }),
  })
}

async function countHouses(parts: Parts, { visible, home, show }: Question): Promise<readonly HouseCounts[]> {
  const within = home === null ? null : new Set(await reading(parts, (client) => findHomesWithin(client, home)))
  const counted = await parts.houses.count({
    isVisible: (organization) => isVisible(visible, organization),
    isWanted: (id) => within === null || within.has(id),
  })
  return counted.filter(views[show])
}

function orderOf(sort: string): (a: HouseCounts, b: HouseCounts) => number {
  const direction = sort.startsWith('-') ? -1 : 1
  const by = orders[columns.find((name) => sort.endsWith(name))!]
  return (a, b) => direction * (by(a) - by(b)) || offlineOf(b) - offlineOf(a) || a.id - b.id
}

async function addressesOf(
  scope: TransactionScope,
  page: readonly HouseCounts[],
): Promise<ReadonlyMap<number, string>> {
  return reading(scope, async (client) => {
    const { rows } = await client.query<{ id: string; address: string }>(
      `SELECT id, ${addressSql('house.id', 'NULL::text')} AS address FROM homes AS house WHERE id = ANY($1::int8[])`,
      [page.map(({ id }) => id)],
    )
    return new Map(rows.map(({ id, address }) => [Number(id), address]))
  })
}

const { integer } = schemas
const query = {
  home: { doc: 'Only in this city or street', schema: id },
  show: {
    doc: 'down: houses of several subscribers of whom nobody is online; lost: where sessions ended and have not come back',
    schema: choice(Object.keys(views) as (keyof typeof views)[]),
  },
  ...sortedParameters(columns),
}

const doc: RouteDoc = {
  tag: 'Network',
  summary: 'How many of the subscribers of each house are online',
  description: `Left out, the sort is -lost: where most have gone offline of late comes first. At most ${housesMax} houses.`,
  query,
  answers: sortedAnswers(
    Type.Object({
      id: integer,
      address: Type.String({ description: 'From the city on' }),
      subscribers: Type.Integer({ description: 'Who live there and are not deleted' }),
      online: Type.Integer({ description: 'Of those who have a live session' }),
      lost: Type.Integer({ description: `Whose session ended within ${lostMinutes} minutes, and who have none now` }),
    }),
  ),
}
