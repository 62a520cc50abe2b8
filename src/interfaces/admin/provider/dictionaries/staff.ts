import { staffId } from '../../../../domain/ids.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { passwordLengthMax } from '../../../../platform/staff/passwords.ts'
import { rightsOf, roleNames } from '../../../../platform/staff/roles.ts'
import type { SignIn } from '../../../../platform/staff/sign-in.ts'
import { defaultRole, passwordColumns, usernameForm } from '../../../../platform/staff/staff-table.ts'
import { usualOrganization } from '../../../../platform/staff/visible-records.ts'
import { type Dictionary, type Refused, refused, type Shown, type Step } from './description.ts'
import { choice, flag, matching, relations, secret } from './kinds.ts'
import { anOrganization } from './plain.ts'

export type StaffParts = {
  readonly seal: (plain: string) => string
  readonly signIn: Pick<SignIn, 'sessions' | 'forgetAll'>
}

/**
 * Staff whom the caller may look after: all, or those who see no organization the caller does not see. Nobody can give
 * away more than they have.
 */
export const visibleStaffSql = (parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR (NOT row.is_superuser AND NOT EXISTS (
    SELECT FROM staff_organizations WHERE staff_id = row.id AND NOT organization_id = ANY(${parameter}::int8[]))))`

export const staffDictionary = ({ seal, signIn }: StaffParts): Dictionary => ({
  name: 'staff',
  doc: 'Staff users',
  table: 'staff',
  key: 'id',
  auditName: 'STAFF',
  rights: { read: 'system', write: 'system' },
  fields: [
    {
      name: 'username',
      kind: matching(usernameForm, 'have 1 to 150 characters, none of them a control character'),
      isRequired: true,
      doc: 'How the user signs in',
    },
    {
      name: 'password',
      shown: null,
      column: null,
      kind: secret(passwordLengthMax),
      isRequired: true,
      doc: 'A new one ends all sessions of the user',
    },
    { name: 'role', kind: choice(...roleNames), doc: `What the user may do; left out: ${defaultRole}` },
    { name: 'is_superuser', kind: flag, doc: 'May do everything, in all organizations' },
    { name: 'enabled', kind: flag, doc: 'False: cannot sign in, and all sessions and tokens are void' },
    {
      name: 'organizations',
      shown: 'ARRAY(SELECT organization_id FROM staff_organizations WHERE staff_id = row.id ORDER BY 1)',
      column: null,
      kind: relations,
      refersTo: anOrganization,
      doc: 'Whose subscribers the user sees; left out: the default one',
    },
    { name: 'create_date', schema: schemas.moment, doc: 'When the user was made' },
    {
      name: 'sessions',
      shown: '(SELECT count(*) FROM staff_sessions WHERE staff_id = row.id AND expires_at > now())',
      schema: schemas.integer,
      doc: 'Open sessions',
    },
  ],
  visible: visibleStaffSql,
  order: 'row.username',
  searched: 'row.username',
  uses: [
    { of: 'operations', rows: 'SELECT FROM finance_operations WHERE owner_id = $1' },
    { of: 'replies to tickets', rows: 'SELECT FROM hdsk_messages WHERE staff_id = $1' },
  ],
  prepare: async ({ password }) => (password === undefined ? {} : await passwordColumns(password as string, seal)),
  derive: async (step) => (await isTooMuch(step)) ?? {},
  also: async ({ client, values, before, visible }, id) => {
    if (values.organizations === undefined && before) return
    const usual = values.is_superuser === true ? [] : [usualOrganization(visible)]
    await client.query('DELETE FROM staff_organizations WHERE staff_id = $1', [id])
    await client.query('INSERT INTO staff_organizations (staff_id, organization_id) SELECT $1, unnest($2::int8[])', [
      id,
      values.organizations ?? usual,
    ])
  },
  mayRemove: async (step, id) => {
    if (id === step.call.staff?.id) return refused('Nobody can delete their own user.')
    return await isLastSuperuser(step)
  },
  committed: async ({ id, after, values }) => {
    if (after?.enabled === false || values.password !== undefined) await signIn.sessions.endAllOf(staffId(id))
    signIn.forgetAll()
  },
})

async function isTooMuch(step: Step): Promise<Refused | null> {
  const { before, values, call, visible } = step
  const caller = call.staff
  const after: Shown = { is_superuser: false, role: defaultRole, enabled: true, ...before, ...values }
  const given = rightsOf({ isSuperuser: after.is_superuser === true, role: after.role as string })
  if (!caller || (after.is_superuser === true && !caller.isSuperuser))
    return refused('Only a superuser may make one.', 403)
  if (given.some((right) => !caller.rights.includes(right)))
    return refused('Nobody can give a role that may do more than their own.', 403)
  const organizations = values.organizations as number[] | undefined
  if (visible !== null && organizations?.length === 0) return refused('organizations: It must name at least one.')
  const staysSuperuser = after.is_superuser === true && after.enabled === true
  return before && !staysSuperuser ? await isLastSuperuser(step) : null
}

/** Somebody must be left who may do everything. Locked, so that two cannot leave at once. */
async function isLastSuperuser({ client, before }: Step): Promise<Refused | null> {
  if (before?.is_superuser !== true || before.enabled !== true) return null
  const text = 'SELECT id FROM staff WHERE is_superuser AND enabled ORDER BY id FOR UPDATE'
  const { rows } = await client.query(text)
  return rows.length > 1 ? null : refused('This is the last superuser who can sign in.')
}
