import Type from 'typebox'
import { recordRights } from '../../../../domain/record-rights.ts'
import { missingRight, type Right } from '../../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { notAllowed } from '../../../../platform/http/errors.ts'
import { field } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../../platform/staff/author.ts'
import {
  everyRight,
  isRight,
  isRole,
  readChangedRoles,
  type RoleName,
  rightsOfRole,
  roleNames,
  roles,
} from '../../../../platform/staff/roles.ts'
import type { SignIn } from '../../../../platform/staff/sign-in.ts'
import { readStaffUser } from '../../../../platform/staff/staff-table.ts'
import { notFoundReply } from '../../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../../platform/storage/audit.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { readBody, readSent, refused } from '../../body.ts'
import { bySession } from '../../confirmation.ts'
import { answers, get, post } from '../../doors.ts'

const path = '/admin/staff/roles'

/** What each role may do, and a change of it by who sees all organizations. */
export const roleRoutes = (scope: TransactionScope, signIn: Pick<SignIn, 'forgetAll'>): Route[] => [
  get(path, docs.list, () => list(scope), { right: recordRights.staff.read }),
  post(
    `${path}/:name`,
    docs.change,
    // What is cached goes also where the answer is lost.
    bySession((call) => change(scope, call).finally(() => signIn.forgetAll())),
    { right: recordRights.staff.change, forAllOrganizations: true },
  ),
]

async function list(scope: TransactionScope): Promise<Reply> {
  const items = await reading(scope, async (client) => {
    const changed = await readChangedRoles(client)
    const { rows } = await client.query<{ role: string; users: number }>(
      'SELECT role, count(*)::int4 AS users FROM staff WHERE enabled AND NOT is_superuser GROUP BY role',
    )
    const users = new Map(rows.map((row) => [row.role, row.users]))
    return roleNames.map((name) => ({ ...shown(name, changed.get(name) ?? null), users: users.get(name) ?? 0 }))
  })
  return json({ ok: true, items, rights: everyRight })
}

const shown = (name: RoleName, changed: readonly string[] | null) => ({
  name,
  rights: rightsOfRole(name, changed),
  default_rights: roles[name],
})

async function change(scope: TransactionScope, call: Call): Promise<Reply> {
  const { name = '' } = call.params
  if (!isRole(name)) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readSent(docs.change.body.properties, body.fields)
  if ('refused' in read) return read.refused
  const rights = everyRight.filter((one) => read.values.rights.includes(one))
  return await writing(scope, async (client) => {
    // One change after another: two administrators may not take the right to manage staff from each other at once.
    await client.query('LOCK TABLE staff_roles IN SHARE ROW EXCLUSIVE MODE')
    const before = rightsOfRole(name, (await readChangedRoles(client)).get(name) ?? null)
    const refusal = await refusalOf(client, call, { name, before, rights })
    if (refusal) return refusal
    await store(client, name, rights)
    if (!sameRights(before, rights))
      await writeAudit(client, {
        author: authorOf(call),
        table: 'STAFF_ROLES',
        id: name,
        action: 'change',
        diff: { rights: [before, rights] },
        organizationId: null,
      })
    return json({ ok: true, ...shown(name, rights) })
  })
}

type Change = { readonly name: RoleName; readonly before: readonly Right[]; readonly rights: readonly Right[] }

/** The rights of the caller are read again, because a change that came before may have taken some. */
async function refusalOf(client: Client, call: Call, { name, before, rights }: Change): Promise<Reply | null> {
  const caller = await readStaffUser(client, staffOf(call))
  const owned = caller?.rights ?? []
  const missing = missingRight({ rights: owned }, recordRights.staff.change)
  if (missing) return notAllowed('admin', missing)
  if (rights.some((right) => !before.includes(right) && !owned.includes(right)))
    return refused(403, 'beyond_own_rights', 'Nobody can give a role a right that they do not have.')
  if (caller?.isSuperuser || rights.includes('system')) return null
  const { rows } = await client.query('SELECT FROM staff WHERE id = $1 AND role = $2', [staffOf(call), name])
  if (rows.length === 0) return null
  return refused(403, 'own_role', 'You would take the right to manage staff from yourself.')
}

/** A role that has the rights of the program again has no row, so that it also gets those of later versions. */
async function store(client: Client, name: RoleName, rights: readonly Right[]): Promise<void> {
  if (sameRights(rights, roles[name])) await client.query('DELETE FROM staff_roles WHERE name = $1', [name])
  else
    await client.query(
      `INSERT INTO staff_roles (name, rights) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET rights = excluded.rights`,
      [name, [...rights]],
    )
}

const sameRights = (one: readonly Right[], other: readonly Right[]): boolean =>
  one.length === other.length && one.every((right) => other.includes(right))

const rightsSchema = Type.Array(Type.Enum(everyRight))

const roleSchema = Type.Object({
  name: Type.Enum(roleNames),
  rights: rightsSchema,
  default_rights: Type.With(rightsSchema, { description: 'What the program gives it while nobody has changed it' }),
})

const readRights = (sent: unknown): Right[] | null =>
  Array.isArray(sent) &&
  sent.every((one): one is Right => typeof one === 'string' && isRight(one)) &&
  sent.includes('view')
    ? sent
    : null

const docs = {
  list: {
    tag: 'Staff',
    summary: 'What each role may do',
    answers: answers('Every role', {
      items: Type.Array(
        Type.Object({
          ...roleSchema.properties,
          users: Type.Integer({ description: 'Who can sign in and has it' }),
        }),
      ),
      rights: Type.With(rightsSchema, { description: 'Every right there is' }),
    }),
  },
  change: {
    tag: 'Staff',
    summary: 'Change what a role may do',
    description:
      'It counts at once for everybody who has the role. The rights of the program are restored by sending them.',
    params: { name: { doc: 'As listed', schema: schemas.text } },
    body: Type.Object({
      rights: field(rightsSchema, `be a list of ${everyRight.join(', ')}, view among them`, readRights),
    }),
    answers: answers('It is in effect', roleSchema.properties, {
      400: 'The rights are wrong',
      403: 'The caller lacks one of the rights (`beyond_own_rights`) or would lose system (`own_role`)',
      404: 'There is no such role',
    }),
  },
} as const satisfies Record<string, RouteDoc>
