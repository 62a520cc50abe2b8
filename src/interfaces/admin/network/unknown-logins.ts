import Type from 'typebox'
import { refusalCodes } from '../../../domain/access.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { readQuery, trimmed } from '../body.ts'
import { answers, get } from '../doors.ts'

/** Who asked for access of late and has no login: a new router, or a login that was misspelt. */
export const unknownLoginRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/radius/log/unknown', doc, (call) => list(scope, call)),
]

const hours = 24
/** A flood of invented logins has a hundred thousand rows; what came before these is not looked at. */
const rowsMax = 20_000
const shownMax = 500

type Unknown = { readonly login: string; readonly mac: string | null }

/** They belong to no organization, so who sees some organizations alone sees none of them. */
async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(doc.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const q = (read.values.q ?? '').toLowerCase()
  const all = visibleTo(call) === null ? await findUnknown(scope) : []
  const items = all.filter(({ login, mac }) => `${login} ${mac}`.toLowerCase().includes(q))
  return json({ ok: true, items: items.slice(0, shownMax), total: items.length })
}

/** A login that has been made since is not unknown any more, neither by its name nor by its MAC. */
async function findUnknown(scope: TransactionScope): Promise<readonly Unknown[]> {
  return reading(scope, async (client) => {
    const { rows } = await client.query<{ item: Unknown }>(
      `WITH latest AS (SELECT login, mac, at, count, nas_id, port FROM radius_auth_log
          WHERE reason = $1 AND at > now() - interval '${hours} hours' ORDER BY at DESC LIMIT ${rowsMax}),
        seen AS (SELECT login, mac, sum(count)::float8 AS count, min(at) AS first_at, max(at) AS last_at,
          (array_agg(nas_id ORDER BY at DESC))[1] AS nas_id, (array_agg(port ORDER BY at DESC))[1] AS port
          FROM latest WHERE login IS NOT NULL GROUP BY login, mac)
      SELECT json_build_object('login', seen.login, 'mac', seen.mac, 'count', seen.count, 'first_at', seen.first_at,
          'last_at', seen.last_at, 'nas_id', seen.nas_id, 'port', seen.port,
          'nas_name', (SELECT name FROM nas WHERE nas.id = seen.nas_id),
          'owner', (SELECT json_build_object('login_id', users.id, 'login', users.login, 'abonent_id', abonents.id,
            'name', abonents.name) FROM users JOIN abonents ON abonents.id = users.abonent_id
            WHERE users.mac = ${macOf('seen.mac')} ORDER BY users.id LIMIT 1)) AS item
        FROM seen WHERE NOT EXISTS (SELECT FROM users WHERE users.login = seen.login)
          AND NOT EXISTS (SELECT FROM users WHERE users.mac = ${macOf('seen.login')})
        ORDER BY seen.last_at DESC, seen.login, seen.mac`,
      [refusalCodes.unknownLogin],
    )
    return rows.map(({ item }) => item)
  })
}

/** SQL: the text as a MAC address; null where PostgreSQL would not read it as one. */
const macOf = (column: string): string =>
  `(CASE WHEN ${column} ~* '^(([0-9a-f]{2}:){5}|([0-9a-f]{2}-){5}|([0-9a-f]{2}){5})[0-9a-f]{2}$' THEN ${column}::macaddr END)`

const { integer, text: words, moment } = schemas
const owner = Type.Object({ login_id: integer, login: words, abonent_id: integer, name: words })
const item = Type.Object({
  login: Type.With(words, { description: 'As it was sent; empty: without a name' }),
  mac: Type.With(nullable(words), { description: 'Calling-Station-Id; a MAC address as aa:bb:cc:dd:ee:ff' }),
  count: Type.Integer({ description: 'How often it asked' }),
  first_at: moment,
  last_at: moment,
  nas_id: nullable(integer),
  nas_name: nullable(words),
  port: Type.With(nullable(words), { description: 'NAS-Port-Id, else NAS-Port, of the last request' }),
  owner: Type.With(nullable(owner), { description: 'Who has a login with this MAC: probably a misspelt name' }),
})

const doc = {
  tag: 'Network',
  summary: `Unknown logins of the last ${hours} hours, each with its MAC once, the latest first`,
  description: `They belong to no organization and are shown only to staff who see all organizations. One that has a login by now is left out. At most ${shownMax}; in a flood of those that came last.`,
  query: { q: { doc: 'Part of the login or of the MAC', schema: text(253) } },
  answers: answers(
    'Who asked',
    { items: Type.Array(item), total: Type.Integer({ description: 'Also of those that are cut' }) },
    { 400: 'A parameter is wrong' },
  ),
} as const satisfies RouteDoc
