import type { StaffId } from '../../../domain/ids.ts'
import type { Call } from '../../../platform/http/call.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { removeSecondFactor, type SecondFactors } from '../../../platform/staff/second-factors.ts'
import type { Confirmation, SignIn } from '../../../platform/staff/sign-in.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'

export type FactorParts = TransactionScope & {
  readonly signIn: Pick<SignIn, 'confirm' | 'forgetAll'>
  readonly factors: SecondFactors
}

export type FactorChange =
  /** The recovery codes are shown once. */
  | { readonly kind: 'changed'; readonly codes: readonly string[] }
  | { readonly kind: 'refused'; readonly fault: 'wrongCode' | Exclude<Confirmation['kind'], 'right'> }

type Client = Parameters<typeof writeAudit>[0] & Parameters<SecondFactors['enrol']>[0]
type Work = (client: Client, id: StaffId) => Promise<readonly string[] | null>

/** The caller proposed to an application a secret, and shows a code of it. */
export const setUpTotp = (parts: FactorParts, call: Call, sent: { password: string; secret: string; code: string }) =>
  change(parts, call, sent.password, { second_factor: [null, 'totp'] }, (client, id) =>
    parts.factors.enrol(client, id, sent.secret, sent.code),
  )

export const takeAwayTotp = (parts: FactorParts, call: Call, password: string) =>
  change(parts, call, password, { second_factor: ['totp', null] }, async (client, id) => {
    await removeSecondFactor(client, id)
    return []
  })

export const renewCodes = (parts: FactorParts, call: Call, password: string) =>
  change(parts, call, password, { recovery_codes: ['***', '***'] }, (client, id) =>
    parts.factors.renewRecoveryCodes(client, id),
  )

async function change(
  parts: FactorParts,
  call: Call,
  password: string,
  diff: Readonly<Record<string, readonly [unknown, unknown]>>,
  work: Work,
): Promise<FactorChange> {
  const confirmation = await parts.signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return { kind: 'refused', fault: confirmation.kind }
  const { id } = call.staff!
  const codes = await writing(parts, async (client) => {
    const made = await work(client, id)
    const row = { table: 'STAFF', id: String(id), action: 'change', diff, organizationId: null } as const
    if (made) await writeAudit(client, { author: authorOf(call), ...row })
    return made
  })
  // The cached sessions say whether their owners have a second factor.
  parts.signIn.forgetAll()
  return codes ? { kind: 'changed', codes } : { kind: 'refused', fault: 'wrongCode' }
}
