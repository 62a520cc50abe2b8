import Type from 'typebox'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Right } from '../../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { field, orNull, someText } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../../platform/staff/author.ts'
import {
  everyRight,
  isRight,
  isRole,
  newRoleName,
  readStoredRoles,
  rightsOfRole,
  roleNames,
  roles,
  type StoredRole,
} from '../../../../platform/staff/roles.ts'
import type { SignIn } from '../../../../platform/staff/sign-in.ts'
import { readStaffUser } from '../../../../platform/staff/staff-table.ts'
import { notFoundReply } from '../../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../../platform/storage/audit.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { readSentBody, refusalWithout, refused } from '../../body.ts'
import { bySession } from '../../confirmation.ts'
import { answers, get, post, remove } from '../../doors.ts'

const path = '/admin/staff/roles'
const titleMax = 100
/** A faulty program must not fill the table. */
const ownRolesMax = 100

/** What each role may do. Who sees all organizations changes that, and makes and deletes the provider's own. */
export function roleRoutes(scope: TransactionScope, signIn: Pick<SignIn, 'forgetAll'>): Route[] {
  // What is cached goes also where the answer is lost.
  const written = (write: (scope: TransactionScope, call: Call) => Promise<Reply>) =>
    bySession((call) => write(scope, call).finally(() => signIn.forgetAll()))
  const { read, create, change, remove: removal } = recordRights.staff
  const isShared = { forAllOrganizations: true } as const
  return [
    get(path, docs.list, () => list(scope), { right: read }),
    post(path, docs.create, written(createRole), { right: create, ...isShared }),
    post(`${path}/:name`, docs.change, written(changeRole), { right: change, ...isShared }),
    remove(`${path}/:name`, docs.remove, written(removeRole), { right: removal, ...isShared }),
  ]
}

async function list(scope: TransactionScope): Promise<Reply> {
  const items = await reading(scope, async (client) => {
    const stored = await readStoredRoles(client)
    const { rows } = await client.query<{ role: string; users: number }>(
      'SELECT role, count(*)::int4 AS users FROM staff WHERE enabled AND NOT is_superuser GROUP BY role',
    )
    const users = new Map(rows.map((row) => [row.role, row.users]))
    const own = [...stored].filter(([name]) => !isRole(name)).sort(([, one], [, other]) => byTitle(one, other))
    return [...roleNames, ...own.map(([name]) => name)].map((name) => ({
      ...shown(name, stored.get(name)),
      users: users.get(name) ?? 0,
    }))
  })
  return json({ ok: true, items, rights: everyRight })
}

const byTitle = (one: StoredRole, other: StoredRole): number => (one.title ?? '').localeCompare(other.title ?? '', 'ru')

const shown = (name: string, stored: StoredRole | undefined) => ({
  name,
  title: stored?.title ?? null,
  is_own: !isRole(name),
  rights: rightsOfRole(name, stored?.rights ?? null),
  default_rights: isRole(name) ? roles[name] : null,
})

/** One change after another: two administrators may not take the right to manage staff from each other at once. */
const lockRoles = (client: Client) => client.query('LOCK TABLE staff_roles IN SHARE ROW EXCLUSIVE MODE')

async function createRole(scope: TransactionScope, call: Call): Promise<Reply> {
  const read = readSentBody(call, docs.create.body.properties)
  if ('refused' in read) return read.refused
  const { title, rights: sent } = read.values
  const rights = inOrder(sent)
  return await writing(scope, async (client) => {
    await lockRoles(client)
    const stored = await readStoredRoles(client)
    const name = newRoleName()
    const refusal = (await refusalOf(client, call, { name, before: [], rights })) ?? titleRefusal(stored, name, title)
    if (refusal) return refusal
    if (stored.size >= ownRolesMax) return refused(400, 'too_many', `There may be ${ownRolesMax} roles at most.`)
    await client.query('INSERT INTO staff_roles (name, title, rights) VALUES ($1, $2, $3)', [name, title, rights])
    await audit(client, call, name, 'create', { title: [null, title], rights: [null, rights] })
    return json({ ok: true, ...shown(name, { title, rights }) })
  })
}

