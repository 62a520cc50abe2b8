import type { PoolClient } from 'pg'
import Type from 'typebox'
import { readId } from '../../../domain/ids.ts'
import { readDate, readMoment } from '../../../domain/iso-dates.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { field, someText } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { lockPassword } from '../../../platform/staff/password-lock.ts'
import { isScope, isScopeBeyond, type ScopeName, scopeNames } from '../../../platform/staff/roles.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { newToken } from '../../../platform/staff/tokens.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { ApiToken } from '../../../platform/storage/entities/organizations.ts'
import {
  type PersistenceScope,
  persisting,
  reading,
  type TransactionScope,
} from '../../../platform/storage/transactions.ts'
import { bySession, confirmationRefusals, confirmed, presentPassword, refusalOf } from '../confirmation.ts'
import { readBody, readSent, wrongInWords } from '../body.ts'
import { answers, get, post, remove } from '../doors.ts'
import { shapeOf } from '../shapes.ts'

export type TokenParts = { readonly signIn: Pick<SignIn, 'confirm' | 'forgetAll'> }

const path = '/admin/settings/tokens'
const nameMax = 200
/** A faulty program must not fill the table. */
const tokensMax = 100

/**
 * API tokens (contract section 3): everybody makes, sees and revokes their own, a superuser sees and revokes those of
 * all. A token cannot do any of it, so that a stolen one makes no others.
 */
export const tokenRoutes = (transactions: PersistenceScope, { signIn }: TokenParts): Route[] => [
  get(
    path,
    listDoc,
    bySession((call) => list(transactions, call)),
    options,
  ),
  post(
    path,
    createDoc,
    bySession((call) => create(transactions, signIn, call)),
    options,
  ),
  remove(
    `${path}/:id`,
    removeDoc,
    bySession((call) => revoke(transactions, call).finally(() => signIn.forgetAll())),
    options,
  ),
]

/** A token never allows more than its owner may do. */
const options = { right: 'view' } as const

/** Over `token` and its owner `staff`; never the hash. */
const [tokenSchema, shown] = shapeOf('token', {
  id: schemas.integer,
  name: schemas.text,
  scopes: Type.Array(Type.Enum(scopeNames)),
  user: [schemas.text, 'staff.username'],
  created_at: schemas.moment,
  expires: [nullable(schemas.moment), 'expires_at'],
  used_at: nullable(schemas.moment),
})

type Shown = Readonly<Record<string, unknown>>

async function list(transactions: TransactionScope, call: Call): Promise<Reply> {
  const items = await reading(transactions, async (client) => {
    const { rows } = await client.query<{ record: Shown }>(
      `SELECT ${shown} AS record FROM api_tokens AS token JOIN staff ON staff.id = token.staff_id
        WHERE $1::int8 IS NULL OR token.staff_id = $1 ORDER BY token.id DESC`,
      [ownerSeen(call)],
    )
    return rows.map(({ record }) => record)
  })
  return json({ ok: true, items, total: items.length })
}

async function create(transactions: PersistenceScope, signIn: TokenParts['signIn'], call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const { properties } = createDoc.body
  const read = readSent(properties, body.fields, { names: ['name', 'scopes'], refuse: wrongInWords })
  if ('refused' in read) return read.refused
  const { name, scopes: names } = read.values
  // A token whose scope promises more than its owner may do would be misleading.
  const owned = call.staff?.rights ?? []
  const beyond = names.find((one) => isScopeBeyond(one, owned))
  if (beyond) return refusal('admin', 403, `You cannot give the scope ${beyond}: it allows more than your own rights.`)
  const further = readSent(properties, body.fields, { names: ['expires', 'current_password'], refuse: wrongInWords })
  if ('refused' in further) return further.refused
  const { expires = null, current_password: password } = further.values
  const confirmation = await confirmed(signIn, call, password)
  if ('refused' in confirmation) return confirmation.refused
  const { token, tokenHash } = newToken()
  const made = await persisting(transactions, async (client, manager): Promise<Shown | string | null> => {
    // A new password ends the tokens, so none may be made with the old one after that.
    if (!(await lockPassword(client, staffOf(call), confirmation.passwordHash))) return null
    const { rows } = await client.query<{ ends: Date | null; is_past: boolean; count: number }>(
      `SELECT ends, coalesce(ends <= now(), false) AS is_past,
          (SELECT count(*)::int4 FROM api_tokens WHERE staff_id = $3) AS count
        FROM (SELECT CASE WHEN $2 THEN $1::timestamptz + interval '1 day' ELSE $1::timestamptz END AS ends) AS expiry`,
      // A date without a time means the end of that day.
      [expires, expires !== null && readDate(expires) !== null, staffOf(call)],
    )
    const { ends, is_past, count } = rows[0]!
    if (is_past) return 'expires: It must lie ahead.'
    if (count >= tokensMax) return `You have ${tokensMax} tokens; revoke those you do not use.`
    const id = await manager.insert(ApiToken, {
      staff_id: staffOf(call),
      name,
      token_hash: tokenHash,
      scopes: [...names],
      expires_at: ends,
    })
    const record = (await find(client, id, null))!
    await audit(client, call, record, 'create')
    return record
  })
  if (made === null) return refusalOf({ kind: 'wrong' })
  if (typeof made === 'string') return refusal('admin', 400, made)
  return json({ ok: true, ...made, token })
}

