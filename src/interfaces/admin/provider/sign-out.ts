import Type from 'typebox'
import { readId, type StaffId, staffId } from '../../../domain/ids.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { findRecord } from '../../../platform/records/reads.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readBody, refusalWithout } from '../body.ts'
import { answers, post } from '../doors.ts'
import { staff } from './dictionaries/staff.ts'
import { isBeyond } from './dictionaries/staff-rights.ts'

type SessionEnds = Pick<SignIn, 'endAllOf'>

/** Ends every session and API token of the caller, or of another staff user whom the caller may manage. */
export const signOutRoutes = (scope: TransactionScope, signIn: SessionEnds): Route[] => [
  post('/admin/logout_everywhere', doc, (call) => signOut(scope, signIn, call), {
    right: 'view',
    allowedReadOnly: true,
  }),
]

async function signOut(scope: TransactionScope, signIn: SessionEnds, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  // Not read by the schema of the body: what cannot be an id is nobody, so it is answered like somebody unknown.
  const asked = body.fields.staff ?? null
  const self = staffOf(call)
  let who: StaffId = self
  if (asked !== null && readId(asked) !== self) {
    const refused = refusalWithout(recordRights.staff.read, call.staff)
    if (refused) return refused
    const id = readId(asked)
    const record =
      id === null ? null : await reading(scope, (client) => findRecord(client, staff, String(id), visibleTo(call)))
    if (id === null || record === null) return notFoundReply()
    if (isBeyond(call, record)) return refusal('admin', 403, 'Only a superuser may sign one out.')
    who = staffId(id)
  }
  const ended = await signIn.endAllOf(who)
  await writing(scope, (client) =>
    writeAudit(client, {
      author: authorOf(call),
      table: staff.audit,
      id: String(who),
      action: 'change',
      diff: { sessions: [ended.sessions, 0], tokens: [ended.tokens, 0] },
      organizationId: null,
    }),
  )
  return json({ ok: true, ended: ended.sessions, tokens_ended: ended.tokens })
}

const doc: RouteDoc = {
  tag: 'Staff',
  summary: 'Sign out everywhere',
  body: Type.Object({ staff: Type.Optional(Type.Integer({ description: 'Left out: the caller' })) }),
  answers: answers(
    'How many sessions, those of SOAP among them, and how many API tokens have ended',
    { ended: schemas.integer, tokens_ended: schemas.integer },
    { 404: 'There is no such staff user, or you may not manage them' },
  ),
}
