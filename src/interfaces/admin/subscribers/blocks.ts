import type { Pool } from 'pg'
import { type AccountCommand, accountRefusalText } from '../../../billing/accounts/messages.ts'
import type { SubscriberActors } from '../../../billing/accounts/subscribers.ts'
import { type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { redirect } from '../../../platform/http/reply.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { post, refusals } from '../doors.ts'

export type AdminBlockParts = {
  readonly database: { readonly pool: Pool }
  readonly subscribers: Pick<SubscriberActors, 'ask'>
  /** {base_url}. After a request the operator returns to the page of ours that the Referer names. */
  readonly publicUrl: () => string
}

type CommandOf = (id: SubscriberId) => Extract<AccountCommand, { kind: 'setBlock' | 'disconnect' | 'setDeleted' }>

const block =
  (on: boolean): CommandOf =>
  (id) => ({ kind: 'setBlock', subscriberId: id, reason: 'operator', on })
const disconnect: CommandOf = (id) => ({ kind: 'disconnect', subscriberId: id })
const restore: CommandOf = (id) => ({ kind: 'setDeleted', subscriberId: id, deleted: false })

/** The Web API for subscriber management (specification 4.6). */
export const adminBlockRoutes = (parts: AdminBlockParts): Route[] => [
  commandRoute(parts, '/admin/abonents/block/:id', 'Block a subscriber', block(true)),
  commandRoute(parts, '/admin/abonents/unblock/:id', "Lift the operator's block", block(false)),
  commandRoute(parts, '/admin/abonents/reconnect/:id', 'Disconnect the live sessions of a subscriber', disconnect),
  commandRoute(parts, '/admin/Abonents/restore/:id', 'Bring a deleted subscriber back', restore),
]

const commandRoute = (parts: AdminBlockParts, path: string, summary: string, commandOf: CommandOf): Route =>
  post(path, { tag: 'Subscribers', summary, answers }, (call) => answer(parts, commandOf, call))

const answers = {
  302: { doc: 'Done; back to the page of ours that the Referer names, else to /admin/' },
  ...refusals({
    400: 'It cannot be done',
    404: 'There is no such subscriber, or it is of another organization',
  }),
}

async function answer(
  { database, subscribers, publicUrl }: AdminBlockParts,
  commandOf: CommandOf,
  call: Call,
): Promise<Reply> {
  const found = await findVisible(database.pool, 'subscriber', call.params.id, visibleTo(call))
  if (found === null) return notFoundReply()
  const command = commandOf(subscriberId(found))
  if (command.kind === 'setDeleted' && (await isContractTaken(database.pool, found))) {
    return refusal('admin', 400, 'Another subscriber has this contract number now; change it there first.')
  }
  const outcome = await subscribers.ask(command, authorOf(call))
  if (outcome.kind === 'refused') return refusal('admin', 400, accountRefusalText[outcome.reason])
  return redirect(returnAddress(call, publicUrl()))
}

async function isContractTaken(pool: Pool, id: number): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM abonents AS this JOIN abonents AS other USING (contract_number)
      WHERE this.id = $1 AND this.deleted AND NOT other.deleted`,
    [id],
  )
  return rows.length > 0
}

/** Back to where the operator came from, if that is one of our pages. */
function returnAddress(call: Call, publicUrl: string): string {
  const referer = URL.parse(call.header('referer'))
  const own = [URL.parse(publicUrl)?.host, call.header('host')]
  return referer && /^https?:$/.test(referer.protocol) && own.includes(referer.host) ? referer.href : '/admin/'
}
