import Type from 'typebox'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { field, id } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../../platform/staff/author.ts'
import type { SignIn } from '../../../../platform/staff/sign-in.ts'
import { notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../../platform/storage/audit.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { readQuery, readSentBody } from '../../body.ts'
import { bySession } from '../../confirmation.ts'
import { answers, get, post } from '../../doors.ts'
import { shapeOf } from '../../shapes.ts'
import { visibleStaffSql } from '../dictionaries/staff.ts'

const path = '/admin/staff/sessions'
/** A program that signs in for every call may have a thousand. */
const shownMax = 500

type SessionEnds = Pick<SignIn, 'endedSessions'>

/** Where staff are signed in, and an end of one session. Programs by SOAP are not among them. */
export const staffSessionRoutes = (scope: TransactionScope, signIn: SessionEnds): Route[] => [
  get(path, docs.list, (call) => list(scope, call), { right: recordRights.staff.read }),
  post(
    `${path}/end`,
    docs.end,
    bySession((call) => end(scope, signIn, call)),
    { right: recordRights.staff.change, allowedReadOnly: true },
  ),
]

const idLength = 24
/** SQL over `session`: part of the hash of its key, which names it and signs nobody in. */
export const sessionIdSql = `left(session.key_hash, ${idLength})`

/** The id of a session in a body. */
export const sessionIdField = field(
  Type.String({ pattern: `^[0-9a-f]{${idLength}}$` }),
  'be the id of a session',
  (sent) => (typeof sent === 'string' && /^[0-9a-f]{24}$/.test(sent) ? sent : null),
)

/** Over `session` and its `staff`. */
const [sessionSchema, shown] = shapeOf('session', {
  id: [schemas.text, sessionIdSql],
  staff: [schemas.integer, 'staff_id'],
  username: [schemas.text, 'staff.username'],
  created_at: schemas.moment,
  seen_at: schemas.moment,
  expires_at: schemas.moment,
  address: nullable(schemas.text),
  user_agent: nullable(schemas.text),
  is_own: [Type.Boolean({ description: 'Of the caller' }), '(session.staff_id = $1)'],
})

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(docs.list.query, call.query)
  if ('refused' in read) return read.refused
  const items = await reading(scope, async (client) => {
    const { rows } = await client.query(
      `SELECT ${shown} AS item FROM staff_sessions AS session JOIN staff ON staff.id = session.staff_id
        WHERE session.expires_at > now() AND ($3::int8 IS NULL OR staff.id = $3) AND ${visibleStaffSql('staff', '$2')}
        ORDER BY session.seen_at DESC, session.key_hash LIMIT ${shownMax}`,
      [staffOf(call), visibleTo(call), read.values.staff ?? null],
    )
    return rows.map(({ item }) => item)
  })
  return json({ ok: true, items })
}

async function end(scope: TransactionScope, signIn: SessionEnds, call: Call): Promise<Reply> {
  const read = readSentBody(call, docs.end.body.properties)
  if ('refused' in read) return read.refused
  const ended = await writing(scope, async (client) => {
    const gone = await remove(client, call, read.values.id)
    if (gone)
      await writeAudit(client, {
        author: authorOf(call),
        table: 'STAFF',
        id: gone.staff_id,
        action: 'change',
        diff: { session: [gone.address, null] },
        organizationId: null,
      })
    return gone
  })
  if (!ended) return notFoundReply()
  signIn.endedSessions([ended.key_hash])
  return json({ ok: true })
}

type Gone = { readonly key_hash: string; readonly staff_id: string; readonly address: string | null }

/** Only a superuser ends the session of one, as only one signs one out everywhere. */
async function remove(client: Client, call: Call, id: string): Promise<Gone | null> {
  const { rows } = await client.query<Gone>(
    `DELETE FROM staff_sessions AS session USING staff
      WHERE staff.id = session.staff_id AND ${sessionIdSql} = $1 AND ${visibleStaffSql('staff', '$2')}
        AND (NOT staff.is_superuser OR $3) RETURNING session.key_hash, session.staff_id, session.address`,
    [id, visibleTo(call), call.staff?.isSuperuser === true],
  )
  return rows[0] ?? null
}

const docs = {
  list: {
    tag: 'Staff',
    summary: 'Where staff are signed in, the last used first',
    query: { staff: { doc: 'Of one staff user', schema: id } },
    answers: answers(`At most ${shownMax}, without the programs that sign in by SOAP`, {
      items: Type.Array(sessionSchema),
    }),
  },
  end: {
    tag: 'Staff',
    summary: 'End a session of a staff user',
    body: Type.Object({ id: sessionIdField }),
    answers: answers('It has ended; its sockets are closed', {}, { 404: 'There is no such session of yours to end' }),
  },
} as const satisfies Record<string, RouteDoc>
