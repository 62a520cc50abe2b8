import type { Right, StaffUser } from '../../../../domain/staff-user.ts'
import type { Call } from '../../../../platform/http/call.ts'
import type { Step } from '../../../../platform/records/record-writer.ts'
import { type Refusal, refusedWrite, wrongField } from '../../../../platform/records/refusals.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import { givenRights, readStoredRoles, rightsOf, type StoredRole } from '../../../../platform/staff/roles.ts'
import { defaultRole } from '../../../../platform/staff/staff-table.ts'

type StaffRecord = Readonly<Record<string, unknown>>

/** A change of a staff user together with what its maker may do. */
type Change = Pick<Step, 'call' | 'before' | 'values' | 'visible'> & {
  readonly caller: StaffUser
  readonly sent: StaffRecord
  readonly after: StaffRecord
  /** The rights that the user has afterwards, and those that the change adds. */
  readonly rights: readonly Right[]
  readonly added: readonly Right[]
}

/** What a new user is where the request says nothing. */
const unset = { is_superuser: false, role: defaultRole, enabled: true, all_organizations: false }

/**
 * Why the caller may not make this change of a staff user; null: they may. The first rule that is broken gives the
 * reason.
 */
export async function staffChangeRefusal(step: Step): Promise<Refusal | null> {
  const change = await changeOf(step)
  if (change === null) return superuserOnly
  return (
    credentialsByToken(change) ??
    ownSecondFactor(change) ??
    changeOfSuperuser(change) ??
    beyondOwnRights(change) ??
    (await moreByToken(step, change)) ??
    beyondOwnOrganizations(change) ??
    (isStillSuperuser(change) ? null : await lastSuperuser(step))
  )
}

async function changeOf({ client, call, before, values, visible }: Step): Promise<Change | null> {
  const caller = call.staff
  if (!caller) return null
  const sent = plainValues(values)
  const after = { ...unset, ...before, ...sent }
  const stored = await readStoredRoles(client)
  const rights = rightsIn(after, stored)
  const earlier = rightsIn({ ...unset, ...before }, stored)
  const added = rights.filter((right) => !earlier.includes(right))
  return { call, before, values, visible, caller, sent, after, rights, added }
}

/** The rights of a user, by what is stored of the roles. */
const rightsIn = (record: StaffRecord, stored: ReadonlyMap<string, StoredRole>): readonly Right[] =>
  rightsOf({
    isSuperuser: record.is_superuser === true,
    role: record.role as string,
    ofRole: stored.get(record.role as string)?.rights ?? null,
    given: givenRights.filter((right) => record[right] === true),
  })

const superuserOnly = refusedWrite('Only a superuser may make or change one.', 403, 'superuser_only')

/** Whoever has found a token must not be able to turn it into a way to sign in. */
const credentialsByToken = ({ caller, values }: Change): Refusal | null =>
  caller.byToken && (values.has('password') || values.has('remove_second_factor'))
    ? refusedWrite('An API token sets no passwords of staff; sign in with name and password.', 403, 'by_token')
    : null

const ownSecondFactor = ({ caller, before, values }: Change): Refusal | null =>
  values.get('remove_second_factor')?.value === true && before && Number(before.id) === caller.id
    ? refusedWrite('remove_second_factor: Take your own away at /admin/account/.', 403, 'own_second_factor')
    : null

const changeOfSuperuser = ({ call, before, after }: Change): Refusal | null =>
  isBeyond(call, before) || isBeyond(call, after) ? superuserOnly : null

const beyondOwnRights = ({ caller, rights }: Change): Refusal | null =>
  rights.some((right) => !caller.rights.includes(right))
    ? refusedWrite('Nobody can give a role that may do more than their own.', 403, 'beyond_own_rights')
    : null

async function moreByToken(step: Step, { caller, before, sent, after, added }: Change): Promise<Refusal | null> {
  if (!caller.byToken) return null
  const isSwitchedOn = (name: string) => after[name] === true && before?.[name] !== true
  const givesMore =
    added.length > 0 ||
    ['is_superuser', 'all_organizations', 'enabled'].some(isSwitchedOn) ||
    (await addsOrganizations(step.client, before, sent))
  return givesMore
    ? refusedWrite('An API token gives nobody more rights; sign in with name and password.', 403, 'by_token')
    : null
}

/** Whether an organization is sent that the user does not see so far. */
async function addsOrganizations(
  client: Step['client'],
  before: Step['before'],
  { organizations: named }: StaffRecord,
): Promise<boolean> {
  if (named === undefined) return false
  const { rows } = await client.query('SELECT organization_id FROM staff_organizations WHERE staff_id = $1', [
    before?.id ?? null,
  ])
  const seen = new Set(rows.map((row) => Number(row.organization_id)))
  return !(named as number[]).every((id) => seen.has(id))
}

/** The organizations that are named are checked as every relation is: the caller has to see them. */
function beyondOwnOrganizations({ visible, sent, after }: Change): Refusal | null {
  if (visible === null) return null
  if (after.all_organizations === true)
    return refusedWrite(
      'Only staff who see all organizations may let somebody see all of them.',
      403,
      'all_organizations',
    )
  const named = sent.organizations as number[] | undefined
  return named?.length === 0 ? wrongField('organizations', 'It must name at least one.', 'required') : null
}

const isStillSuperuser = ({ after }: Change): boolean => after.is_superuser === true && after.enabled === true

/**
 * Whether a record is a superuser and the caller is none. Staff who see all organizations see superusers too, and may
 * change nothing of them.
 */
export const isBeyond = ({ staff: caller }: Call, record: StaffRecord | null): boolean =>
  record?.is_superuser === true && !caller?.isSuperuser

/**
 * At least one enabled superuser must remain. The rows are locked, so that two requests cannot remove the last two at
 * once.
 */
export async function lastSuperuser({ client, before }: Pick<Step, 'client' | 'before'>): Promise<Refusal | null> {
  if (before?.is_superuser !== true || before.enabled !== true) return null
  const text = 'SELECT id FROM staff WHERE is_superuser AND enabled ORDER BY id FOR UPDATE'
  const { rows } = await client.query(text)
  return rows.length > 1 ? null : refusedWrite('This is the last superuser who can sign in.', 400, 'last_superuser')
}
