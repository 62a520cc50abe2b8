import { isIP, isIPv4 } from 'node:net'
import Type from 'typebox'
import type { NasEntry } from '../../../domain/nas.ts'
import { normalMac } from '../../../domain/mac.ts'
import type { ForeignCounters } from '../../../network/radius/accounting/foreign-counters.ts'
import type { LiveSession } from '../../../network/radius/accounting/live-session.ts'
import { liveOrders, searchSessions } from '../../../network/radius/accounting/session-search.ts'
import {
  sessionItem,
  type StoredItem,
  storedItem,
  storedItemSql,
} from '../../../network/radius/accounting/session-item.ts'
import type { SessionTable } from '../../../network/radius/accounting/session-table.ts'
import { formatIpv6, parseIpv6 } from '../../../network/radius/wire/address.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, field, id, text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { isVisible, type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { asUnavailable } from '../../../platform/storage/unavailability.ts'
import { readDate } from '../../../domain/iso-dates.ts'
import { type Refused, wrongInWords } from '../body.ts'
import { cursor, cursorOf, type Place } from '../cursors.ts'
import { answers, get } from '../doors.ts'
import { ListFilters, periodOf } from '../list-filters.ts'
import { atMost } from '../paging.ts'
import { walkList, whereAfter } from '../walked-lists.ts'

export type SessionListParts = TransactionScope & {
  readonly database: Pick<Database, 'pool' | 'isUp'>
  readonly sessions: SessionTable
  readonly foreignCounters: Pick<ForeignCounters, 'of' | 'all'>
  readonly access: { readonly nas: readonly NasEntry[] }
}

const limitUsual = 50
const limitMax = 500
const endOrders = ['ended_at'] as const
const period = { from: 'from', to: 'to' } as const
const descending = <const Names extends readonly string[]>(names: Names) =>
  names.flatMap((name) => [name, `-${name}`]) as (Names[number] | `-${Names[number]}`)[]

/** Live and ended sessions (contract section 8). */
export const sessionListRoutes = (parts: SessionListParts): Route[] => [
  get('/admin/radius/sessions', doc, (call) => list(parts, call)),
]

async function list(parts: SessionListParts, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(parameters)
  if ('refused' in read) return read.refused
  const { state = 'live', sort = state === 'live' ? '-started_at' : '-ended_at', limit = limitUsual } = read.values
  const asked: Asked = { ...soughtBy(read.values.q), ...read.values, sort, limit: Math.min(limit, limitMax) }
  const orders: readonly string[] = state === 'live' ? liveOrders : endOrders
  if (!orders.includes(sort.replace('-', '')))
    return wrongInWords('sort', `be one of ${descending(orders).join(', ')} for ${state} sessions`)
  const page = state === 'live' ? await livePage(parts, call, asked) : await endedPage(parts, call, asked, filters)
  if ('refused' in page) return page.refused
  return json({ ok: true, ...page })
}

/** What one field for searching means. */
function soughtBy(text = ''): Pick<Asked, 'ip' | 'mac' | 'login'> {
  if (text === '') return {}
  const ip = readAddress(text)
  if (ip !== null) return { ip }
  const found = normalMac(text)
  return found === null ? { login: text } : { mac: found }
}

type Asked = {
  readonly login?: string
  readonly abonent?: number
  readonly nas?: number
  readonly ip?: string
  readonly mac?: string
  readonly from?: string
  readonly to?: string
  readonly cursor?: Place
  readonly sort: string
  readonly limit: number
}
type Page = { readonly items: readonly object[]; readonly next_cursor: string | null; readonly total?: number }

async function livePage(parts: SessionListParts, call: Call, asked: Asked): Promise<Page> {
  const { sessions, foreignCounters } = parts
  const sort = asked.sort.replace('-', '') as (typeof liveOrders)[number]
  if (sort !== 'started_at') await foreignCounters.all()
  const visible = visibleTo(call)
  const isIpv4Sought = asked.ip !== undefined && isIPv4(asked.ip)
  const found = await searchSessions(
    sessions,
    {
      login: asked.login ?? null,
      subscriber: asked.abonent ?? null,
      nas: asked.nas ?? null,
      ip: isIpv4Sought ? asked.ip! : null,
      ipv6Prefix: asked.ip === undefined || isIpv4Sought ? null : prefixOf(asked.ip),
      mac: asked.mac ?? null,
      ...(await momentsOf(parts, asked)),
      isVisible: visible && visibleAmong(visible),
    },
    {
      sort,
      descending: asked.sort.startsWith('-'),
      after: asked.cursor ? [Number(asked.cursor.value) || 0, asked.cursor.id] : null,
      limit: asked.limit,
    },
  )
  const names = new Map(parts.access.nas.map(({ id: number, name }) => [number, name]))
  const shown = await foreignCounters.of(found.sessions)
  const subscribers = await subscriberNames(parts, shown)
  return {
    items: shown.map((session) => {
      const rates = sessions.ratesAt(session.slot)
      return {
        ...sessionItem(session),
        abonent_name: subscribers.get(String(session.subscriberId)) ?? null,
        nas_name: names.get(session.nasId) ?? null,
        rates: rates && { input_bps: rates.input, output_bps: rates.output },
      }
    }),
    next_cursor: found.next && cursorOf({ value: String(found.next[0]), id: found.next[1] }),
    total: found.total,
  }
}

