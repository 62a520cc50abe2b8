import Type from 'typebox'
import { type AccountParts, openAccount, removeAccount } from '../../../billing/accounts/account-writes.ts'
import { accountId, subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { field, flag } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { reading, writing } from '../../../platform/storage/transactions.ts'
import { accountSchema, readAccount } from './account-shape.ts'
import { isAbsent, readSentBody, refused, refusedBy } from '../body.ts'
import { answers } from '../doors.ts'

/**
 * POST accounts_link: moves a client to this account. Every client is on some account already, so the caller confirms
 * with `force`. From then on the new account decides whether the client is in debt.
 */
export async function linkClient(parts: AccountParts, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  const account = await findVisible(parts.database.pool, 'account', call.params.id, visible)
  if (account === null) return notFoundReply()
  const read = readSentBody(call, linkDoc.body.properties)
  if ('refused' in read) return read.refused
  const client = await findVisible(parts.database.pool, 'subscriber', read.values.abonent_id, visible)
  if (client === null) return notFoundReply()
  const now = await accountOf(parts, client)
  if (now === account)
    return refused(400, 'already_linked', 'The client is on this account already.', { linked_account_id: account })
  if (!read.values.force) {
    const shown = now === null ? null : await findVisible(parts.database.pool, 'account', now, visible)
    const sentence = 'The client is on another account; send force=1 to move it.'
    return refused(400, 'linked_elsewhere', sentence, { linked_account_id: shown })
  }
  const outcome = await parts.accounts.moveSubscriber(subscriberId(client), accountId(account), authorOf(call))
  return outcome.kind === 'refused' ? refusedBy(outcome) : accountReply(parts, account)
}

/** POST accounts_unlink: moves a client to a new account of its own, because every client needs an account. */
export async function unlinkClient(parts: AccountParts, call: Call): Promise<Reply> {
  const visible: VisibleOrganizations = visibleTo(call)
  const { pool } = parts.database
  const account = await findVisible(pool, 'account', call.params.id, visible)
  const client = await findVisible(pool, 'subscriber', call.params.abonent_id, visible)
  if (account === null || client === null) return notFoundReply()
  if ((await accountOf(parts, client)) !== account)
    return refused(400, 'subscriberNotOnAccount', 'The client is not on this account.')
  const author = authorOf(call)
  const own = await writing(parts, (sql) => openAccount(sql, author, { sameCurrencyAs: account }))
  const move = parts.accounts.moveSubscriber(subscriberId(client), accountId(own), author, accountId(account))
  const outcome = await move.catch(async (error: unknown) => {
    // It is unknown whether the client has moved. An account that has a client is not removed.
    await removeAccount(parts, call, own).catch(() => {})
    throw error
  })
  if (outcome.kind !== 'refused') return accountReply(parts, account, { new_account_id: Number(own) })
  // Someone else has moved the client in the meantime, so the new account is not needed.
  await removeAccount(parts, call, own)
  return refusedBy(outcome)
}

async function accountOf({ database }: AccountParts, client: number): Promise<number | null> {
  const text = 'SELECT account_id FROM abonents WHERE id = $1::int8'
  const { rows } = await database.pool.query<RowOf<typeof Abonent, 'account_id'>>(text, [client])
  return rows[0] ? Number(rows[0].account_id) : null
}

const accountReply = (parts: AccountParts, id: number, more: object = {}): Promise<Reply> =>
  reading(parts, async (client) => json({ ok: true, account: await readAccount(client, id), ...more }))

const tag = 'Personal accounts'
const { integer } = schemas
const missing = { 404: 'There is no such account or client, or it is of another organization' }
const linkedDoc = Type.Object({
  ...errorSchema.properties,
  linked_account_id: Type.Optional(
    Type.With(nullable(integer), { description: 'Where the client is; null when that is not yours' }),
  ),
})

export const linkDoc = {
  tag,
  summary: 'Link a client to an account',
  body: Type.Object({
    abonent_id: field<unknown>(integer, 'be named', (sent) => (isAbsent(sent) ? null : sent)),
    force: Type.Optional(Type.With(flag, { description: 'Moves the client from the account it is on' })),
  }),
  answers: {
    ...answers('The client is on this account now', { account: accountSchema }, missing),
    400: { doc: 'It is on another account and force is not sent, or on this one already', schema: linkedDoc },
  },
} satisfies RouteDoc

export const unlinkDoc: RouteDoc = {
  tag,
  summary: 'Unlink a client from an account',
  description: 'The client gets a new account of its own, with a balance of zero and the usual terms.',
  answers: answers(
    'The account without the client',
    { account: accountSchema, new_account_id: integer },
    { 400: 'The client is not on this account', ...missing },
  ),
}
