import type { Call } from '../../../platform/http/call.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { type EndedCredentials, endCredentials } from '../../../platform/staff/ended-credentials.ts'
import { isProven } from '../../../platform/staff/password-lock.ts'
import { type PasswordFault, passwordFault } from '../../../platform/staff/password-rules.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { passwordColumns } from '../../../platform/staff/staff-table.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import type { Unconfirmed } from '../confirmation.ts'

export type PasswordParts = TransactionScope & { readonly secrets: Sealing; readonly signIn: SignIn }

export type PasswordChange =
  | { readonly kind: 'changed'; readonly ended: EndedCredentials; readonly passwordHash: string }
  /** What is wrong with the new password, or why the present one was not taken. */
  | { readonly kind: 'refused'; readonly fault: PasswordFault | Unconfirmed }

/**
 * Changes the password of the caller, who knows the present one. All that was signed in with the old one ends, but for
 * the session whose key has the hash `keptSession`.
 */
export async function changeOwnPassword(
  parts: PasswordParts,
  call: Call,
  { password, wanted }: { password: string; wanted: string },
  keptSession: string | null = null,
): Promise<PasswordChange> {
  const { secrets, signIn } = parts
  const fault = passwordFault(wanted)
  if (fault) return { kind: 'refused', fault }
  const confirmation = await signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return { kind: 'refused', fault: confirmation }
  const { id } = call.staff!
  const columns = await passwordColumns(wanted, (plain) => secrets.seal(plain))
  const ended = await writing(parts, async (client) => {
    const values = [id, columns.password_hash, columns.soap_md5, confirmation.passwordHash]
    if ((await client.query(changePassword, values)).rowCount === 0) return null
    const { sessions, tokens } = await endCredentials(client, id, keptSession)
    const diff = { password: ['***', '***'], sessions: [sessions, 0], tokens: [tokens, 0] } as const
    const row = { table: 'STAFF', id: String(id), action: 'change', diff, organizationId: null } as const
    await writeAudit(client, { author: authorOf(call), ...row })
    return { sessions, tokens }
  })
  if (!ended) return { kind: 'refused', fault: { kind: 'wrong' } }
  signIn.endedAllOf(id)
  return { kind: 'changed', ended, passwordHash: columns.password_hash }
}

/** Not of somebody else's new password, which came between: the present one is not present any more. */
const changePassword = `UPDATE staff SET password_hash = $2, soap_md5 = CASE WHEN soap THEN $3 END
  WHERE ${isProven('$1', '$4')}`
