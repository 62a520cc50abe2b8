import Type from 'typebox'
import { readSignedId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
import { findSessions } from '../../../network/radius/accounting/session-search.ts'
import type { LiveSession } from '../../../network/radius/accounting/live-session.ts'
import type { SessionTable } from '../../../network/radius/accounting/session-table.ts'
import type { Disconnects } from '../../../network/radius/coa/disconnects.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { Log } from '../../../platform/log.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { isVisible, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { bulkForbiddenReply, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readSentBody, refused, wrongInWords } from '../body.ts'
import { answers, post } from '../doors.ts'

export type SessionDisconnectParts = TransactionScope & {
  readonly sessions: SessionTable
  readonly access: { readonly nas: readonly NasEntry[] }
  readonly disconnects: Pick<Disconnects, 'orderSessions'>
  readonly log: Log
}

/** Disconnects marked sessions, or all of a NAS (contract section 8). */
export const sessionDisconnectRoutes = (parts: SessionDisconnectParts): Route[] => [
  post('/admin/radius/sessions/disconnect', doc, (call) => disconnect(parts, call)),
]

/** Each has a line in the audit. */
const idsMax = 500

async function disconnect(parts: SessionDisconnectParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, doc.body.properties, { refuse: wrongInWords })
  if ('refused' in read) return read.refused
  const { ids, nas } = read.values
  if ((ids === undefined) === (nas === undefined)) return refused(400, 'wrong_field', 'Name either ids or nas.')
  return nas === undefined ? await ofIds(parts, call, new Set(ids)) : await ofNas(parts, call, nas)
}

/** A session that has ended meanwhile needs no request. */
async function ofIds(parts: SessionDisconnectParts, call: Call, ids: ReadonlySet<number>): Promise<Reply> {
  const visible = visibleTo(call)
  const live = await findSessions(parts.sessions, { ids })
  const others = [...ids].filter((one) => live.every((session) => Number(session.id) !== one))
  const isAllVisible = live.every(({ organizationId }) => isVisible(visible, organizationId))
  if (!isAllVisible || !(await areVisible(parts, others, visible))) return bulkForbiddenReply()
  const author = authorOf(call)
  await writing(parts, async (client) => {
    for (const { id: number, login, nasId, organizationId } of live) {
      const diff = { login: [login, null], nas: [nasId, null] } as const
      const record = { table: 'RADIUS_SESSIONS', id: number, action: 'disconnect', organizationId } as const
      await writeAudit(client, { ...record, author, diff })
    }
  })
  return order(parts, live)
}

async function areVisible(
  { database }: TransactionScope,
  ids: readonly number[],
  visible: ReturnType<typeof visibleTo>,
): Promise<boolean> {
  if (ids.length === 0) return true
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int4 AS count FROM radius_sessions WHERE id = ANY($1::int8[]) AND ${visibleSql('organization_id', '$2')}`,
    [ids, visible],
  )
  return rows[0]!.count === ids.length
}

async function ofNas(parts: SessionDisconnectParts, call: Call, nas: number): Promise<Reply> {
  const record = parts.access.nas.find((one) => one.id === nas)
  if (!record) return notFoundReply()
  const visible = visibleTo(call)
  const found = await findSessions(parts.sessions, { nas })
  const live = found.filter(({ organizationId }) => isVisible(visible, organizationId))
  if (live.length > 0)
    await writing(parts, (client) =>
      writeAudit(client, {
        author: authorOf(call),
        table: 'NAS',
        id: String(nas),
        action: 'disconnect',
        diff: { sessions: [live.length, null] },
        organizationId: null,
      }),
    )
  return order(parts, live)
}

/** The answers of the NAS are in the list of Disconnects as they come. */
function order({ disconnects, log }: SessionDisconnectParts, sessions: readonly LiveSession[]): Reply {
  const { sent, answered } = disconnects.orderSessions(sessions)
  answered.catch((error) => log.warn('Disconnects that an operator ordered failed.', { error }))
  return json({ ok: true, sent })
}

/** A list, or ids separated by commas as a form sends them. */
function readIds(sent: unknown): number[] | null {
  const list = typeof sent === 'string' ? sent.split(',').filter((one) => one.trim() !== '') : sent
  if (!Array.isArray(list) || list.length === 0 || list.length > idsMax) return null
  const ids = list.map(readSignedId)
  return ids.every((one) => one !== null) ? ids : null
}

const doc = {
  tag: 'Network',
  summary: 'Disconnect sessions, marked ones or all of a NAS',
  description:
    'Each session is disconnected on the NAS that has it, by the pace of RFC 5176 requests; one that is being disconnected already is left out, and one that has ended is none. The answers are in /admin/radius/coa/.',
  body: Type.Object({
    ids: Type.Optional(
      field(
        Type.Array(schemas.integer, { minItems: 1, maxItems: idsMax }),
        `be 1 to ${idsMax} ids of sessions`,
        readIds,
      ),
    ),
    nas: Type.Optional(Type.With(id, { description: 'All sessions of this NAS that the caller may see' })),
  }),
  answers: answers(
    'How many requests were ordered',
    { sent: schemas.integer },
    {
      400: 'Neither ids nor nas, or both, or a wrong one',
      403: 'One of the sessions does not exist or is not yours',
      404: 'There is no such NAS',
    },
  ),
} as const satisfies RouteDoc
