import { isIP } from 'node:net'
import type { Session } from '../../domain/events.ts'
import { type NasId, nasId, readId } from '../../domain/ids.ts'
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
  const { sessions, next } = query.all ? await storedPage(parts, query, nas) : livePage(parts, query, nas)
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
function livePage({ sessions }: SystemParts, { login, limit, after }: SessionQuery, nas: NasId | null): Page {
  if (login === null) {
    const page = sessions.page(after ?? 0, limit, nas)
    return { ...page, sessions: page.sessions.map(shown) }
  }
  const from = after ?? 0
  const found = sessions.liveOf(login).filter((session) => nas === null || session.nasId === nas)
  const rest = found.slice(from, from + limit)
  return { sessions: rest.map(shown), next: from + limit < found.length ? from + limit : null }
}

const shown = (session: Session): object => ({
  id: Number(session.id),
  login: session.login,
  abonent_id: session.subscriberId,
  nas_id: session.nasId,
  nas_ip: session.nasIp,
  acct_session_id: session.acctSessionId,
  ip: session.ip,
  ipv6_prefix: session.ipv6Prefix,
  mac: session.mac,
  started_at: session.startedAt,
  updated_at: session.updatedAt,
  session_time: session.sessionTime,
  input_octets: session.inputOctets,
  output_octets: session.outputOctets,
  ended_at: session.endedAt,
  end_reason: session.endReason,
})

/**
 * Sessions, the newest first; `after` is the last id of the previous page. One extra row shows whether there is a next
 * page.
 */
const storedSql = `SELECT id, login, abonent_id, nas_id, host(nas_ip) AS nas_ip, acct_session_id, host(framed_ip) AS ip, ipv6_prefix::text,
  mac, started_at, updated_at, session_time, input_octets, output_octets, ended_at, end_reason
FROM radius_sessions
WHERE ($1::text IS NULL OR login = $1) AND ($2::int8 IS NULL OR nas_id = $2) AND ($3::int8 IS NULL OR id < $3)
ORDER BY id DESC LIMIT $4`

const storedNumbers = ['id', 'abonent_id', 'nas_id', 'session_time', 'input_octets', 'output_octets'] as const

async function storedPage(parts: SystemParts, { login, limit, after }: SessionQuery, nas: NasId | null): Promise<Page> {
  const { rows } = await reading(parts, (client) =>
    client.query<Record<string, unknown>>(storedSql, [login, nas, after, limit + 1]),
  )
  const sessions = rows.slice(0, limit).map((row) => {
    const numbers = storedNumbers.map((name) => [name, row[name] === null ? null : BigInt(String(row[name]))])
    return { ...row, ...Object.fromEntries(numbers) }
  })
  return { sessions, next: rows.length > limit ? Number(rows[limit - 1]!.id) : null }
}