/** Live sessions are shown also while the database is away, which alone knows what subscribers are called. */
async function subscriberNames(
  { database }: SessionListParts,
  sessions: readonly LiveSession[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(sessions.flatMap(({ subscriberId: one }) => (one === null ? [] : [Number(one)])))
  if (ids.size === 0 || !database.isUp()) return new Map()
  try {
    const text = 'SELECT id, name FROM abonents WHERE id = ANY($1::int8[])'
    const { rows } = await database.pool.query<{ id: string; name: string }>(text, [[...ids]])
    return new Map(rows.map(({ id: one, name }) => [one, name]))
  } catch (error) {
    if (asUnavailable(error) === null) throw error
    return new Map()
  }
}

/** There are few organizations and up to a million sessions. */
function visibleAmong(visible: NonNullable<VisibleOrganizations>): (organization: number | null) => boolean {
  const known = new Map<number | null, boolean>()
  return (organization) => {
    const answer = known.get(organization) ?? isVisible(visible, organization)
    known.set(organization, answer)
    return answer
  }
}

/** The database knows TIME_ZONE; it is asked only where a period is. */
async function momentsOf(scope: TransactionScope, { from, to }: Asked): Promise<{ fromMs: number; toMs: number }> {
  if (from === undefined && to === undefined)
    return { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  return await reading(scope, async (client) => {
    const msOf = async (moment: string) => (await momentOf(client, moment)).getTime()
    const endMs = to === undefined ? Number.POSITIVE_INFINITY : await msOf(to)
    return {
      fromMs: from === undefined ? Number.NEGATIVE_INFINITY : await msOf(from),
      // A day is included as a whole, also one of 23 or 25 hours.
      toMs: to !== undefined && readDate(to) ? await nextDayMs(client, to) : endMs + 1,
    }
  })
}

const nextDayMs = async (client: Parameters<typeof momentOf>[0], day: string): Promise<number> => {
  const { rows } = await client.query<{ next: Date }>('SELECT ($1::date + 1)::timestamptz AS next', [day])
  return rows[0]!.next.getTime()
}

/** What a session is found by beside its end, by an index of its own. */
function whereKey(filters: ListFilters, { login, abonent, ip, mac }: Asked): boolean {
  if (login !== undefined) filters.where(`session.login = ${filters.add(login, 'text')}`)
  if (abonent !== undefined) filters.where(`session.abonent_id = ${filters.add(abonent, 'int8')}`)
  if (ip !== undefined && isIPv4(ip)) filters.where(`session.framed_ip = ${filters.add(ip, 'inet')}`)
  else if (ip !== undefined) filters.where(`session.ipv6_prefix = ${filters.add(prefixOf(ip), 'cidr')}`)
  if (mac !== undefined) filters.where(`session.mac = ${filters.add(mac, 'text')}`)
  return [login, abonent, ip, mac].some((one) => one !== undefined)
}

/** The sessions of one login, address and so on are few; all others are found in the order of their ends. */
async function endedPage(
  scope: TransactionScope,
  call: Call,
  asked: Asked,
  filters: ListFilters,
): Promise<Page | Refused> {
  const { nas, cursor: after, sort, limit } = asked
  const hasKey = whereKey(filters, asked)
  const [table, row, key] = hasKey
    ? ['radius_sessions', 'session', 'id']
    : ['radius_ended_sessions', 'ended', 'session_id']
  const order = { row, order: ['ended_at', key], descending: sort.startsWith('-') } as const
  if (hasKey) filters.where('session.ended_at IS NOT NULL')
  if (nas !== undefined) filters.where(`${row}.nas_id = ${filters.add(nas, 'int8')}`)
  if (after !== undefined) whereAfter(filters, order, after)
  const wrong = filters.wherePeriod(`${row}.ended_at`, period)
  if (wrong) return wrong
  const { conditions: indexed, values } = filters
  const indexedValues = values.length
  const visible = visibleTo(call)
  const others = [
    // A session that goes on after a presumed end is still among the ended ones, and a deleted one is too.
    ...(hasKey ? [] : ['session.ended_at IS NOT NULL']),
    ...(visible === null ? [] : [visibleSql('session.organization_id', filters.place(visible))]),
  ]
  return await reading(scope, async (client) => {
    const walked = {
      ...order,
      table,
      indexed,
      indexedValues,
      others: others.length > 0 ? others.join(' AND ') : null,
      joins: `${hasKey ? '' : 'JOIN radius_sessions AS session ON session.id = ended.session_id'}
        LEFT JOIN nas ON nas.id = session.nas_id`,
      items: `${storedItemSql('session')}, nas.name AS nas_name,
        (SELECT name FROM abonents WHERE abonents.id = session.abonent_id) AS abonent_name`,
      limit,
    }
    const { rows, next_cursor } = await walkList(client, walked, values)
    const items = rows.map(({ place_at, place_id, ...one }) => ({ ...storedItem(one as StoredItem), rates: null }))
    return { items, next_cursor }
  })
}

/** The network of 64 bits around an IPv6 address, which is what a session gets. */
function prefixOf(ip: string): string {
  const bytes = parseIpv6(ip)!
  return `${formatIpv6(bytes.fill(0, 8))}/64`
}

const readAddress = (sent: unknown): string | null =>
  typeof sent === 'string' && isIP(sent) !== 0 && !sent.includes('%') ? sent : null
const address = field(schemas.text, 'be an IPv4 or IPv6 address', readAddress)
const mac = field(schemas.text, 'be a MAC address', (sent) => (typeof sent === 'string' ? normalMac(sent) : null))

const parameters = {
  state: { doc: 'live (the default) or ended', schema: choice(['live', 'ended']) },
  q: { doc: 'A login, an IP address or a MAC, whichever it is', schema: text(253) },
  login: { doc: 'As it is in the record, or as the NAS sent it', schema: text(253) },
  abonent: { doc: 'Subscriber', schema: id },
  nas: { doc: 'NAS', schema: id },
  ip: { doc: 'IPv4, or IPv6, which finds the session with that /64', schema: address },
  mac: { doc: 'In any spelling', schema: mac },
  ...periodOf(period),
  sort: {
    doc: `Live: ${liveOrders.join(', ')} (bits a second, both directions); ended: ended_at. With - in front the greatest first. Left out: the latest first`,
    schema: choice(descending([...liveOrders, ...endOrders])),
  },
  cursor: { doc: 'next_cursor of the answer before', schema: cursor },
  limit: atMost(limitMax),
}

const itemSchema = Type.Object({
  id: Type.Integer({ description: 'Below zero while the database is away' }),
  login: schemas.text,
  abonent_id: nullable(schemas.integer),
  abonent_name: Type.With(nullable(schemas.text), {
    description: 'Null: the login is of nobody, or the session is a live one and the database is away',
  }),
  nas_id: schemas.integer,
  nas_name: Type.With(nullable(schemas.text), { description: 'Null: the record has been deleted' }),
  nas_ip: nullable(schemas.text),
  acct_session_id: schemas.text,
  ip: nullable(schemas.text),
  ipv6_prefix: nullable(schemas.text),
  mac: nullable(schemas.text),
  started_at: schemas.moment,
  updated_at: schemas.moment,
  session_time: schemas.integer,
  input_octets: schemas.integer,
  output_octets: schemas.integer,
  ended_at: nullable(schemas.moment),
  end_reason: nullable(schemas.text),
  rates: Type.With(nullable(Type.Object({ input_bps: schemas.integer, output_bps: schemas.integer })), {
    description: 'Bits a second between the last two records of a live session; null while there is one only',
  }),
})

const doc = {
  tag: 'Network',
  summary: 'Live sessions from memory, or ended ones, page by page',
  description:
    '`from` and `to` are about the start of live sessions and the end of ended ones. A page of ended sessions may have fewer items than `limit`, even none, while `next_cursor` says that there may be more: a search for what is rare ends after 5,000 rows.',
  query: parameters,
  answers: answers(
    'One page',
    {
      items: Type.Array(itemSchema),
      next_cursor: nullable(schemas.text),
      total: Type.Optional(Type.Integer({ description: 'How many live sessions fit' })),
    },
    { 400: 'A parameter is wrong' },
  ),
} satisfies RouteDoc
