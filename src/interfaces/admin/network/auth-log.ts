import Type from 'typebox'
import { refusalCodes } from '../../../domain/access.ts'
import { normalMac } from '../../../domain/mac.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id, text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { strictlyVisibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { isRefused, type Refused } from '../body.ts'
import { cursor, cursorOf } from '../cursors.ts'
import { answers, get } from '../doors.ts'
import { ListFilters, periodOf } from '../list-filters.ts'
import { atMost } from '../paging.ts'
import { Remembered } from '../remembered.ts'
import { shapeOf } from '../shapes.ts'

/**
 * How sign-ins were answered (contract section 8). Staff of some organizations see those of their subscribers; unknown
 * logins and sums of many logins belong to no organization and are shown only to who sees all of them.
 */
export function authLogRoutes(scope: TransactionScope & { readonly clock: Clock }): Route[] {
  const counted = new Remembered(scope.clock, (asked) => countReasons(scope, asked))
  return [
    get('/admin/radius/log', docs.list, (call) => list(scope, call)),
    get('/admin/radius/log/reasons', docs.reasons, (call) => listReasons(counted, call)),
  ]
}

const limitUsual = 50
const limitMax = 500

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const narrowed = narrow(filters, call)
  if (isRefused(narrowed)) return narrowed.refused
  const { limit } = narrowed
  const { conditions, values } = filters
  return await reading(scope, async (client) => {
    const { rows } = await client.query<{ item: object; at_ms: string; id: string }>(
      `SELECT ${item} AS item, (extract(epoch FROM answer.at) * 1000)::int8 AS at_ms, answer.id
        FROM radius_auth_log AS answer WHERE ${conditions} ORDER BY answer.at DESC, answer.id DESC LIMIT ${limit + 1}`,
      values,
    )
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return json({
      ok: true,
      items: shown.map(({ item }) => item),
      next_cursor: last ? cursorOf({ value: last.at_ms, id: Number(last.id) }) : null,
    })
  })
}

type Counted = { readonly reason: string; readonly count: number }

/** How often each reason was given within the last hour. */
async function listReasons(counted: Remembered<readonly Counted[]>, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(whoParameters)
  if (isRefused(read)) return read.refused
  narrowToWho(filters, read.values)
  narrowToVisible(filters, call)
  const { conditions, values } = filters
  return json({ ok: true, items: await counted.get(JSON.stringify({ conditions, values })) })
}

/** An hour of a flood has a hundred thousand rows, which is why it is remembered by its conditions. */
async function countReasons(scope: TransactionScope, asked: string): Promise<readonly Counted[]> {
  const { conditions, values } = JSON.parse(asked) as Pick<ListFilters, 'conditions' | 'values'>
  return await reading(scope, async (client) => {
    const { rows } = await client.query<Counted>(
      `SELECT answer.reason, sum(answer.count)::float8 AS count FROM radius_auth_log AS answer
        WHERE answer.at > now() - interval '1 hour' AND answer.reason IS NOT NULL AND ${conditions}
        GROUP BY answer.reason ORDER BY 2 DESC, 1`,
      [...values],
    )
    return rows
  })
}

type Who = { readonly login?: string; readonly abonent?: number; readonly nas?: number; readonly mac?: string }

function narrowToWho(filters: ListFilters, { login, abonent, nas, mac }: Who): void {
  if (login !== undefined) filters.where(`answer.login = ${filters.add(login, 'text')}`)
  if (abonent !== undefined) filters.where(`answer.abonent_id = ${filters.add(abonent, 'int8')}`)
  if (nas !== undefined) filters.where(`answer.nas_id = ${filters.add(nas, 'int8')}`)
  if (mac !== undefined) filters.where(`answer.mac = ${filters.add(normalMac(mac) ?? mac, 'text')}`)
}

/** Answers about logins of organizations that the caller does not see are left out. */
function narrowToVisible(filters: ListFilters, call: Call): boolean {
  const visible = visibleTo(call)
  if (visible !== null) filters.where(strictlyVisibleSql('answer.organization_id', filters.place(visible)))
  return visible !== null
}

