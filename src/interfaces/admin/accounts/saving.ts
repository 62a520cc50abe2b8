import Type from 'typebox'
import {
  type AccountParts,
  accountWriter,
  countReferences,
  removeAccount,
} from '../../../billing/accounts/account-writes.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { isSet, orNull, rubles } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, schemas } from '../../../platform/http/schemas.ts'
import { isRefusal } from '../../../platform/records/refusals.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { answers } from '../doors.ts'
import { replyToRefusal } from '../write-refusals.ts'
import { accountMissing, accountSchema, readAccount } from './account-shape.ts'
import { deletesUnnamed, type Fields, isAbsent, readBody, readSent, refused } from '../body.ts'

/** POST accounts_crud without an id: creates an account without subscribers, to which clients may be linked. */
export async function createAccount(parts: AccountParts, call: Call): Promise<Reply> {
  // The account belongs to the default organization until a client is linked, and its creator must be able to see it.
  if (!isVisible(visibleTo(call), null))
    return refused(
      403,
      'not_yours',
      'An account without a client belongs to the default organization, which is not yours.',
    )
  const body = readBody(call)
  if ('refused' in body) return body.refused
  return deletesUnnamed(body.fields) ?? save(parts, call, null, body.fields)
}

/** POST accounts_crud/<id>: changes what is named, or deletes with `_delete=1`. */
export async function changeAccount(parts: AccountParts, call: Call): Promise<Reply> {
  const id = await findVisible(parts.database.pool, 'account', call.params.id, visibleTo(call))
  if (id === null) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  return isSet(body.fields._delete) ? removeOne(parts, call, id) : save(parts, call, id, body.fields)
}

/** DELETE accounts_crud/<id>. */
export async function deleteAccount(parts: AccountParts, call: Call): Promise<Reply> {
  const id = await findVisible(parts.database.pool, 'account', call.params.id, visibleTo(call))
  return id === null ? notFoundReply() : removeOne(parts, call, id)
}

async function removeOne(parts: AccountParts, call: Call, id: number): Promise<Reply> {
  const refusal = await removeAccount(parts, call, String(id))
  if (!refusal) return json({ ok: true, deleted: id })
  if (refusal.status === 404) return notFoundReply()
  const { subscribers, operations, videoObjects } = await reading(parts, (client) =>
    countReferences(client, String(id)),
  )
  return replyToRefusal(refusal, {
    code: 'in_use',
    more: { clients: subscribers, operations, video_objects: videoObjects },
  })
}

async function save(parts: AccountParts, call: Call, id: number | null, fields: Fields): Promise<Reply> {
  const amounts = readSent(body.properties, fields, {
    names: ['limit', 'warn', 'bonus_score'],
    isLeftOut: (sent) => sent === undefined,
  })
  if ('refused' in amounts) return amounts.refused
  // The body as REST v2 takes it: amounts as stored.
  const { reset_notification: reset, ...others } = fields
  const record = { ...others, ...amounts.values, ...(isSet(reset) && { last_notification_date: null }) }
  const saved = await accountWriter(parts).save(call, id === null ? null : String(id), record)
  if (isRefusal(saved)) return replyToRefusal(saved, { code: 'refused' })
  const account = await reading(parts, (client) => readAccount(client, Number(saved.id)))
  return account ? json({ ok: true, account }) : notFoundReply()
}

const { integer, text, boolean, moment } = schemas

const body = Type.Partial(
  Type.Object({
    limit: Type.With(rubles, { description: 'Lowest allowed balance while unlimited is false' }),
    unlimited: boolean,
    unlimited_date: nullable(moment),
    // An empty field of a form is none.
    warn: orNull(rubles, isAbsent),
    bonus_score: rubles,
    currency_id: integer,
    sleep_date: nullable(moment),
    comment: nullable(text),
    reset_notification: Type.Boolean({ description: 'Forgets that the client was warned about a low balance' }),
    _delete: Type.Boolean({ description: '1 deletes; needs the id in the address' }),
  }),
)

const tag = 'Personal accounts'
const inUseSchema = Type.Object({
  ...errorSchema.properties,
  ...Type.Partial(Type.Object({ clients: integer, operations: integer, video_objects: integer })).properties,
})

export const createDoc: RouteDoc = {
  tag,
  summary: 'Open an account without a client',
  body,
  answers: answers(
    'The account as it is now',
    { account: accountSchema },
    { 400: 'A wrong field', 403: 'The default organization is not yours' },
  ),
}

export const changeDoc: RouteDoc = {
  tag,
  summary: 'Change or delete an account',
  description:
    'Fields that are left out stay as they are. The balance is changed by operations only. An account goes only when no subscriber, operation and video object refers to it.',
  body,
  answers: {
    ...answers(
      'The account as it is now; of a deletion its id',
      { account: Type.Optional(accountSchema), deleted: Type.Optional(integer) },
      { 404: accountMissing },
    ),
    400: { doc: 'A wrong field, or what keeps the account from being deleted', schema: inUseSchema },
  },
}

export const deleteDoc: RouteDoc = {
  tag,
  summary: 'Delete an account',
  description: 'It goes only when no subscriber, operation and video object refers to it.',
  answers: {
    ...answers('Its id', { deleted: integer }, { 404: accountMissing }),
    400: { doc: 'What keeps the account from being deleted', schema: inUseSchema },
  },
}