async function changeRole(scope: TransactionScope, call: Call): Promise<Reply> {
  const { name = '' } = call.params
  const read = readSentBody(call, docs.change.body.properties, { isLeftOut: (sent) => sent === undefined })
  if ('refused' in read) return read.refused
  return await writing(scope, async (client) => {
    await lockRoles(client)
    const stored = await readStoredRoles(client)
    const known = stored.get(name)
    if (!known && !isRole(name)) return notFoundReply()
    const before = { title: known?.title ?? null, rights: rightsOfRole(name, known?.rights ?? null) }
    const { title = before.title, rights: sent = before.rights } = read.values
    const after = { title, rights: inOrder(sent) }
    const refusal =
      (await refusalOf(client, call, { name, before: before.rights, rights: after.rights })) ??
      titleRefusal(stored, name, title)
    if (refusal) return refusal
    const kept = await store(client, name, after)
    const diff: Diff = {
      ...(before.title !== after.title && { title: [before.title, after.title] as const }),
      ...(!sameRights(before.rights, after.rights) && { rights: [before.rights, after.rights] as const }),
    }
    if (Object.keys(diff).length > 0) await audit(client, call, name, 'change', diff)
    return json({ ok: true, ...shown(name, kept) })
  })
}

async function removeRole(scope: TransactionScope, call: Call): Promise<Reply> {
  const { name = '' } = call.params
  if (isRole(name)) return refused(400, 'program_role', 'A role of the program stays; it can be given other rights.')
  return await writing(scope, async (client) => {
    await lockRoles(client)
    const known = (await readStoredRoles(client)).get(name)
    if (!known) return notFoundReply()
    const refusal = await refusalOf(client, call, { name, before: [], rights: [] })
    if (refusal) return refusal
    // Whoever is being given the role holds its row until then, and is seen below.
    await client.query('DELETE FROM staff_roles WHERE name = $1', [name])
    const { rows } = await client.query<{ users: number }>(
      'SELECT count(*)::int4 AS users FROM staff WHERE role = $1',
      [name],
    )
    const { users } = rows[0]!
    if (users > 0) throw new RoleInUse(users)
    await audit(client, call, name, 'delete', { title: [known.title, null], rights: [known.rights, null] })
    return json({ ok: true })
  }).catch((error: unknown) => {
    if (!(error instanceof RoleInUse)) throw error
    return refused(400, 'record_in_use', `${error.users} staff users have the role, disabled ones among them.`)
  })
}

/** Takes the deletion back. */
class RoleInUse extends Error {
  readonly users: number

  constructor(users: number) {
    super('The role is in use.')
    this.users = users
  }
}

type Change = { readonly name: string; readonly before: readonly Right[]; readonly rights: readonly Right[] }

/** The rights of the caller are read again, because a change that came before may have taken some. */
async function refusalOf(client: Client, call: Call, { name, before, rights }: Change): Promise<Reply | null> {
  const caller = await readStaffUser(client, staffOf(call))
  const owned = caller?.rights ?? []
  const lacking = refusalWithout(recordRights.staff.change, caller)
  if (lacking) return lacking
  if (rights.some((right) => !before.includes(right) && !owned.includes(right)))
    return refused(403, 'beyond_own_rights', 'Nobody can give a role a right that they do not have.')
  if (caller?.isSuperuser || rights.includes('system')) return null
  const { rows } = await client.query('SELECT FROM staff WHERE id = $1 AND role = $2', [staffOf(call), name])
  if (rows.length === 0) return null
  return refused(403, 'own_role', 'You would take the right to manage staff from yourself.')
}

/** Two roles of one title could not be told apart by who gives them. */
function titleRefusal(stored: ReadonlyMap<string, StoredRole>, name: string, title: string | null): Reply | null {
  const text = title === null ? 'A role of your own must have a title.' : 'Another role has this title.'
  const isMissing = title === null && !isRole(name)
  const isTaken =
    title !== null &&
    [...stored].some(([other, one]) => other !== name && one.title?.toLowerCase() === title.toLowerCase())
  if (!isMissing && !isTaken) return null
  return refused(400, 'wrong_field', `title: ${text}`, {
    errors: { title: text },
    codes: { title: isTaken ? 'taken' : 'required' },
  })
}

