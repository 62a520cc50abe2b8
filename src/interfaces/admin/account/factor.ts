import type { StaffId } from '../../../domain/ids.ts'
import type { Call } from '../../../platform/http/call.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import {
  type Enrolment,
  type Proposal,
  removeSecondFactor,
  type SecondFactors,
} from '../../../platform/staff/second-factors.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import type { Unconfirmed } from '../confirmation.ts'

export type FactorParts = TransactionScope & {
  readonly signIn: Pick<SignIn, 'confirm' | 'forgetAll'>
  readonly factors: SecondFactors
}

type Refused = { readonly kind: 'refused'; readonly fault: Unconfirmed }

/** The recovery codes are shown once. */
type Changed = { readonly kind: 'changed'; readonly codes: readonly string[] }

export type FactorChange =
  | Changed
  | Refused
  | { readonly kind: 'refused'; readonly fault: { readonly kind: 'wrongCode' } }

type Client = Parameters<typeof writeAudit>[0] & Parameters<SecondFactors['enrol']>[0]
type Diff = Readonly<Record<string, readonly [unknown, unknown]>>

const added: Diff = { second_factor: [null, 'totp'] }

/** The caller proposed to an application a secret, and shows a code of it. */
export async function setUpTotp(
  parts: FactorParts,
  call: Call,
  { password, secret, code }: { password: string; secret: string; code: string },
): Promise<FactorChange> {
  const made = await change(parts, call, password, added, (client, id) => parts.factors.enrol(client, id, secret, code))
  if (made.kind === 'refused') return made
  const { codes } = made
  return codes ? { kind: 'changed', codes } : { kind: 'refused', fault: { kind: 'wrongCode' } }
}

/** A secret that is stored until `confirmTotp` is called with a code of it. */
export async function proposeTotp(
  parts: FactorParts,
  call: Call,
  password: string,
): Promise<{ readonly kind: 'proposed'; readonly proposal: Proposal } | Unconfirmed> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return confirmation
  const { id, username } = call.staff!
  return { kind: 'proposed', proposal: await parts.factors.proposeStored(parts.database.pool, id, username) }
}

/** The present password was asked for when the secret was. */
export const confirmTotp = (parts: FactorParts, call: Call, code: string): Promise<Enrolment> =>
  audited(
    parts,
    call,
    added,
    (client, id) => parts.factors.enrolStored(client, id, code),
    ({ kind }) => kind === 'enrolled',
  )

export const takeAwayTotp = (parts: FactorParts, call: Call, password: string) =>
  change(parts, call, password, { second_factor: ['totp', null] }, async (client, id): Promise<readonly string[]> => {
    await removeSecondFactor(client, id)
    return []
  })

export const renewCodes = (parts: FactorParts, call: Call, password: string) =>
  change(parts, call, password, { recovery_codes: ['***', '***'] }, (client, id) =>
    parts.factors.renewRecoveryCodes(client, id),
  )

async function change<Codes extends readonly string[] | null>(
  parts: FactorParts,
  call: Call,
  password: string,
  diff: Diff,
  work: (client: Client, id: StaffId) => Promise<Codes>,
): Promise<{ readonly kind: 'changed'; readonly codes: Codes } | Refused> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return { kind: 'refused', fault: confirmation }
  return { kind: 'changed', codes: await audited(parts, call, diff, work, (made) => made !== null) }
}

/** Does the work, and what of it was done is in the audit. */
async function audited<Made>(
  parts: FactorParts,
  call: Call,
  diff: Diff,
  work: (client: Client, id: StaffId) => Promise<Made>,
  isDone: (made: Made) => boolean,
): Promise<Made> {
  const { id } = call.staff!
  const made = await writing(parts, async (client) => {
    const outcome = await work(client, id)
    const row = { table: 'STAFF', id: String(id), action: 'change', diff, organizationId: null } as const
    if (isDone(outcome)) await writeAudit(client, { author: authorOf(call), ...row })
    return outcome
  })
  // The cached sessions say whether their owners have a second factor.
  parts.signIn.forgetAll()
  return made
}
