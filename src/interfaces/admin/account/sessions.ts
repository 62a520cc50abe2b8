import Type from 'typebox'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { endOtherSessions } from '../../../platform/staff/ended-credentials.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readSentBody } from '../body.ts'
import { bySession } from '../confirmation.ts'
import { answers, get, post } from '../doors.ts'
import { sessionIdField, sessionIdSql } from '../provider/staff/sessions.ts'
import { shapeOf } from '../shapes.ts'

type OwnSessionParts = TransactionScope & { readonly signIn: Pick<SignIn, 'authenticate' | 'endedSessions'> }

const path = '/admin/account/sessions'

/** Where the caller is signed in, and an end of any of it: every role may, and no API token. */
export const ownSessionRoutes = (parts: OwnSessionParts): Route[] => [
  get(
    path,
    docs.list,
    bySession((call) => list(parts, call)),
    { right: 'view' },
  ),
  post(
    `${path}/end`,
    docs.end,
    bySession((call) => end(parts, call)),
    { right: 'view', allowedReadOnly: true },
  ),
]

/** Over `session`; $2 is the hash of the caller's key. */
const [sessionSchema, shown] = shapeOf('session', {
  id: [schemas.text, sessionIdSql],
  created_at: schemas.moment,
  seen_at: schemas.moment,
  expires_at: schemas.moment,
  address: nullable(schemas.text),
  user_agent: nullable(schemas.text),
  is_current: [Type.Boolean({ description: 'It is the one that asks' }), '(session.key_hash = $2)'],
})

async function list(parts: OwnSessionParts, call: Call): Promise<Reply> {
  const own = await keyHashOf(parts, call)
  const items = await reading(parts, async (client) => {
    const { rows } = await client.query(
      `SELECT ${shown} AS item FROM staff_sessions AS session WHERE staff_id = $1 AND expires_at > now()
        ORDER BY seen_at DESC, key_hash LIMIT ${shownMax}`,
      [staffOf(call), own],
    )
    return rows.map(({ item }) => item)
  })
  return json({ ok: true, items })
}

/** A program that signs in for every call may have a thousand. */
const shownMax = 500

async function end(parts: OwnSessionParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, docs.end.body.properties)
  if ('refused' in read) return read.refused
  const { id } = read.values
  const own = await keyHashOf(parts, call)
  const ended = await writing(parts, (client) =>
    id === undefined ? endOthers(client, call, own) : endOne(client, call, id),
  )
  if (!ended) return notFoundReply()
  parts.signIn.endedSessions(ended.keyHashes)
  return json({ ok: true, sessions_ended: ended.ended })
}

type Ended = { readonly ended: number; readonly keyHashes: readonly string[] }

async function endOthers(client: Client, call: Call, own: string): Promise<Ended> {
  const ended = await endOtherSessions(client, staffOf(call), own)
  if (ended.ended > 0) await audit(client, call, { sessions: [ended.ended, 0] })
  return ended
}

async function endOne(client: Client, call: Call, id: string): Promise<Ended | null> {
  const { rows } = await client.query<{ key_hash: string; address: string | null }>(
    `DELETE FROM staff_sessions AS session WHERE staff_id = $1 AND ${sessionIdSql} = $2 RETURNING key_hash, address`,
    [staffOf(call), id],
  )
  const [gone] = rows
  if (!gone) return null
  await audit(client, call, { session: [gone.address, null] })
  return { ended: 1, keyHashes: [gone.key_hash] }
}

const keyHashOf = async ({ signIn }: OwnSessionParts, call: Call): Promise<string> =>
  (await signIn.authenticate(call))?.session.keyHash ?? ''

const audit = (client: Client, call: Call, diff: Diff) =>
  writeAudit(client, {
    author: authorOf(call),
    table: 'STAFF',
    id: String(staffOf(call)),
    action: 'change',
    diff,
    organizationId: null,
  })

const tag = 'Sign-in'

const docs = {
  list: {
    tag,
    summary: 'Where the caller is signed in, the last used first',
    answers: answers(`At most ${shownMax}, without the programs that sign in by SOAP`, {
      items: Type.Array(sessionSchema),
    }),
  },
  end: {
    tag,
    summary: 'End a session of the caller, or all others',
    description: 'Without `id` every session but the one that asks ends, those of SOAP among them.',
    body: Type.Object({ id: Type.Optional(sessionIdField) }),
    answers: answers(
      'They have ended; their sockets are closed',
      { sessions_ended: schemas.integer },
      { 404: 'The caller has no such session' },
    ),
  },
} as const satisfies Record<string, RouteDoc>
