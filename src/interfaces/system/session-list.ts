import { isIPv4 } from 'node:net'
import { type NasId, nasId, readId } from '../../domain/ids.ts'
import {
  sessionItem,
  type StoredItem,
  storedItem,
  storedItemSql,
} from '../../network/radius/accounting/session-item.ts'
import { formatAddress, parseAddress } from '../../network/radius/wire/address.ts'
import { readIp, readNetworks } from '../../platform/formats/addresses.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { reading } from '../../platform/storage/transactions.ts'
import type { SystemParts } from './parts.ts'
import { done, refused } from './reply.ts'

export const limitDefault = 1000
export const limitMax = 5000

type SessionQuery = {
  readonly login: string | null
  /** null: every NAS. */
  readonly nas: AskedNas | null
  readonly all: boolean
  readonly limit: number
  /** Where the previous page ended; its meaning depends on the list. */
  readonly after: number | null
}
/** Of an id its record; of an address the records that have it, and in those of networks the NAS that has it. */
type AskedNas = {
  readonly records: readonly NasId[]
  readonly networks: readonly NasId[]
  readonly address: string | null
}
type Page = { readonly sessions: readonly object[]; readonly next: number | null }

/**
 * `GET sessions/`: live sessions from memory, so that they can be listed while the database is unavailable; with `all`
 * the sessions of RADIUS_SESSIONS.
 */
export async function listSessions(parts: SystemParts, call: Call): Promise<Reply> {
  const query = readSessionQuery(parts, call.query)
  if (typeof query === 'string') return refused(400, query)
  const { nas } = query
  if (nas?.records.length === 0 && nas.networks.length === 0) return done({ sessions: [] })
  const { sessions, next } = query.all ? await storedPage(parts, query) : await livePage(parts, query)
  return done({ sessions, ...(next !== null && { next }) })
}

/** By hand: each refusal is another sentence, and which NAS there are is known in memory only. */
function readSessionQuery({ nas }: SystemParts, query: URLSearchParams): SessionQuery | string {
  const limit = wholeNumber(query.get('limit'), limitDefault)
  if (limit === null || limit === 0) return '"limit" must be a whole number above zero.'
  const after = wholeNumber(query.get('after'), 0)
  if (after === null) return '"after" must be the "next" of the page before.'
  const login = query.get('login') || null
  if (login !== null && (login.length > 256 || login.includes('\0'))) return '"login" is longer than any login.'
  const chosenNas = readNas(query.get('nas') ?? '', nas())
  if (chosenNas === undefined) return '"nas" must be the id or the address of a NAS.'
  const all = query.get('all') ?? ''
  if (!/^(|0|1|true|false)$/i.test(all)) return '"all" must be 1 or 0.'
  return {
    login,
    nas: chosenNas,
    all: /^(1|true)$/i.test(all),
    limit: Math.min(limit, limitMax),
    after: query.get('after') ? after : null,
  }
}

function wholeNumber(text: string | null, absent: number): number | null {
  if (text === null || text === '') return absent
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

function readNas(text: string, known: ReturnType<SystemParts['nas']>): AskedNas | null | undefined {
  if (text === '') return null
  const address = addressOf(text)
  if (address === null) {
    const id = readId(text)
    return id === null ? undefined : { records: [nasId(id)], networks: [], address }
  }
  const idsOf = (has: (nas: (typeof known)[number]) => boolean) => known.filter(has).map(({ id }) => id)
  return {
    records: idsOf(({ ip }) => ip !== null && addressOf(ip) === address),
    networks: idsOf(({ network }) => Boolean(network) && isWithin(network!, address)),
    address,
  }
}

/** In one spelling; null: it is no address. */
function addressOf(text: string): string | null {
  const bytes = readIp(text) === null ? null : parseAddress(text)
  return bytes && formatAddress(bytes)
}

function isWithin(network: string, address: string): boolean {
  const read = readNetworks([network])
  return 'list' in read && read.list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

const isOf = ({ records, networks, address }: AskedNas, nas: NasId, ip: string): boolean =>
  records.includes(nas) || (networks.includes(nas) && ip === address)

/** A page of live sessions. `after` is a slot of the session table or, for the sessions of one login, an index. */
async function livePage(
  { sessions, foreignCounters }: SystemParts,
  { login, limit, after, nas }: SessionQuery,
): Promise<Page> {
  if (login === null) {
    const page = sessions.page(after ?? 0, limit, nas && ((id, ip) => isOf(nas, id, ip)))
    return { ...page, sessions: (await foreignCounters.of(page.sessions)).map(sessionItem) }
  }
  const from = after ?? 0
  const found = sessions.liveOf(login).filter(({ nasId: id, nasIp }) => nas === null || isOf(nas, id, nasIp))
  const rest = await foreignCounters.of(found.slice(from, from + limit))
  return { sessions: rest.map(sessionItem), next: from + limit < found.length ? from + limit : null }
}

/**
 * Sessions, the newest first; `after` is the last id of the previous page. One extra row shows whether there is a next
 * page.
 */
const storedSql = `SELECT ${storedItemSql('s')}
FROM radius_sessions s
WHERE ($1::text IS NULL OR s.login = $1) AND ($3::int8 IS NULL OR s.id < $3)
  AND ($2::int8[] IS NULL OR s.nas_id = ANY($2) OR (s.nas_id = ANY($5::int8[]) AND s.nas_ip = $6::inet))
ORDER BY s.id DESC LIMIT $4`

async function storedPage(parts: SystemParts, { login, limit, after, nas }: SessionQuery): Promise<Page> {
  const { records = null, networks = null, address = null } = nas ?? {}
  const values = [login, records, after, limit + 1, networks, address]
  const { rows } = await reading(parts, (client) => client.query<StoredItem>(storedSql, values))
  const sessions = rows.slice(0, limit).map(storedItem)
  return { sessions, next: rows.length > limit ? Number(rows[limit - 1]!.id) : null }
}
