import type { PoolClient } from 'pg'
import type { StaffId } from '../../../domain/ids.ts'
import type { Call } from '../../../platform/http/call.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { endOtherSessions } from '../../../platform/staff/ended-credentials.ts'
import type { NewPasskey } from '../../../platform/staff/passkeys.ts'
import { lockPassword } from '../../../platform/staff/password-lock.ts'
import { renewRecoveryCodes } from '../../../platform/staff/recovery-codes.ts'
import {
  type Enrolment,
  type Proof,
  type Proposal,
  removeSecondFactors,
  type SecondFactors,
} from '../../../platform/staff/second-factors.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { hasSecondFactor } from '../../../platform/staff/staff-table.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import type { Unconfirmed } from '../confirmation.ts'

export type FactorParts = TransactionScope & {
  readonly signIn: SignIn
  readonly factors: SecondFactors
}

type OtherFault =
  | 'wrongCode'
  /** The last second factor is taken away only by who shows it, or a recovery code. */
  | 'unproven'
  | 'missing'
  | 'refusedPasskey'

export type FactorFault = Unconfirmed | { readonly kind: OtherFault }

export type FactorChange =
  /** The recovery codes, where new ones were made, are shown once. `sessions`: how many others have ended. */
  | { readonly kind: 'changed'; readonly codes: readonly string[]; readonly sessions: number }
  | { readonly kind: 'refused'; readonly fault: FactorFault }

const refused = (fault: FactorFault): FactorChange => ({ kind: 'refused', fault })

/** A secret that is stored until `confirmTotp` is called with a code of it. */
export async function proposeTotp(
  parts: FactorParts,
  call: Call,
  password: string,
): Promise<{ readonly kind: 'proposed'; readonly proposal: Proposal } | Unconfirmed> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return confirmation
  const { id, username } = call.staff!
  const proposal = await parts.factors.propose(id, username, confirmation.passwordHash)
  return proposal ? { kind: 'proposed', proposal } : { kind: 'wrong' }
}

/** The present password was asked for when the secret was, and a new one ends the secret. */
export async function confirmTotp(parts: FactorParts, call: Call, code: string): Promise<Enrolment> {
  const enrol = (client: PoolClient, id: StaffId) => parts.factors.enrol(client, id, code)
  const codesIn = (made: Enrolment) => (made.kind === 'enrolled' ? made.codes : null)
  return (await setUp(parts, call, { diff: added, passwordHash: null }, enrol, codesIn))?.made ?? { kind: 'over' }
}

/** The passkey was verified by a challenge that the caller got for the password. */
export async function addPasskey(
  parts: FactorParts,
  call: Call,
  name: string,
  passkey: NewPasskey,
): Promise<FactorChange> {
  const insert = async (client: PoolClient, id: StaffId): Promise<readonly string[] | null> => {
    const { rows } = await client.query(`SELECT ${hasSecondFactor()} AS is_more FROM staff WHERE id = $1`, [id])
    if ((await parts.factors.passkeys.insert(client, id, name, passkey)) === null) return null
    return rows[0]?.is_more === true ? [] : await renewRecoveryCodes(client, id)
  }
  const diff = { second_factor: [null, 'passkey'], passkey: [null, name] } as const
  const made = await setUp(parts, call, { diff, passwordHash: passkey.passwordHash }, insert, codesOf)
  return made?.codes
    ? { kind: 'changed', codes: made.codes, sessions: made.sessions }
    : refused({ kind: 'refusedPasskey' })
}

const added: Diff = { second_factor: [null, 'totp'] }

const codesOf = (codes: readonly string[] | null) => codes

/**
 * Other sessions began without the new factor, perhaps by somebody else, and end. No codes: nothing was set up. Null:
 * the password has been changed since. The user is locked, so that of two factors set up at once one is the second.
 */
