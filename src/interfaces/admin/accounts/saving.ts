import Type from 'typebox'
import {
  type AccountParts,
  accountWriter,
  countReferences,
  removeAccount,
} from '../../../billing/accounts/account-writes.ts'
import { parseRubles } from '../../../domain/money.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { isRefusal } from '../../../platform/records/refusals.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { replyToRefusal } from '../write-refusals.ts'
import { accountSchema, readAccount } from './account-shape.ts'
import { type Fields, isAbsent, isSet, readBody, refused, wrongField } from './body.ts'

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
  if (isSet(body.fields._delete)) return refused(400, 'wrong_field', '_delete: Name the account in the address.')
  return save(parts, call, null, body.fields)
}

/** POST accounts_crud/<id>: changes what is named, or deletes with `_delete=1`. */
export async function changeAccount(parts: AccountParts, call: Call): Promise<Reply> {
  const id = await findVisible(parts.database.pool, 'account', call.params.id, visibleTo(call))
  if (id === null) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  if (!isSet(body.fields._delete)) return save(parts, call, id, body.fields)
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
  const body = inUnits(fields)
  if ('refused' in body) return body.refused
  const saved = await accountWriter(parts).save(call, id === null ? null : String(id), body.values)
  if (isRefusal(saved)) return replyToRefusal(saved, { code: 'refused' })
  const account = await reading(parts, (client) => readAccount(client, Number(saved.id)))
  return account ? json({ ok: true, account }) : notFoundReply()
}

const amounts = ['limit', 'warn', 'bonus_score'] as const

/** The body as REST v2 expects it, with amounts as they are stored. An empty `warn` of a form means null. */
function inUnits({ reset_notification: reset, ...fields }: Fields): { values: Fields } | { refused: Reply } {
  const values: Record<string, unknown> = { ...fields }
  for (const name of amounts) {
    if (!Object.hasOwn(fields, name)) continue
    if (name === 'warn' && isAbsent(fields.warn)) values.warn = null
    else {
      const amount = parseRubles(fields[name])
      if (amount === null) return { refused: wrongField(name, mustBeRubles) }
      values[name] = amount
    }
  }
  return { values: isSet(reset) ? { ...values, last_notification_date: null } : values }
}

export const mustBeRubles = 'be an amount in rubles with at most two decimal places'

const { integer, text, boolean, moment } = schemas
const amount = Type.Union([schemas.rubles, schemas.number])

const body = Type.Partial(
  Type.Object({
    limit: Type.With(amount, { description: 'Lowest allowed balance while unlimited is false' }),
    unlimited: boolean,
    unlimited_date: nullable(moment),
    warn: nullable(amount),
    bonus_score: amount,
    currency_id: integer,
    sleep_date: nullable(moment),
    comment: nullable(text),
    reset_notification: Type.Boolean({ description: 'Forgets that the client was warned about a low balance' }),
    _delete: Type.Boolean({ description: '1 deletes; needs the id in the address' }),
  }),
)

const tag = 'Personal accounts'
const answers = {
  200: { doc: 'The account as it is now', schema: okObject({ account: accountSchema }) },
  400: { doc: 'A wrong field', schema: errorSchema },
}

const inUseSchema = Type.Object({
  ...errorSchema.properties,
  ...Type.Partial(Type.Object({ clients: integer, operations: integer, video_objects: integer })).properties,
})

export const createDoc: RouteDoc = {
  tag,
  summary: 'Open an account without a client',
  body,
  isFormToo: true,
  answers: { ...answers, 403: { doc: 'The default organization is not yours', schema: errorSchema } },
}

export const changeDoc: RouteDoc = {
  tag,
  summary: 'Change or delete an account',
  description:
    'Fields that are left out stay as they are. The balance is changed by operations only. An account goes only when no subscriber, operation and video object refers to it.',
  body,
  isFormToo: true,
  answers: {
    200: {
      doc: 'The account as it is now; of a deletion its id',
      schema: okObject({ account: Type.Optional(accountSchema), deleted: Type.Optional(integer) }),
    },
    400: { doc: 'A wrong field, or what keeps the account from being deleted', schema: inUseSchema },
    404: { doc: 'There is no such account, or it is of another organization', schema: errorSchema },
  },
}
