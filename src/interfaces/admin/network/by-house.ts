import Type from 'typebox'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { addressSql, homesWithin } from '../../../platform/storage/addresses.ts'
import { patientFor, reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { readQuery, trimmed } from '../body.ts'
import { cursorOf } from '../cursors.ts'
import { get } from '../doors.ts'
import { Remembered } from '../remembered.ts'
import { sortedAnswers, sortedParameters } from '../sorted-lists.ts'

type Counted = {
  readonly id: number
  readonly subscribers: number
  readonly online: number
  readonly lost: number
}

/** How many of the subscribers of each house are online, so that an outage of a house is seen. */
export function byHouseRoutes(scope: TransactionScope & { readonly clock: Clock }): Route[] {
  const counts = new Remembered(scope.clock, (key) => countHouses(scope, JSON.parse(key)))
  return [get('/admin/radius/homes', doc, (call) => list(scope, counts, call))]
}

const limitUsual = 50
const limitMax = 200
/** Nobody scrolls further; a city or a street narrows it down. */
const housesMax = 10_000
/** Of a million subscribers every live session is looked at. */
const patientMs = 8_000
const patient = patientFor(patientMs)
const lostMinutes = 30

const columns = ['lost', 'offline', 'online', 'subscribers'] as const
type Column = (typeof columns)[number]
const sqlOf: Readonly<Record<Column, string>> = {
  lost: '4',
  offline: '(count(*) - count(online.id))',
  online: '3',
  subscribers: '2',
}
const having = {
  all: 'true',
  // One subscriber who is away is no outage.
  down: 'count(*) > 1 AND count(online.id) = 0',
  lost: 'count(lost.id) FILTER (WHERE online.id IS NULL) > 0',
} as const

type Question = {
  readonly visible: readonly number[] | null
  readonly home: number | null
  readonly show: keyof typeof having
  readonly sort: string
}

async function list(scope: TransactionScope, counts: Remembered<readonly Counted[]>, call: Call): Promise<Reply> {
  const read = readQuery(query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const { home = null, show = 'all', sort = '-lost', cursor, limit: asked = limitUsual } = read.values
  const question: Question = { visible: visibleTo(call), home, show, sort }
  const counted = await counts.get(JSON.stringify(question))
  const begin = cursor?.id ?? 0
  const end = begin + Math.min(asked, limitMax)
  const page = counted.slice(begin, end)
  const addresses = await addressesOf(scope, page)
  return json({
    ok: true,
    items: page.map((house) => ({ ...house, address: addresses.get(house.id) ?? '' })),
    next_cursor: end < counted.length ? cursorOf({ value: '', id: end }) : null,
    ...(cursor === undefined && { total: counted.length, has_more_than_total: counted.length === housesMax }),
  })
}

/** One pass over subscribers and live sessions; the page is cut from what it found. */
function countHouses(scope: TransactionScope, { visible, home, show, sort }: Question): Promise<readonly Counted[]> {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const by = sqlOf[columns.find((name) => sort.endsWith(name))!]
  const sessionsOf = (table: string) => `SELECT DISTINCT session.abonent_id AS id FROM ${table} AS known
    JOIN radius_sessions AS session ON session.id = known.session_id WHERE session.abonent_id IS NOT NULL`
  const text = `WITH online AS MATERIALIZED (${sessionsOf('radius_live_sessions')}),
      lost AS MATERIALIZED (${sessionsOf('radius_ended_sessions')} AND known.ended_at > now() - interval '${lostMinutes} minutes')
    SELECT client.home_id::float8 AS id, count(*)::int4 AS subscribers, count(online.id)::int4 AS online,
      (count(lost.id) FILTER (WHERE online.id IS NULL))::int4 AS lost
    FROM abonents AS client LEFT JOIN online ON online.id = client.id LEFT JOIN lost ON lost.id = client.id
    WHERE NOT client.deleted AND client.home_id IS NOT NULL AND ${visibleSql('client.organization_id', '$1')}
      ${home === null ? 'AND $2::int8 IS NULL' : `AND client.home_id = ANY(${homesWithin('$2::int8')})`}
    GROUP BY client.home_id HAVING ${having[show]}
    ORDER BY ${by} ${direction}, (count(*) - count(online.id)) DESC, client.home_id LIMIT ${housesMax}`
  return reading(
    scope,
    async (client) => {
      const { rows } = await client.query<Counted>(patient({ text, values: [visible, home] }))
      return rows
    },
    patientMs,
  )
}

async function addressesOf(scope: TransactionScope, page: readonly Counted[]): Promise<ReadonlyMap<number, string>> {
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
    schema: choice(Object.keys(having) as (keyof typeof having)[]),
  },
  ...sortedParameters(columns),
}

const doc: RouteDoc = {
  tag: 'Network',
  summary: 'How many of the subscribers of each house are online',
  description: `Left out, the sort is -lost: where most have gone offline of late comes first. At most ${housesMax} houses; on a large base as of some seconds ago.`,
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