async function setUp<Made>(
  parts: FactorParts,
  call: Call,
  { diff, passwordHash }: { readonly diff: Diff; readonly passwordHash: string | null },
  work: (client: PoolClient, id: StaffId) => Promise<Made>,
  codesIn: (made: Made) => readonly string[] | null,
): Promise<{ readonly made: Made; readonly codes: readonly string[] | null; readonly sessions: number } | null> {
  const { id } = call.staff!
  const kept = (await parts.signIn.authenticate(call))?.session.keyHash ?? ''
  const done = await writing(parts, async (client) => {
    if (!(await lockPassword(client, id, passwordHash))) return null
    const made = await work(client, id)
    const codes = codesIn(made)
    if (!codes) return { made, codes, ended: 0, keyHashes: [] }
    const others = await endOtherSessions(client, id, kept)
    await audit(client, call, { ...diff, sessions: [others.ended, 0] })
    return { made, codes, ...others }
  })
  // The cached sessions say whether their owners have a second factor.
  parts.signIn.endedSessions(done?.keyHashes ?? [])
  return done && { made: done.made, codes: done.codes, sessions: done.ended }
}

export async function renewCodes(parts: FactorParts, call: Call, password: string): Promise<FactorChange> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return refused(confirmation)
  const { id } = call.staff!
  const codes = await writing(parts, async (client) => {
    if (!(await lockPassword(client, id, confirmation.passwordHash))) return null
    await audit(client, call, { recovery_codes: ['***', '***'] })
    return renewRecoveryCodes(client, id)
  })
  return codes ? { kind: 'changed', codes, sessions: 0 } : refused({ kind: 'wrong' })
}

/** The application, or the passkey of this id. */
type Taken = 'totp' | number

type Removal = {
  readonly password: string
  readonly proof: Proof | null
  /** The endpoint for programs takes the application away for the password (contract section 12). */
  readonly isPasswordEnough?: boolean
}

/** Takes one away from the caller, who knows the password and shows the last one, or a recovery code. */
export async function takeAway(
  parts: FactorParts,
  call: Call,
  taken: Taken,
  { password, proof, isPasswordEnough = false }: Removal,
): Promise<FactorChange> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return refused(confirmation)
  const shown = proof && (await parts.signIn.confirmFactor(call, proof))
  if (shown?.kind === 'throttled') return refused(shown)
  if (shown && shown.kind !== 'right') return refused({ kind: 'wrongCode' })
  const isProven = shown !== null || isPasswordEnough
  const fault = await writing(parts, async (client) =>
    (await lockPassword(client, call.staff!.id, confirmation.passwordHash))
      ? remove(client, call, taken, isProven)
      : 'wrong',
  )
  parts.signIn.forgetAll()
  return fault ? refused({ kind: fault }) : { kind: 'changed', codes: [], sessions: 0 }
}

/** The user is locked, so that two requests cannot take away the last two at once. */
async function remove(client: PoolClient, call: Call, taken: Taken, isProven: boolean): Promise<OtherFault | null> {
  const { id } = call.staff!
  const { rows } = await client.query(selectFactors, [id, taken === 'totp' ? null : taken])
  const { has_totp: hasTotp, others, name } = rows[0] ?? {}
  const isThere = taken === 'totp' ? hasTotp === true : typeof name === 'string'
  if (!isThere) return 'missing'
  const isLast = Number(others) === 0 && (taken === 'totp' || hasTotp !== true)
  if (isLast && !isProven) return 'unproven'
  if (isLast) await removeSecondFactors(client, id)
  else if (taken === 'totp') await client.query('UPDATE staff SET totp_secret = NULL WHERE id = $1', [id])
  else await client.query('DELETE FROM staff_passkeys WHERE id = $1 AND staff_id = $2', [taken, id])
  await audit(
    client,
    call,
    taken === 'totp' ? { second_factor: ['totp', null] } : { second_factor: ['passkey', null], passkey: [name, null] },
  )
  return null
}

const selectFactors = `
  SELECT totp_secret IS NOT NULL AS has_totp,
    (SELECT count(*) FROM staff_passkeys WHERE staff_id = staff.id AND id IS DISTINCT FROM $2::int8) AS others,
    (SELECT name FROM staff_passkeys WHERE staff_id = staff.id AND id = $2::int8) AS name
  FROM staff WHERE id = $1`

const audit = (client: PoolClient, call: Call, diff: Diff) =>
  writeAudit(client, {
    author: authorOf(call),
    table: 'STAFF',
    id: String(call.staff!.id),
    action: 'change',
    diff,
    organizationId: null,
  })
