import Type from 'typebox'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field, text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { relyingParty } from '../../../platform/staff/passkeys.ts'
import { passwordMust, passwordSignsMin } from '../../../platform/staff/password-rules.ts'
import { passwordLengthMax } from '../../../platform/staff/passwords.ts'
import { recoveryCodesLeft } from '../../../platform/staff/recovery-codes.ts'
import type { Proof } from '../../../platform/staff/second-factors.ts'
import { sessionCookies } from '../../../platform/staff/session-cookies.ts'
import { hasSecondFactor } from '../../../platform/staff/staff-table.ts'
import { refused } from '../body.ts'
import { bySession, confirmationRefusals, presentPassword, refusalOf } from '../confirmation.ts'
import { answers, get, post, remove } from '../doors.ts'
import { confirmTotp, type FactorParts, proposeTotp, renewCodes, takeAway as takeFactorAway } from './factor.ts'
import { answerOfBrowser, readInWords, refusedFor } from './passkeys.ts'
import { changeOwnPassword, type PasswordParts } from './password.ts'

export type AccountParts = PasswordParts & FactorParts
type Parts = AccountParts

const path = '/admin/account'

/** One's own password and second factor (contract section 12). */
export const accountDoors = (parts: Parts): Route[] => [
  get(
    `${path}/second_factor`,
    docs.state,
    bySession((call) => showState(parts, call)),
    options,
  ),
  post(
    `${path}/password`,
    docs.password,
    bySession((call) => setPassword(parts, call)),
    options,
  ),
  post(
    `${path}/totp`,
    docs.propose,
    bySession((call) => propose(parts, call)),
    options,
  ),
  post(
    `${path}/totp/confirm`,
    docs.confirm,
    bySession((call) => confirm(parts, call)),
    options,
  ),
  remove(
    `${path}/totp`,
    docs.takeAway,
    bySession((call) => takeAway(parts, call)),
    options,
  ),
  post(
    `${path}/recovery_codes`,
    docs.renew,
    bySession((call) => renew(parts, call)),
    options,
  ),
]

const options = { right: 'view' } as const

async function showState({ database, factors }: Parts, { staff }: Call): Promise<Reply> {
  const { id, isSuperuser } = staff!
  const { rows } = await database.pool.query(
    `SELECT role, totp_secret IS NOT NULL AS has_totp, ${hasSecondFactor()} AS has_factor FROM staff WHERE id = $1`,
    [id],
  )
  const { role = '', has_totp: hasTotp = false, has_factor: hasFactor = false } = rows[0] ?? {}
  return json({
    ok: true,
    mode: factors.modeOf({ isSuperuser, role }),
    totp: hasTotp,
    recovery_codes_left: hasFactor ? await recoveryCodesLeft(database.pool, id) : null,
  })
}

/**
 * The session of a program goes on, so that it need not sign in again. A browser gets a new one: whoever has stolen the
 * key of its session is out too.
 */
async function setPassword(parts: Parts, call: Call): Promise<Reply> {
  const read = readInWords(call, docs.password.body.properties)
  if ('refused' in read) return read.refused
  const { current_password: password, password: wanted } = read.values
  const own = await parts.signIn.authenticate(call)
  const isBrowser = own?.via === 'cookie'
  const changed = await changeOwnPassword(
    parts,
    call,
    { password, wanted },
    isBrowser ? null : (own?.session.keyHash ?? null),
  )
  if (changed.kind === 'refused') {
    const { fault } = changed
    return typeof fault === 'string'
      ? refused(400, 'weak_password', `password: It must ${passwordMust}.`)
      : refusalOf(fault)
  }
  const { sessions, tokens } = changed.ended
  const answer = { ok: true, sessions_ended: isBrowser ? sessions - 1 : sessions, tokens_ended: tokens }
  if (!isBrowser) return json(answer)
  const { id } = call.staff!
  const session = await parts.signIn.sessions.start(id, changed.passwordHash, call.address, call.header('user-agent'))
  // Null: an administrator has changed it once more, or disabled the user.
  return json(answer, 200, session ? sessionCookies(call, session) : [])
}

async function propose(parts: Parts, call: Call): Promise<Reply> {
  const read = readInWords(call, docs.propose.body.properties)
  if ('refused' in read) return read.refused
  const proposed = await proposeTotp(parts, call, read.values.current_password)
  return proposed.kind === 'proposed' ? json({ ok: true, ...proposed.proposal }) : refusalOf(proposed)
}

