import type { Frame } from '../../live/socket.ts'

export const kinds = ['sessions', 'rejects', 'blocks', 'payments', 'coa'] as const
type Kind = (typeof kinds)[number]

const kindOf: Readonly<Record<string, Kind>> = {
  'session.started': 'sessions',
  'session.stopped': 'sessions',
  'access.rejected': 'rejects',
  'block.changed': 'blocks',
  'payment.credited': 'payments',
  'coa.answered': 'coa',
}

type Fields = Readonly<Record<string, unknown>>

/** Something that has happened, with the fields of its frame (contract of `/admin/live/`). */
export type LiveEvent = {
  readonly key: string
  readonly kind: Kind
  readonly type: string
  readonly at: string
  readonly abonentId: number | null
  readonly nasId: number | null
  readonly login: string
  readonly fields: Fields
  /** What the filter looks through. */
  readonly text: string
}

/** The lists of a snapshot that hold what happened before; sessions that are open are no events. */
const recentLists = ['recent', 'rejected', 'coa'] as const

/** The events of a frame: one, or those that a snapshot remembers. */
export function eventsOf(frame: Frame): readonly LiveEvent[] {
  if (frame.type !== 'snapshot') return eventOf(frame) ?? []
  return recentLists.flatMap((name) => {
    const list = frame[name]
    return Array.isArray(list) ? list.flatMap((fields: Fields) => eventOf(fields) ?? []) : []
  })
}

function eventOf(frame: Fields): readonly LiveEvent[] | null {
  const type = String(frame.type)
  const kind = kindOf[type]
  if (kind === undefined) return null
  const fields = kind === 'sessions' ? (frame.session as Fields) : frame
  const abonentId = idOf(fields.abonent_id)
  const login = String(fields.login ?? (Array.isArray(fields.logins) ? fields.logins.slice(0, 3).join(', ') : ''))
  const at = String(frame.at)
  const words = [login, abonentId, fields.ip, fields.ipv6_prefix, fields.mac, fields.station, fields.reason]
  return [
    {
      key: [type, at, fields.id ?? fields.op_id ?? abonentId, login, fields.nas_id].join(' '),
      ...{ kind, type, at, abonentId, nasId: idOf(fields.nas_id), login, fields },
      text: words
        .filter((word) => word !== null && word !== undefined)
        .join(' ')
        .toLowerCase(),
    },
  ]
}

const idOf = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

const keptMax = 500

/** The newest first. What a snapshot repeats, as after a lost connection, is there once. */
export function withEvents(before: readonly LiveEvent[], fresh: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(before.map(({ key }) => key))
  const added = fresh.filter(({ key }) => !known.has(key) && known.add(key))
  if (added.length === 0) return before
  return [...added, ...before].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, keptMax)
}
