import { isIP } from 'node:net'
import { type NasId, nasId, readId } from '../../domain/ids.ts'
import {
  sessionItem,
  type StoredItem,
  storedItem,
  storedItemSql,
} from '../../network/radius/accounting/session-item.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { reading } from '../../platform/storage/transactions.ts'
import type { SystemParts } from './parts.ts'
import { done, refused } from './reply.ts'

export const limitDefault = 1000
export const limitMax = 5000

type SessionQuery = {
  readonly login: string | null
  /** null: every NAS; 'unknown': an address that no NAS has. */
  readonly nas: NasId | null | 'unknown'
  readonly all: boolean
  readonly limit: number
  /** Where the previous page ended; its meaning depends on the list. */
  readonly after: number | null
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
  if (nas === 'unknown') return done({ sessions: [] })
  const { sessions, next } = query.all ? await storedPage(parts, query, nas) : await livePage(parts, query, nas)
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

function readNas(text: string, known: ReturnType<SystemParts['nas']>): SessionQuery['nas'] | undefined {
  if (text === '') return null
  if (isIP(text) !== 0) return known.find(({ ip }) => ip === text)?.id ?? 'unknown'
  const id = readId(text)
  return id === null ? undefined : nasId(id)
}

/** A page of live sessions. `after` is a slot of the session table or, for the sessions of one login, an index. */
async function livePage(
  { sessions, foreignCounters }: SystemParts,
  { login, limit, after }: SessionQuery,
  nas: NasId | null,
): Promise<Page> {
  if (login === null) {
    const page = sessions.page(after ?? 0, limit, nas)
    return { ...page, sessions: (await foreignCounters.of(page.sessions)).map(sessionItem) }
  }
  const from = after ?? 0
  const found = sessions.liveOf(login).filter((session) => nas === null || session.nasId === nas)
  const rest = await foreignCounters.of(found.slice(from, from + limit))
  return { sessions: rest.map(sessionItem), next: from + limit < found.length ? from + limit : null }
}

/**
 * Sessions, the newest first; `after` is the last id of the previous page. One extra row shows whether there is a next
 * page.
 */
const storedSql = `SELECT ${storedItemSql('s')}
FROM radius_sessions s
WHERE ($1::text IS NULL OR s.login = $1) AND ($2::int8 IS NULL OR s.nas_id = $2) AND ($3::int8 IS NULL OR s.id < $3)
ORDER BY s.id DESC LIMIT $4`

async function storedPage(parts: SystemParts, { login, limit, after }: SessionQuery, nas: NasId | null): Promise<Page> {
  const { rows } = await reading(parts, (client) => client.query<StoredItem>(storedSql, [login, nas, after, limit + 1]))
  const sessions = rows.slice(0, limit).map(storedItem)
  return { sessions, next: rows.length > limit ? Number(rows[limit - 1]!.id) : null }
}