async function confirm(parts: Parts, call: Call): Promise<Reply> {
  const read = readInWords(call, docs.confirm.body.properties)
  if ('refused' in read) return read.refused
  const enrolment = await confirmTotp(parts, call, read.values.code)
  if (enrolment.kind === 'enrolled') return json({ ok: true, recovery_codes: enrolment.codes })
  if (enrolment.kind === 'throttled') return refusalOf(enrolment)
  return enrolment.kind === 'wrong'
    ? refused(400, 'wrong_code', 'The code is wrong; look at the clock of the phone.')
    : refused(400, 'not_proposed', 'Ask for a secret first; it waits ten minutes for its code.')
}

/** In a browser, which somebody may have left open, the last second factor is taken away only by who shows it. */
async function takeAway(parts: Parts, call: Call): Promise<Reply> {
  const read = readInWords(call, docs.takeAway.body.properties)
  if ('refused' in read) return read.refused
  const { current_password: password, code, response } = read.values
  const party = response ? relyingParty(call, parts.signIn.publicOrigin) : null
  const proof: Proof | null =
    response && party ? { kind: 'passkey', response, party } : code ? { kind: 'code', code } : null
  const isPasswordEnough = (await parts.signIn.authenticate(call))?.via === 'header'
  const change = await takeFactorAway(parts, call, 'totp', { password, proof, isPasswordEnough })
  if (change.kind === 'changed' || change.fault.kind === 'missing') return json({ ok: true })
  return refusedFor(change.fault)
}

async function renew(parts: Parts, call: Call): Promise<Reply> {
  const read = readInWords(call, docs.renew.body.properties)
  if ('refused' in read) return read.refused
  const change = await renewCodes(parts, call, read.values.current_password)
  if (change.kind === 'refused') return refusedFor(change.fault)
  return json({ ok: true, recovery_codes: change.codes })
}

const tag = 'Sign-in'
const confirmed = Type.Object({ current_password: presentPassword })
const refusals = { 400: 'A wrong field', ...confirmationRefusals }

const recoveryCodes = Type.Array(Type.String(), { minItems: 10, maxItems: 10 })

const docs = {
  state: {
    tag,
    summary: 'One’s own second factor',
    answers: answers('What it is now', {
      mode: Type.Enum(['off', 'offered', 'required'], { description: 'STAFF_SECOND_FACTOR for the caller’s role' }),
      totp: Type.Boolean({ description: 'Codes of an application are set up' }),
      recovery_codes_left: Type.With(nullable(schemas.integer), { description: 'Null: there is no second factor' }),
    }),
  },
  password: {
    tag,
    summary: 'Change one’s own password',
    description:
      'All other sessions of the caller end, and all API tokens. A browser gets the cookie of a new session.',
    body: Type.Object({
      current_password: presentPassword,
      password: field(
        Type.String({ minLength: passwordSignsMin, maxLength: passwordLengthMax }),
        passwordMust,
        (sent) => (typeof sent === 'string' ? sent : null),
      ),
    }),
    answers: answers(
      'How many sessions and API tokens have ended',
      { sessions_ended: schemas.integer, tokens_ended: schemas.integer },
      { ...refusals, 400: 'A wrong field, or with the code `weak_password` a password that is short or common' },
    ),
  },
  propose: {
    tag,
    summary: 'Ask for the secret of a second factor',
    description: 'TOTP (RFC 6238). It counts once `totp/confirm/` was sent a code of it, within ten minutes.',
    body: confirmed,
    answers: answers(
      'The secret in Base32, and the address that a QR code shows to an application',
      { secret: schemas.text, uri: schemas.text },
      refusals,
    ),
  },
  confirm: {
    tag,
    summary: 'Set up the second factor that was asked for',
    body: Type.Object({
      code: field(Type.String({ pattern: '^\\d{6}$' }), 'be the six digits that the application shows', (sent) => {
        const digits = typeof sent === 'string' ? sent.replace(/\s/g, '') : ''
        return /^\d{6}$/.test(digits) ? digits : null
      }),
    }),
    answers: answers(
      'Codes that sign in once each when the application is lost; they are not shown again',
      { recovery_codes: recoveryCodes },
      {
        400: 'With the code `wrong_code`, or `not_proposed` where no secret waits',
        403: 'The call carries an API token',
        429: 'Five wrong codes; ask for another secret, or wait for Retry-After',
      },
    ),
  },
  takeAway: {
    tag,
    summary: 'Take one’s own second factor away',
    description:
      'With its recovery codes. Where it is the last second factor, a browser also sends a code or a passkey.',
    body: Type.Object({
      current_password: presentPassword,
      code: Type.Optional(text(40)),
      response: Type.Optional(answerOfBrowser),
    }),
    answers: answers('It is gone', {}, refusals),
  },
  renew: {
    tag,
    summary: 'Make new recovery codes',
    description: 'The ones before are void.',
    body: confirmed,
    answers: answers('They are not shown again', { recovery_codes: recoveryCodes }, refusals),
  },
} as const satisfies Record<string, RouteDoc>
