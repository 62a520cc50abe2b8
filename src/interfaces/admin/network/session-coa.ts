import Type from 'typebox'
import { readSignedId } from '../../../domain/ids.ts'
import { findSessions } from '../../../network/radius/accounting/session-search.ts'
import type { SessionTable } from '../../../network/radius/accounting/session-table.ts'
import type { Disconnects } from '../../../network/radius/coa/disconnects.ts'
import { answerInWords } from '../../../network/radius/coa/error-cause-words.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { Unavailable } from '../../../platform/unavailable.ts'
import { readSentBody, refused } from '../body.ts'
import { answers, post } from '../doors.ts'

export type SessionCoaParts = TransactionScope & {
  readonly sessions: SessionTable
  readonly disconnects: Pick<Disconnects, 'tellAgain'>
}

/** A CoA by hand: the NAS of a live session is told once more what its login has. */
export const sessionCoaRoutes = (parts: SessionCoaParts): Route[] => [
  post('/admin/radius/sessions/coa', doc, (call) => tell(parts, call)),
]

async function tell(parts: SessionCoaParts, call: Call): Promise<Reply> {
  const read = readSentBody(call, doc.body.properties)
  if ('refused' in read) return read.refused
  const [session] = await findSessions(parts.sessions, { ids: new Set([read.values.id]) })
  if (!session || !isVisible(visibleTo(call), session.organizationId)) return notFoundReply()
  const { id, login, nasId, organizationId } = session
  await writing(parts, (client) =>
    writeAudit(client, {
      ...{ author: authorOf(call), table: 'RADIUS_SESSIONS', id, action: 'coa', organizationId },
      diff: { login: [login, login], nas: [nasId, nasId] },
    }),
  )
  const outcome = await parts.disconnects.tellAgain(session)
  if (outcome === null) throw new Unavailable('stopping', 'The service is stopping.')
  if (outcome === 'unreachable')
    return refused(409, 'nas_unreachable', 'The NAS of the session is disabled, deleted or has no address for CoA.')
  if (outcome === 'nothing')
    return refused(
      409,
      'coa_nothing',
      'This NAS is told nothing by CoA; disconnect the session, so that it signs in anew.',
    )
  const { result, errorCause, attempts, sentAt, answeredAt } = outcome
  return json({
    ok: true,
    result,
    error_cause: errorCause,
    answer: answerInWords(result, errorCause, attempts),
    attempts,
    ms: answeredAt && answeredAt.getTime() - sentAt.getTime(),
  })
}

const doc = {
  tag: 'Network',
  summary: 'Tell the NAS of a live session by CoA what its login has now',
  description:
    'The attributes are those that a change of tariff sends: speed, VLAN and radius_reply. It answers with the NAS, or after the last repeat in vain; a refusal cuts nothing. The request is in /admin/radius/coa/ too.',
  body: Type.Object({ id: field(schemas.integer, 'be the id of a live session', readSignedId) }),
  answers: answers(
    'What the NAS answered',
    {
      result: Type.Enum(['ack', 'nak', 'no_answer']),
      error_cause: Type.With(nullable(schemas.integer), {
        description: 'Error-Cause of a NAK (RFC 5176 section 3.6)',
      }),
      answer: Type.With(schemas.text, { description: 'The same in words' }),
      attempts: Type.Integer({ description: 'Packets sent' }),
      ms: Type.With(nullable(schemas.integer), { description: 'From the first packet to the answer; null: none came' }),
    },
    {
      400: 'No id',
      404: 'The session has ended, there is none, or it is of another organization',
      409: 'Nothing can be sent; `code` says why: nas_unreachable, coa_nothing',
    },
  ),
} as const satisfies RouteDoc
