import Type from 'typebox'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { passwordMust, passwordSignsMin } from '../../../platform/staff/password-rules.ts'
import { passwordLengthMax } from '../../../platform/staff/passwords.ts'
import { readBody, readSent, refused, wrongInWords } from '../body.ts'
import { bySession, confirmationRefusals, presentPassword, refusalOf } from '../confirmation.ts'
import { answers, post, remove } from '../doors.ts'
import { confirmTotp, type FactorParts, proposeTotp, takeAway as takeFactorAway } from './factor.ts'
import { changeOwnPassword, type PasswordParts } from './password.ts'

type Parts = PasswordParts & FactorParts

const path = '/admin/account'

/** One's own password and second factor for programs and scripts (contract section 12); the page has forms for them. */
export const accountDoors = (parts: Parts): Route[] => [
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
]

const options = { right: 'view' } as const

/** The session of the caller goes on, so that a program need not sign in again. */
async function setPassword(parts: Parts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readSent(docs.password.body.properties, body.fields, { refuse: wrongInWords })
  if ('refused' in read) return read.refused
  const { current_password: password, password: wanted } = read.values
  const own = await parts.signIn.authenticate(call)
  const kept = own?.session.keyHash ?? null
  const changed = await changeOwnPassword(parts, call, { password, wanted, repeated: wanted }, kept)
  if (changed.kind === 'changed')
    return json({ ok: true, sessions_ended: changed.ended.sessions, tokens_ended: changed.ended.tokens })
  const { fault } = changed
  return typeof fault === 'string'
    ? refused(400, 'weak_password', `password: It must ${passwordMust}.`)
    : refusalOf(fault)
}

async function propose(parts: Parts, call: Call): Promise<Reply> {
  const sent = readPassword(call)
  if ('refused' in sent) return sent.refused
  const proposed = await proposeTotp(parts, call, sent.password)
  return proposed.kind === 'proposed' ? json({ ok: true, ...proposed.proposal }) : refusalOf(proposed)
}

async function confirm(parts: Parts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readSent(docs.confirm.body.properties, body.fields, { refuse: wrongInWords })
  if ('refused' in read) return read.refused
  const enrolment = await confirmTotp(parts, call, read.values.code)
  if (enrolment.kind === 'enrolled') return json({ ok: true, recovery_codes: enrolment.codes })
  if (enrolment.kind === 'throttled') return refusalOf(enrolment)
  return enrolment.kind === 'wrong'
    ? refused(400, 'wrong_code', 'The code is wrong; look at the clock of the phone.')
    : refused(400, 'not_proposed', 'Ask for a secret first; it waits ten minutes for its code.')
}

async function takeAway(parts: Parts, call: Call): Promise<Reply> {
  const sent = readPassword(call)
  if ('refused' in sent) return sent.refused
  const { password } = sent
  const change = await takeFactorAway(parts, call, 'totp', { password, proof: null, isPasswordEnough: true })
  if (change.kind === 'changed' || change.fault.kind === 'missing') return json({ ok: true })
  return change.fault.kind === 'wrong' || change.fault.kind === 'throttled'
    ? refusalOf(change.fault)
    : refused(400, change.fault.kind, 'It cannot be taken away here.')
}

function readPassword(call: Call): { password: string } | { refused: Reply } {
  const body = readBody(call)
  if ('refused' in body) return body
  const read = readSent(docs.takeAway.body.properties, body.fields, { refuse: wrongInWords })
  return 'refused' in read ? read : { password: read.values.current_password }
}

const tag = 'Sign-in'
const confirmed = Type.Object({ current_password: presentPassword })
const refusals = { 400: 'A wrong field', ...confirmationRefusals }

const docs = {
  password: {
    tag,
    summary: 'Change one’s own password',
    description: 'All other sessions of the caller end, and all API tokens.',
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
      { recovery_codes: Type.Array(Type.String(), { minItems: 10, maxItems: 10 }) },
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
    description: 'With its recovery codes.',
    body: confirmed,
    answers: answers('It is gone', {}, refusals),
  },
} as const satisfies Record<string, RouteDoc>
