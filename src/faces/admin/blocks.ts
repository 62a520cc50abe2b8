import type { Pool } from 'pg'
import type { AccountCommand, Accounts } from '../../accounts/messages.ts'
import { accountRefusalText } from '../../accounts/messages.ts'
import { accountId, type OrganizationId, organizationId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Call, Reply, Route } from '../../http/call.ts'
import { refusal, refusalText } from '../../http/errors.ts'
import { redirect } from '../../http/reply.ts'

export type AdminBlockParts = {
  readonly database: { readonly pool: Pool }
  readonly accounts: Accounts
  /** {base_url}; a Referer of our own is where the operator goes back to. */
  readonly publicUrl: () => string
}

type Deed = (id: SubscriberId) => AccountCommand

const block =
  (on: boolean): Deed =>
  (id) => ({ kind: 'setBlock', subscriberId: id, reason: 'operator', on })
const disconnect: Deed = (id) => ({ kind: 'disconnect', subscriberId: id })
const restore: Deed = (id) => ({ kind: 'setDeleted', subscriberId: id, deleted: false })

/** The Web API for subscriber management (specification 4.6). */
export const adminBlockRoutes = (parts: AdminBlockParts): Route[] => [
  post(parts, '/admin/abonents/block/:id', block(true)),
  post(parts, '/admin/abonents/unblock/:id', block(false)),
  post(parts, '/admin/abonents/reconnect/:id', disconnect),
  post(parts, '/admin/Abonents/restore/:id', restore),
]

const post = (parts: AdminBlockParts, path: string, deed: Deed): Route => ({
  method: 'POST',
  path,
  door: 'admin',
  handler: (call) => answer(parts, deed, call),
})

async function answer({ database, accounts, publicUrl }: AdminBlockParts, deed: Deed, call: Call): Promise<Reply> {
  const found = await findSubscriber(database.pool, call)
  // A foreign subscriber is answered like a missing one, so that nobody can count through the ids.
  if (!found) return refusal('admin', 404, refusalText.notFound)
  const command = deed(found.id)
  if (command.kind === 'setDeleted' && found.contractTaken) {
    return refusal('admin', 400, 'Another subscriber has this contract number now; change it there first.')
  }
  const author = { staffId: call.staff?.id ?? null, name: call.staff?.username ?? '', address: call.address }
  const outcome = await accounts.ask(found.account, command, author)
  if (outcome.kind === 'refused') return refusal('admin', 400, accountRefusalText[outcome.reason])
  return redirect(returnAddress(call, publicUrl()))
}

type Found = { id: SubscriberId; account: ReturnType<typeof accountId>; contractTaken: boolean }

async function findSubscriber(pool: Pool, { params, staff }: Call): Promise<Found | null> {
  const text = params.id ?? ''
  if (!/^\d{1,15}$/.test(text)) return null
  const { rows } = await pool.query<{ account_id: string; organization_id: string; contract_taken: boolean }>(
    `SELECT account_id, organization_id, deleted AND EXISTS (SELECT FROM abonents AS other
        WHERE other.contract_number = this.contract_number AND NOT other.deleted) AS contract_taken
      FROM abonents AS this WHERE id = $1::int8`,
    [text],
  )
  const [row] = rows
  if (!row || !isAllowed(staff?.organizations ?? null, organizationId(row.organization_id))) return null
  return { id: subscriberId(text), account: accountId(row.account_id), contractTaken: row.contract_taken }
}

const isAllowed = (organizations: readonly OrganizationId[] | null, organization: OrganizationId): boolean =>
  organizations === null || organizations.includes(organization)

/** Back to where the operator came from, if that is one of our pages. */
function returnAddress(call: Call, publicUrl: string): string {
  const referer = URL.parse(call.header('referer'))
  const own = [URL.parse(publicUrl)?.host, call.header('host')]
  return referer && /^https?:$/.test(referer.protocol) && own.includes(referer.host) ? referer.href : '/admin/'
}