/**
 * What is stored: nothing of a role of the program that is as the program says, so that it also gets the rights of
 * later versions.
 */
async function store(
  client: Client,
  name: string,
  { title, rights }: { readonly title: string | null; readonly rights: readonly Right[] },
): Promise<StoredRole> {
  const kept = { title, rights: isRole(name) && sameRights(rights, roles[name]) ? null : [...rights] }
  if (kept.title === null && kept.rights === null) await client.query('DELETE FROM staff_roles WHERE name = $1', [name])
  else
    await client.query(
      `INSERT INTO staff_roles (name, title, rights) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET title = excluded.title, rights = excluded.rights`,
      [name, kept.title, kept.rights],
    )
  return kept
}

const audit = (client: Client, call: Call, name: string, action: 'create' | 'change' | 'delete', diff: Diff) =>
  writeAudit(client, {
    author: authorOf(call),
    table: 'STAFF_ROLES',
    id: name,
    action,
    diff,
    organizationId: null,
  })

const inOrder = (rights: readonly Right[]): Right[] => everyRight.filter((one) => rights.includes(one))

const sameRights = (one: readonly Right[], other: readonly Right[]): boolean =>
  one.length === other.length && one.every((right) => other.includes(right))

const rightsSchema = Type.Array(Type.Enum(everyRight))
const title = someText(titleMax)

const roleSchema = Type.Object({
  name: Type.With(schemas.text, { description: 'For programs; a role of the provider gets one when it is made' }),
  title: Type.With(nullable(schemas.text), { description: 'What people call it; null: as the program does' }),
  is_own: Type.Boolean({ description: 'Of the provider; the others are of the program and stay' }),
  rights: rightsSchema,
  default_rights: Type.With(nullable(rightsSchema), {
    description: 'What the program gives it while nobody has changed it; null: it is of the provider',
  }),
})

const readRights = (sent: unknown): Right[] | null =>
  Array.isArray(sent) &&
  sent.every((one): one is Right => typeof one === 'string' && isRight(one)) &&
  sent.includes('view')
    ? sent
    : null

const rightsField = field(rightsSchema, `be a list of ${everyRight.join(', ')}, view among them`, readRights)
const params = { name: { doc: 'As listed', schema: schemas.text } } as const
const beyond = 'The caller lacks one of the rights (`beyond_own_rights`)'

const docs = {
  list: {
    tag: 'Staff',
    summary: 'What each role may do',
    answers: answers('Those of the program, then those of the provider by their titles', {
      items: Type.Array(
        Type.Object({
          ...roleSchema.properties,
          users: Type.Integer({ description: 'Who can sign in and has it' }),
        }),
      ),
      rights: Type.With(rightsSchema, { description: 'Every right there is' }),
    }),
  },
  create: {
    tag: 'Staff',
    summary: 'Make a role of the provider',
    body: Type.Object({ title, rights: rightsField }),
    answers: answers('It can be given to staff users', roleSchema.properties, {
      400: 'The title or the rights are wrong, or another role has the title',
      403: beyond,
    }),
  },
  change: {
    tag: 'Staff',
    summary: 'Change what a role may do, or its title',
    description:
      'It counts at once for everybody who has the role. What is left out stays. The rights of the program are restored by sending them, its title by null.',
    params,
    body: Type.Object({ rights: Type.Optional(rightsField), title: Type.Optional(orNull(title)) }),
    answers: answers('It is in effect', roleSchema.properties, {
      400: 'The rights or the title are wrong',
      403: `${beyond} or would lose system (\`own_role\`)`,
      404: 'There is no such role',
    }),
  },
  remove: {
    tag: 'Staff',
    summary: 'Delete a role of the provider',
    params,
    answers: answers(
      'It is gone',
      {},
      {
        400: 'A staff user has it (`record_in_use`), or it is of the program (`program_role`)',
        404: 'There is no such role',
      },
    ),
  },
} as const satisfies Record<string, RouteDoc>