async function revoke(transactions: PersistenceScope, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  if (id === null) return notFoundReply()
  return await persisting(transactions, async (client, manager) => {
    const record = await find(client, id, ownerSeen(call))
    // Somebody else may have revoked it since it was read.
    if (!record || (await manager.nativeDelete(ApiToken, { id })) === 0) return notFoundReply()
    await audit(client, call, record, 'delete')
    return json({ ok: true })
  })
}

/** Null: there is none, or it is not one of `owner` (null: anybody's will do). */
async function find(client: PoolClient, id: number, owner: number | null): Promise<Shown | null> {
  const { rows } = await client.query<{ record: Shown }>(
    `SELECT ${shown} AS record FROM api_tokens AS token JOIN staff ON staff.id = token.staff_id
      WHERE token.id = $1 AND ($2::int8 IS NULL OR token.staff_id = $2)`,
    [id, owner],
  )
  return rows[0]?.record ?? null
}

/** Whose tokens the caller sees; null: everybody's. */
const ownerSeen = (call: Call): number | null => (call.staff?.isSuperuser ? null : staffOf(call))

const audit = (client: PoolClient, call: Call, record: Shown, action: 'create' | 'delete') => {
  const changes = ['name', 'scopes', 'user', 'expires'].map((name): [string, [unknown, unknown]] => {
    const value = record[name] ?? null
    return [name, action === 'create' ? [null, value] : [value, null]]
  })
  return writeAudit(client, {
    author: authorOf(call),
    table: 'API_TOKENS',
    id: String(record.id),
    action,
    diff: { ...Object.fromEntries(changes), ...(action === 'create' && { token: [null, '***'] }) },
    organizationId: null,
  })
}

/** A list, or names separated by commas as a form sends them. */
function readScopes(sent: unknown): ScopeName[] | null {
  const names = typeof sent === 'string' ? sent.split(',').map((name) => name.trim()) : sent
  return Array.isArray(names) && names.length > 0 && names.every(isScope) ? [...new Set(names)] : null
}

const tag = 'Settings'

const listDoc: RouteDoc = {
  tag,
  summary: 'API tokens',
  description: 'One’s own; a superuser sees those of everybody.',
  answers: answers('The newest first', { items: Type.Array(tokenSchema), total: schemas.integer }),
}

const createDoc = {
  tag,
  summary: 'Make an API token',
  description:
    'Within one’s own rights, and with the present password. The token is shown only in this answer. It is sent as `Authorization: Bearer tg_…`. It ends with a new password, when its owner is disabled, and by signing out everywhere.',
  body: Type.Object({
    name: someText(nameMax),
    scopes: field(Type.Array(Type.Enum(scopeNames)), `be a list of ${scopeNames.join(', ')}`, readScopes),
    current_password: presentPassword,
    expires: Type.Optional(
      field(nullable(schemas.moment), 'be an ISO 8601 date or datetime, or empty', (sent) =>
        typeof sent === 'string' ? readMoment(sent) : null,
      ),
    ),
  }),
  answers: answers(
    'The token',
    { ...tokenSchema.properties, token: Type.String({ pattern: '^tg_' }) },
    { 400: 'A wrong field', ...confirmationRefusals },
  ),
} satisfies RouteDoc

const removeDoc: RouteDoc = {
  tag,
  summary: 'Revoke an API token',
  answers: answers('Nobody can use it any more', {}, { 404: 'There is no such token of yours' }),
}
