import type { PoolClient } from 'pg'
import Type from 'typebox'
import { removeLogin } from '../../../../billing/accounts/login-writes.ts'
import { proposePassword } from '../../../../billing/clients/proposals.ts'
import { readId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { isSet } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../../platform/http/schemas.ts'
import { findRecord } from '../../../../platform/records/reads.ts'
import type { RecordWriter } from '../../../../platform/records/record-writer.ts'
import { isRefusal, type Refusal } from '../../../../platform/records/refusals.ts'
import { bodySchema } from '../../../../platform/records/schema.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { deletesUnnamed, type Fields, readBody } from '../../body.ts'
import { post, refusals, remove } from '../../doors.ts'
import { replyToRefusal } from '../../write-refusals.ts'
import { faultsOf, refusalOf, wrongSchema } from '../create/faults.ts'
import { subscriberLogin } from './model.ts'
import { loginSchema, loginSql } from './shape.ts'
import { type LoginParts, loginWriter } from './writer.ts'

const path = '/admin/Abonents/logins_crud'
const passwordPath = '/admin/Abonents/logins_password'

/** Logins of a subscriber and their passwords. Unlike REST these endpoints refuse an address that another login has. */
export function subscriberLoginRoutes(parts: LoginParts): Route[] {
  const writer = loginWriter(parts)
  const { create: creating, change: changing, remove: removing } = recordRights.usual
  return [
    post(path, docs.create, (call) => create(parts, writer, call), { right: creating }),
    post(`${path}/:id`, docs.change, (call) => change(parts, writer, call), { right: changing }),
    remove(`${path}/:id`, docs.remove, (call) => takeAway(parts, writer, call), { right: removing }),
    post(`${passwordPath}/:id`, docs.password, (call) => setPassword(parts, writer, call), { right: changing }),
  ]
}

async function create(parts: LoginParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const { abonent_id: second, abonent: first = second, ...fields } = sent.fields
  const unnamed = deletesUnnamed(fields)
  if (unnamed) return unnamed
  const abonent = await reading(parts, (client) => findVisible(client, 'subscriber', first, visibleTo(call)))
  if (abonent === null) return notFoundReply()
  const password = isBlank(fields.password) ? proposePassword() : null
  return save(parts, writer, call, null, { ...fields, abonent, ...(password !== null && { password }) }, password)
}

async function change(parts: LoginParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const { abonent_id: _, abonent: __, ...fields } = sent.fields
  if (id === null || !(await isVisibleLogin(parts, call, id))) return notFoundReply()
  return isSet(fields._delete) ? takeAway(parts, writer, call) : save(parts, writer, call, id, fields, null)
}

async function takeAway(parts: LoginParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  if (id === null || !(await isVisibleLogin(parts, call, id))) return notFoundReply()
  const visible = visibleTo(call)
  const kept = await removeLogin(parts, call, String(id), () => writer.remove(call, String(id), visible))
  return kept ? replyTo(kept) : json({ ok: true, deleted: id })
}

/** The password is told by this answer and never again. */
async function setPassword(parts: LoginParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  if (id === null || !(await isVisibleLogin(parts, call, id))) return notFoundReply()
  const { password: named } = sent.fields
  const password = isBlank(named) ? proposePassword() : named
  return save(parts, writer, call, id, { password }, typeof password === 'string' ? password : null)
}

const isBlank = (sent: unknown): boolean => sent === undefined || sent === null || sent === ''

const isVisibleLogin = (parts: LoginParts, call: Call, id: number): Promise<boolean> =>
  reading(parts, async (client) => (await findRecord(client, subscriberLogin, String(id), visibleTo(call))) !== null)

async function save(
  parts: LoginParts,
  writer: RecordWriter,
  call: Call,
  id: number | null,
  fields: Fields,
  password: string | null,
): Promise<Reply> {
  const saved = await writer.save(call, id === null ? null : String(id), fields, visibleTo(call))
  if (isRefusal(saved)) return replyTo(saved)
  const login = await reading(parts, (client) => shownLogin(client, saved.id))
  return login ? json({ ok: true, login, password }) : notFoundReply()
}

async function shownLogin(client: PoolClient, id: string): Promise<object | null> {
  const { rows } = await client.query<{ login: object }>(
    `SELECT ${loginSql} AS login FROM users AS login WHERE id = $1::int8`,
    [id],
  )
  return rows[0]?.login ?? null
}

/** Every wrong field with a code, also those that are wrong in themselves. */
function replyTo(refusal: Refusal): Reply {
  const isOfFields = 'errors' in refusal && !('non_field_errors' in refusal.errors)
  return replyToRefusal((isOfFields && refusalOf(faultsOf(refusal))) || refusal)
}

const { abonent, abonent_id: _, ...changeable } = bodySchema(subscriberLogin).properties
const wrong = {
  400: { doc: 'Wrong fields, all of them by name with a code each; nothing was written', schema: wrongSchema },
  ...refusals({ 404: 'There is no such record, or it is of another organization' }),
}
const saved = okObject({
  login: loginSchema,
  password: Type.With(nullable(schemas.text), { description: 'The password that was made; null: it was named' }),
})
const tag = 'Subscribers'

const docs = {
  create: {
    tag,
    summary: 'Give a subscriber a login',
    description: 'Login and password are made where they are left out. It is open when this answers.',
    body: Type.Object({ abonent_id: schemas.integer, ...changeable }),
    answers: { 200: { doc: 'The login', schema: saved }, ...wrong },
  },
  change: {
    tag,
    summary: 'Change a login, or take it away with _delete',
    description:
      'What is left out stays. A new password ends the sessions of the cabinet and of phones; a login that is switched off or taken away ends its sessions in the network.',
    body: Type.Object({ ...changeable, _delete: Type.Optional(schemas.boolean) }),
    answers: {
      200: {
        doc: 'The login; of a deleted one its id',
        schema: Type.Union([saved, okObject({ deleted: schemas.integer })]),
      },
      ...wrong,
    },
  },
  remove: {
    tag,
    summary: 'Take a login away',
    description: 'Its sessions in the network end.',
    answers: { 200: { doc: 'Its id', schema: okObject({ deleted: schemas.integer }) }, ...wrong },
  },
  password: {
    tag,
    summary: 'Set the password of a login, or have one made',
    description:
      'It is that of the connection, of the cabinet and of the application alike; whoever is signed in there with the old one is signed out. The answer tells it this once.',
    body: Type.Object({
      password: Type.Optional(
        Type.With(nullable(changeable.password!), { description: 'As in REST; left out: one is made' }),
      ),
    }),
    answers: {
      200: {
        doc: 'The login with its new password',
        schema: okObject({ login: loginSchema, password: schemas.text }),
      },
      ...wrong,
    },
  },
} as const satisfies Record<string, RouteDoc>
