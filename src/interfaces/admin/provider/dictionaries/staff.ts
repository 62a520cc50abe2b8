import Type from 'typebox'
import { staffId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import {
  boolean,
  choice,
  datetime,
  integer,
  readOnly,
  relations,
  required,
} from '../../../../platform/records/fields.ts'
import { Staff, StaffOrganization } from '../../../../platform/storage/entities/organizations.ts'
import type { Column } from '../../../../platform/records/rows.ts'
import type { Step } from '../../../../platform/records/record-writer.ts'
import { type Refusal, refusedWrite, wrongField } from '../../../../platform/records/refusals.ts'
import { plainValues, type Values } from '../../../../platform/records/values.ts'
import { endCredentials } from '../../../../platform/staff/ended-credentials.ts'
import { passwordFault, passwordMust } from '../../../../platform/staff/password-rules.ts'
import { passwordLengthMax } from '../../../../platform/staff/passwords.ts'
import { isRoleThere, roleForm, roleNames } from '../../../../platform/staff/roles.ts'
import type { SignIn } from '../../../../platform/staff/sign-in.ts'
import { removeSecondFactors } from '../../../../platform/staff/second-factors.ts'
import {
  defaultRole,
  passwordColumns,
  secondFactorKind,
  secondFactorKinds,
  usesSoap,
  usernameForm,
} from '../../../../platform/staff/staff-table.ts'
import { defaultOrganizationAmong } from '../../../../platform/staff/visible-records.ts'
import type { Sealing } from '../../../../platform/secrets/secrets.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, matching, secret } from './fields.ts'
import { organizations } from './plain-dictionaries.ts'
import { isBeyond, lastSuperuser, staffChangeRefusal } from './staff-rights.ts'

type StaffParts = {
  readonly secrets: Sealing
  readonly signIn: Pick<SignIn, 'endedAllOf' | 'forgetAll'>
}

/**
 * SQL: the staff users whom the caller may manage. These are all, or those who see no organization that the caller does
 * not see.
 */
export const visibleStaffSql = (table: string, parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR (NOT ${table}.is_superuser AND NOT ${table}.all_organizations AND NOT EXISTS (
    SELECT FROM staff_organizations WHERE staff_id = ${table}.id AND NOT organization_id = ANY(${parameter}::int8[]))))`

export const staff = dictionaryModel({
  name: 'staff',
  doc: 'Staff users',
  entity: Staff,
  fields: [
    matching(
      'username',
      'How the user signs in',
      usernameForm,
      'have 1 to 150 characters, none of them a control character',
      required,
    ),
    secret(
      'password',
      `A new one ends all sessions and API tokens of the user. It must ${passwordMust}, or the refusal has the code weak_password`,
      passwordLengthMax,
      {
        ...required,
        apart: true,
      },
    ),
    matching(
      'role',
      `What the user may do: ${roleNames.join(', ')}, or the name of a role of the provider; left out: ${defaultRole}`,
      roleForm,
      'be the name of a role',
    ),
    boolean(
      'rest',
      'May use REST though the role does not. REST knows no organizations: it shows and changes the records of all',
    ),
    boolean('personal_data', 'May export personal documents, such as passports, though the role does not'),
    boolean(
      'soap',
      'May sign in by SOAP, for which the password is kept so that it can be read; left out: if the role is cashier or integration',
    ),
    boolean('is_superuser', 'May do everything, in all organizations'),
    boolean('all_organizations', 'Sees every organization, also later ones, whatever `organizations` names'),
    boolean('enabled', 'False: cannot sign in, and all sessions and API tokens end'),
    choice('second_factor', 'What the user signs in with besides the password', secondFactorKinds, {
      ...readOnly,
      sql: secondFactorKind,
    }),
    boolean('remove_second_factor', 'true takes the second factor away, as when the phone is lost', {
      access: 'instruction',
    }),
    relations('organizations', 'Whose subscribers the user sees; left out: the default one', () => organizations, {
      apart: true,
      sql: (table) => `ARRAY(SELECT organization_id FROM staff_organizations WHERE staff_id = ${table}.id ORDER BY 1)`,
    }),
    datetime('create_date', 'When the user was made', readOnly),
    integer('sessions', 'Open sessions', {
      ...readOnly,
      sql: (table) => `(SELECT count(*) FROM staff_sessions WHERE staff_id = ${table}.id AND expires_at > now())`,
    }),
  ],
  rights: recordRights.staff,
  visible: visibleStaffSql,
  usedBy: [
    { table: 'finance_operations', column: 'owner_id', noun: 'operations' },
    { table: 'cash_shifts', column: 'staff_id', noun: 'shifts of the cash desk' },
    { table: 'hdsk_messages', column: 'staff_id', noun: 'replies to tickets' },
    { table: 'hdsk_notes', column: 'staff_id', noun: 'notes on tickets' },
    { table: 'hdsks', column: 'assignee_id', noun: 'tickets' },
  ],
})

export const staffDictionary = ({ secrets, signIn }: StaffParts): Dictionary => ({
  model: staff,
  order: 'this.username',
  searched: 'this.username',
  steps: {
    prepare: async (values) => {
      const password = values.get('password')?.value
      if (password === undefined || passwordFault(String(password)) !== null) return []
      const columns = await passwordColumns(String(password), (plain) => secrets.seal(plain))
      return Object.entries(columns).map(([column, value]) => ({ column, value }))
    },
    derive: async (step) =>
      weakPassword(step) ?? (await missingRole(step)) ?? (await staffChangeRefusal(step)) ?? soapColumns(step),
    also: async (step, id) => {
      await writeOrganizations(step, id)
      if (step.values.get('remove_second_factor')?.value === true) await removeSecondFactors(step.client, staffId(id))
      if (!step.before || !endsCredentials(step.values)) return
      const { sessions, tokens } = await endCredentials(step.client, staffId(id))
      return { sessions_ended: sessions, tokens_ended: tokens }
    },
    mayRemove: async (step, id) => {
      if (Number(id) === step.call.staff?.id) return refusedWrite('Nobody can delete their own user.', 400, 'own_user')
      if (isBeyond(step.call, step.before))
        return refusedWrite('Only a superuser may delete one.', 403, 'superuser_only')
      return await lastSuperuser(step)
    },
    committed: async ({ id, before, values }) => {
      if (before && endsCredentials(values)) signIn.endedAllOf(staffId(id))
      else signIn.forgetAll()
      return null
    },
    removed: (id) => signIn.endedAllOf(staffId(id)),
  },
  remarkSchemas: {
    sessions_ended: Type.Optional(Type.Integer({ description: 'After a new password, or when the user is disabled' })),
    tokens_ended: Type.Optional(Type.Integer({ description: 'The API tokens among what has ended' })),
  },
})

/** Whoever signed in with the old password, or as the user who is disabled now, must be out. */
const endsCredentials = (values: Values): boolean => values.has('password') || values.get('enabled')?.value === false

async function writeOrganizations({ manager, values, before, visible }: Step, id: string): Promise<void> {
  const { organizations: named, is_superuser } = plainValues(values)
  if (named === undefined && before) return
  const usual = is_superuser === true ? [] : [defaultOrganizationAmong(visible)]
  const staffKey = Number(id)
  const organizationKeys = (named ?? usual) as number[]
  await manager.nativeDelete(StaffOrganization, { staff_id: staffKey })
  if (organizationKeys.length > 0)
    await manager.insertMany(
      StaffOrganization,
      organizationKeys.map((organization_id) => ({ staff_id: staffKey, organization_id })),
    )
}

/** Only who may use SOAP has the MD5 of the password beside its hash. */
function soapColumns({ before, values }: Step): readonly Column[] | Refusal {
  const sent = plainValues(values)
  const isSuperuser = (sent.is_superuser ?? before?.is_superuser) === true
  const soap = sent.soap ?? before?.soap ?? usesSoap({ isSuperuser, role: String(sent.role ?? defaultRole) })
  if (soap !== true)
    return [
      { column: 'soap', value: false },
      { column: 'soap_md5', value: null },
    ]
  if (before && before.soap !== true && !values.has('password'))
    return refusedWrite(
      'soap: Set the password in the same change, because only its hash is kept so far.',
      400,
      'soap_password',
    )
  return [{ column: 'soap', value: true }]
}

function weakPassword({ values }: Step): Refusal | null {
  const password = values.get('password')?.value
  if (password === undefined || passwordFault(String(password)) === null) return null
  const text = `It must ${passwordMust}.`
  const more = { code: 'weak_password', errors: { password: text }, codes: { password: 'weak_password' } }
  return { kind: 'refused', status: 400, detail: `password: ${text}`, more }
}

async function missingRole({ client, values }: Step): Promise<Refusal | null> {
  const { role } = plainValues(values)
  if (role === undefined || (await isRoleThere(client, String(role)))) return null
  return wrongField('role', 'There is no such role.', 'missing')
}
