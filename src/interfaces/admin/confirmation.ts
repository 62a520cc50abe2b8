import Type from 'typebox'
import type { Call, Handler, Reply } from '../../platform/http/call.ts'
import { refusal } from '../../platform/http/errors.ts'
import { field } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import { passwordLengthMax } from '../../platform/staff/passwords.ts'
import type { Confirmation, SignIn } from '../../platform/staff/sign-in.ts'
import { refused } from './body.ts'

/**
 * Some steps ask a signed-in person for the present password, so that an open browser or a stolen key is not enough.
 */
export const presentPassword = field(
  Type.String({ minLength: 1, maxLength: passwordLengthMax, description: 'The present password of the caller' }),
  'be your present password',
  (sent) => (typeof sent === 'string' && sent !== '' ? sent : null),
)

/** Refusals of such a step, for its documentation. */
export const confirmationRefusals = {
  403: 'The present password is wrong, or the call carries an API token',
  429: 'Too many wrong passwords; Retry-After says how long to wait',
} as const

/** The hash of the caller's password, which is the one that was sent. */
export async function confirmed(
  signIn: Pick<SignIn, 'confirm'>,
  call: Call,
  password: string,
): Promise<{ readonly passwordHash: string } | { readonly refused: Reply }> {
  const confirmation = await signIn.confirm(call, password)
  return confirmation.kind === 'right' ? confirmation : { refused: refusalOf(confirmation) }
}

/** A password or code that was not taken. */
export type Unconfirmed = Exclude<Confirmation, { kind: 'right' }>

export const refusalOf = (unconfirmed: Unconfirmed): Reply =>
  unconfirmed.kind === 'wrong'
    ? refused(403, 'wrong_password', 'The present password is wrong.')
    : json({ ok: false, error: 'Too many wrong ones; try again later.', code: 'too_many_tries' }, 429, [
        ['Retry-After', String(unconfirmed.retryAfterSeconds)],
      ])

/** The same handler, which API tokens do not reach. */
export const bySession =
  (handler: Handler): Handler =>
  (call) =>
    call.staff?.byToken
      ? refusal('admin', 403, 'An API token cannot do this; sign in with name and password.')
      : handler(call)