function narrow(filters: ListFilters, call: Call): { readonly limit: number } | Refused {
  const read = filters.read(parameters)
  if (isRefused(read)) return read
  const { result, reason, cursor: after, limit = limitUsual } = read.values
  narrowToWho(filters, read.values)
  if (result !== undefined) filters.where(result === 'accept' ? 'answer.accepted' : 'NOT answer.accepted')
  if (reason !== undefined) filters.where(`answer.reason = ${filters.add(reason, 'text')}`)
  // No index would find that there is nothing.
  if (result !== undefined && reason !== undefined && (result === 'accept') !== (reason === garden))
    filters.where('false')
  if (after !== undefined) {
    // A cursor of another list may hold any text. Of fourteen digits the year has four.
    const atMs = /^\d{1,14}$/.test(after.value) ? Number(after.value) : 0
    const at = filters.add(new Date(atMs).toISOString(), 'timestamptz')
    filters.where(`(answer.at, answer.id) < (${at}, ${filters.add(after.id, 'int8')})`)
  }
  const isLimited = narrowToVisible(filters, call)
  if (isLimited && reason !== undefined && ofNobody.includes(reason)) filters.where('false')
  const wrong = filters.wherePeriod('answer.at', period)
  return wrong ?? { limit: Math.min(limit, limitMax) }
}

const period = { from: 'from', to: 'to' } as const
/** Of requests without a login of ours, which belong to no organization. */
const ofNobody: readonly string[] = [refusalCodes.unknownLogin, refusalCodes.refusedRealm, refusalCodes.eapNotOffered]
/** Of an accept into the walled garden. */
const garden = 'garden'
const reasons = [...Object.values(refusalCodes), garden]

const whoParameters = {
  login: { doc: 'As it was sent', schema: text(253) },
  abonent: { doc: 'Subscriber', schema: id },
  nas: { doc: 'NAS', schema: id },
  mac: { doc: 'Calling-Station-Id; a MAC address in any spelling', schema: text(253) },
}

const parameters = {
  ...whoParameters,
  result: { doc: 'Accepts are there while RADIUS_LOG_ACCEPTS is on', schema: choice(['accept', 'reject']) },
  reason: { doc: 'Why it was rejected, or garden: accepted into the walled garden', schema: choice(reasons) },
  ...periodOf(period),
  cursor: { doc: 'next_cursor of the answer before', schema: cursor },
  limit: atMost(limitMax),
}

const [schema, item] = shapeOf('answer', {
  id: schemas.integer,
  at: schemas.moment,
  login: Type.With(nullable(schemas.text), { description: 'As it was sent; null: of many logins, in a flood' }),
  abonent_id: Type.With(nullable(schemas.integer), { description: 'Null: no login of ours' }),
  abonent_name: [nullable(schemas.text), '(SELECT name FROM abonents WHERE abonents.id = answer.abonent_id)'],
  nas_id: nullable(schemas.integer),
  nas_name: [nullable(schemas.text), '(SELECT name FROM nas WHERE nas.id = answer.nas_id)'],
  mac: Type.With(nullable(schemas.text), { description: 'Calling-Station-Id; a MAC address as aa:bb:cc:dd:ee:ff' }),
  port: Type.With(nullable(schemas.text), { description: 'NAS-Port-Id, else NAS-Port' }),
  result: [Type.Enum(['accept', 'reject']), `CASE WHEN answer.accepted THEN 'accept' ELSE 'reject' END`],
  reason: Type.With(nullable(Type.Enum(reasons)), { description: 'Null: accepted without limits' }),
  count: Type.Integer({
    description:
      'So many equal answers (login, MAC, NAS, reason) since the row before. The first of them is a row of its own; those that follow within a minute are one more, and while they go on the time doubles up to an hour. `at` is when the last of them was.',
  }),
})

const tag = 'Network'
const whose =
  'Staff of some organizations see those of their subscribers; unknown logins belong to no organization and are shown only to staff who see all organizations.'
const wrongParameter = { 400: 'A parameter is wrong' }

const docs = {
  list: {
    tag,
    summary: 'How sign-ins were answered, and why they were rejected, the latest first',
    description: `${whose} Kept for RADIUS_LOG_DAYS.`,
    query: parameters,
    answers: answers('One page', { items: Type.Array(schema), next_cursor: nullable(schemas.text) }, wrongParameter),
  },
  reasons: {
    tag,
    summary: 'Why sign-ins were rejected within the last hour, each reason with its number, the most frequent first',
    description: `${whose} Accepts into the walled garden are counted too. Equal answers that stand in one row of the log count for the moment of the last of them. In a flood as of some seconds ago.`,
    query: whoParameters,
    answers: answers(
      'The reasons that were given',
      { items: Type.Array(Type.Object({ reason: Type.Enum(reasons), count: schemas.integer })) },
      wrongParameter,
    ),
  },
} as const satisfies Record<string, RouteDoc>
