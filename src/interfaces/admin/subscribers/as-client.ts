import type { ClientViews } from '../../../billing/clients/client-views.ts'
import { subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { refused } from '../body.ts'
import { answers, post } from '../doors.ts'

export type AsClientParts = TransactionScope & { readonly views: Pick<ClientViews, 'begin'> }

/** The portal as a client sees it, for staff: the pages themselves are in interfaces/portal/view.ts. */
export const asClientRoutes = (parts: AsClientParts): Route[] => [
  post('/admin/Abonents/as_client/:id', doc, (call) => begin(parts, call)),
]

async function begin(parts: AsClientParts, call: Call): Promise<Reply> {
  return writing(parts, async (client) => {
    const subscriber = await findVisible(client, 'subscriber', call.params.id, visibleTo(call))
    if (subscriber === null) return notFoundReply()
    const { rows } = await client.query<{ deleted: boolean; organization_id: string | null }>(
      'SELECT deleted, organization_id FROM abonents WHERE id = $1',
      [subscriber],
    )
    const { deleted, organization_id } = rows[0]!
    if (deleted) return refused(400, 'deleted', 'The subscriber is deleted and sees nothing.')
    const { key, until } = parts.views.begin(staffOf(call), subscriberId(subscriber))
    await writeAudit(client, {
      author: authorOf(call),
      table: 'ABONENTS',
      id: String(subscriber),
      action: 'as_client',
      diff: {},
      organizationId: organization_id === null ? null : Number(organization_id),
    })
    return json({ ok: true, path: `/admin/as_client/${key}/`, until })
  })
}

const doc = {
  tag: 'Subscribers',
  summary: 'Begin to see the portal as the client does',
  description:
    'The pages at `path` are those of the client and can only be looked at: nothing of them writes, pays or signs the browser in as the client. They are shown to you alone, while you are signed in and may do this, for 15 minutes. The audit has who looked.',
  answers: answers(
    'The address of the first page',
    { path: schemas.text, until: schemas.moment },
    { 400: 'The subscriber is deleted', 404: 'There is no such subscriber, or it is of another organization' },
  ),
} as const satisfies RouteDoc
