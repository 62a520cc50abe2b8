import type { Call } from '../../../platform/http/call.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { type EndedCredentials, endCredentials } from '../../../platform/staff/ended-credentials.ts'
import { passwordFault, passwordSignsMin, type PasswordFault } from '../../../platform/staff/password-rules.ts'
import { passwordLengthMax } from '../../../platform/staff/passwords.ts'
import type { NewSession } from '../../../platform/staff/session-cookies.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { passwordColumns } from '../../../platform/staff/staff-table.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'

export type PasswordParts = TransactionScope & { readonly secrets: Sealing; readonly signIn: SignIn }

type Fault = PasswordFault | 'notRepeated' | 'wrong' | 'throttled'

export type PasswordChange =
  | { readonly kind: 'changed'; readonly ended: EndedCredentials; readonly session: NewSession }
  | { readonly kind: 'refused'; readonly fault: Fault; readonly status: number }

const statuses: Partial<Record<Fault, number>> = { wrong: 403, throttled: 429 }

const refused = (fault: Fault): PasswordChange => ({ kind: 'refused', fault, status: statuses[fault] ?? 400 })

/**
 * Changes the password of the caller, who knows the present one. All that was signed in with the old one ends, and the
 * caller goes on in a new session.
 */
export async function changeOwnPassword(
  parts: PasswordParts,
  call: Call,
  { password, wanted, repeated }: { password: string; wanted: string; repeated: string },
): Promise<PasswordChange> {
  const { secrets, signIn } = parts
  const fault = wanted === repeated ? passwordFault(wanted) : 'notRepeated'
  if (fault) return refused(fault)
  const confirmation = await signIn.confirm(call, password)
  if (confirmation.kind !== 'right') return refused(confirmation.kind)
  const { id } = call.staff!
  const columns = await passwordColumns(wanted, (plain) => secrets.seal(plain))
  const ended = await writing(parts, async (client) => {
    const values = [id, columns.password_hash, columns.soap_md5]
    await client.query(
      'UPDATE staff SET password_hash = $2, soap_md5 = CASE WHEN soap THEN $3 END WHERE id = $1',
      values,
    )
    const { sessions, tokens } = await endCredentials(client, id)
    const diff = { password: ['***', '***'], sessions: [sessions, 0], tokens: [tokens, 0] } as const
    const row = { table: 'STAFF', id: String(id), action: 'change', diff, organizationId: null } as const
    await writeAudit(client, { author: authorOf(call), ...row })
    return { sessions, tokens }
  })
  signIn.endedAllOf(id)
  const session = await signIn.sessions.start(id, call.address, call.header('user-agent'))
  return { kind: 'changed', ended, session }
}

export const passwordFaultText: Readonly<Record<Fault, string>> = {
  short: `Новый пароль должен иметь не меньше ${passwordSignsMin} знаков.`,
  long: `Новый пароль должен иметь не больше ${passwordLengthMax} знаков.`,
  common: 'Такой пароль слишком известен, его подбирают первым. Придумайте другой.',
  notRepeated: 'Новый пароль и его повторение не совпадают.',
  wrong: 'Нынешний пароль неверен.',
  throttled: 'Слишком много неверных паролей. Попробуйте позже.',
}
