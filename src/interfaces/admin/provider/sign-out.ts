import Type from 'typebox'
import { readId, type StaffId, staffId } from '../../../domain/ids.ts'
import { readFields } from '../../../platform/http/form.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { notAllowed, refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { okObject, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { missing, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import type { Dictionary } from './dictionaries/description.ts'
import { errorSchema } from './dictionaries/docs.ts'
import { findRecord } from './dictionaries/records.ts'

export type SignOutParts = {
  readonly signIn: Pick<SignIn, 'sessions'>
  /** Says which staff the caller looks after. */
  readonly staff: Dictionary
}

/** Ends every session of the caller, or of another staff user the caller looks after. Tokens are taken back one by one. */
export const signOutRoutes = (scope: TransactionScope, parts: SignOutParts): Route[] => [
  {
    method: 'POST',
    path: '/admin/logout_everywhere',
    door: 'admin',
    right: 'view',
    allowedReadOnly: true,
    doc,
    handler: (call) => signOut(scope, parts, call),
  },
]

async function signOut(scope: TransactionScope, { signIn, staff }: SignOutParts, call: Call): Promise<Reply> {
  const read = readFields(call)
  if (read.kind === 'refused') return refusal('admin', read.status, read.detail)
  const asked = read.fields.staff ?? null
  const self = staffOf(call)
  let who: StaffId = self
  if (asked !== null && readId(asked) !== self) {
    const { read: right } = staff.rights
    if (!call.staff?.rights.includes(right)) return notAllowed('admin', right)
    const id = readId(asked)
    const found = id === null ? null : await reading(scope, (client) => findRecord(client, staff, id, visibleTo(call)))
    if (id === null || found === null) return missing()
    who = staffId(id)
  }
  const ended = await signIn.sessions.endAllOf(who)
  await writing(scope, (client) =>
    writeAudit(client, {
      author: authorOf(call),
      table: staff.auditName,
      id: String(who),
      action: 'change',
      diff: { sessions: [ended, 0] },
      organizationId: null,
    }),
  )
  return json({ ok: true, ended })
}

const doc: RouteDoc = {
  tag: 'Staff',
  summary: 'Sign out everywhere',
  body: Type.Object({ staff: Type.Optional(Type.Integer({ description: 'Left out: the caller' })) }),
  isFormToo: true,
  answers: {
    200: { doc: 'How many sessions have ended', schema: okObject({ ended: schemas.integer }) },
    404: { doc: 'There is no such staff user in your visible', schema: errorSchema },
  },
}
