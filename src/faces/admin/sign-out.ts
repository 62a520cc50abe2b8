import { type StaffId, staffId } from '../../domain/ids.ts'
import type { Call, Reply, Route } from '../../http/call.ts'
import { notAllowed, refusal } from '../../http/errors.ts'
import { readFields } from '../../http/form.ts'
import { json } from '../../http/reply.ts'
import { objectSchema, okSchema, type RouteDoc, schemas } from '../../http/route-doc.ts'
import type { SignIn } from '../../http/sign-in.ts'
import { writeAudit } from '../rest-v2/audit.ts'
import { authorOf, staffOf } from '../rest-v2/face.ts'
import { reading, type Seat, writing } from '../rest-v2/session.ts'
import { errorSchema } from './dictionaries/docs.ts'
import { findRecord } from './dictionaries/records.ts'
import type { Dictionary } from './dictionaries/description.ts'
import { missing, readId, sightOf } from './scope.ts'

export type SignOutParts = {
  readonly signIn: Pick<SignIn, 'sessions'>
  /** Says which staff the caller looks after. */
  readonly staff: Dictionary
}

/** Ends every session of the caller, or of another staff user the caller looks after. Tokens are taken back one by one. */
export const signOutRoutes = (seat: Seat, parts: SignOutParts): Route[] => [
  {
    method: 'POST',
    path: '/admin/logout_everywhere',
    door: 'admin',
    right: 'view',
    allowedReadOnly: true,
    doc,
    handler: (call) => signOut(seat, parts, call),
  },
]

async function signOut(seat: Seat, { signIn, staff }: SignOutParts, call: Call): Promise<Reply> {
  const read = readFields(call)
  if (read.kind === 'refused') return refusal('admin', read.status, read.detail)
  const asked = read.fields.staff ?? null
  const self = staffOf(call)
  let who: StaffId = self
  if (asked !== null && readId(asked) !== self) {
    const { read: right } = staff.rights
    if (!call.staff?.rights.includes(right)) return notAllowed('admin', right)
    const id = readId(asked)
    const found = id === null ? null : await reading(seat, (client) => findRecord(client, staff, id, sightOf(call)))
    if (id === null || found === null) return missing()
    who = staffId(id)
  }
  const ended = await signIn.sessions.endAllOf(who)
  await writing(seat, (client) =>
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
  body: objectSchema({ staff: { ...schemas.integer, description: 'Left out: the caller' } }, ['staff']),
  isFormToo: true,
  answers: {
    200: { doc: 'How many sessions have ended', schema: okSchema({ ended: schemas.integer }) },
    404: { doc: 'There is no such staff user in your sight', schema: errorSchema },
  },
}
