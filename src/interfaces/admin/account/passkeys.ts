import Type, { type TProperties } from 'typebox'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field, someText, text } from '../../../platform/http/fields.ts'
import { isObject } from '../../../platform/formats/json.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { type RelyingParty, relyingParty } from '../../../platform/staff/passkeys.ts'
import type { Proof } from '../../../platform/staff/second-factors.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { readSentBody, refused, wrongInWords } from '../body.ts'
import { bySession, confirmationRefusals, confirmed, presentPassword, refusalOf } from '../confirmation.ts'
import { answers, get, post, remove } from '../doors.ts'
import { shapeOf } from '../shapes.ts'
import { addPasskey, type FactorFault, type FactorParts, takeAway } from './factor.ts'

const path = '/admin/account/passkeys'
const nameMax = 100
const options = { right: 'view' } as const

/** Passkeys of the caller: every role has some, and no API token. */
export const passkeyRoutes = (parts: FactorParts): Route[] => [
  get(
    path,
    docs.list,
    bySession((call) => list(parts, call)),
    options,
  ),
  post(
    `${path}/options`,
    docs.options,
    bySession((call) => withParty(parts, call, (party) => optionsToAdd(parts, call, party))),
    options,
  ),
  post(
    path,
    docs.add,
    bySession((call) => withParty(parts, call, (party) => add(parts, call, party))),
    options,
  ),
  post(
    `${path}/confirm`,
    docs.confirm,
    bySession((call) => withParty(parts, call, (party) => optionsToConfirm(parts, call, party))),
    options,
  ),
  remove(
    `${path}/:id`,
    docs.remove,
    bySession((call) => withParty(parts, call, (party) => takePasskeyAway(parts, call, party))),
    options,
  ),
]

async function withParty(
  { signIn }: FactorParts,
  call: Call,
  work: (party: RelyingParty) => Promise<Reply>,
): Promise<Reply> {
  const party = relyingParty(call, signIn.publicOrigin)
  return party ? work(party) : wrongInWords('Host', 'be the host of this server')
}

/** Over `passkey`; never what it is verified with. */
const [passkeySchema, shown] = shapeOf('passkey', {
  id: schemas.integer,
  name: schemas.text,
  created_at: schemas.moment,
  used_at: nullable(schemas.moment),
})

async function list(parts: FactorParts, call: Call): Promise<Reply> {
  const items = await reading(parts, async (client) => {
    const { rows } = await client.query<{ record: object }>(
      `SELECT ${shown} AS record FROM staff_passkeys AS passkey WHERE staff_id = $1 ORDER BY id`,
      [call.staff!.id],
    )
    return rows.map(({ record }) => record)
  })
  return json({ ok: true, items, total: items.length })
}

async function optionsToAdd({ signIn, factors }: FactorParts, call: Call, party: RelyingParty): Promise<Reply> {
  const read = readInWords(call, docs.options.body.properties)
  if ('refused' in read) return read.refused
  const confirmation = await confirmed(signIn, call, read.values.current_password)
  if ('refused' in confirmation) return confirmation.refused
  const { id, username } = call.staff!
  const made = await factors.passkeys.optionsToAdd(id, username, confirmation.passwordHash, party)
  return made ? json({ ok: true, options: made }) : refusalOf({ kind: 'wrong' })
}

async function add(parts: FactorParts, call: Call, party: RelyingParty): Promise<Reply> {
  const read = readInWords(call, docs.add.body.properties)
  if ('refused' in read) return read.refused
  const { name, response } = read.values
  const passkey = await parts.factors.passkeys.verifyNew(call.staff!.id, response, party)
  if (!passkey) return refusedFor({ kind: 'refusedPasskey' })
  const added = await addPasskey(parts, call, name, passkey)
  if (added.kind === 'refused') return refusedFor(added.fault)
  return json({ ok: true, recovery_codes: added.codes, sessions_ended: added.sessions })
}

async function optionsToConfirm({ factors }: FactorParts, call: Call, party: RelyingParty): Promise<Reply> {
  const found = await factors.passkeys.optionsToSign(call.staff!.id, 'confirm', party)
  return found ? json({ ok: true, options: found }) : notFoundReply()
}

async function takePasskeyAway(parts: FactorParts, call: Call, party: RelyingParty): Promise<Reply> {
  const id = readId(call.params.id)
  if (id === null) return notFoundReply()
  const read = readInWords(call, docs.remove.body.properties)
  if ('refused' in read) return read.refused
  const { current_password: password, code, response } = read.values
  const proof: Proof | null = response ? { kind: 'passkey', response, party } : code ? { kind: 'code', code } : null
  const taken = await takeAway(parts, call, id, { password, proof })
  if (taken.kind === 'refused') return refusedFor(taken.fault)
  return json({ ok: true })
}

/** The fields of a body as their schemas read them; the first wrong one is refused in words. */
export function readInWords<P extends TProperties>(call: Call, properties: P) {
  return readSentBody(call, properties, { refuse: wrongInWords })
}

const faults = {
  wrongCode: [403, 'wrong_code', 'This code or passkey was not accepted.'],
  unproven: [403, 'unproven', 'It is the last second factor: show it, or a code, in the same call.'],
  refusedPasskey: [400, 'refused_passkey', 'This passkey was not accepted, or you have too many.'],
} as const

export function refusedFor(fault: FactorFault): Reply {
  if (fault.kind === 'missing') return notFoundReply()
  if (fault.kind === 'wrong' || fault.kind === 'throttled') return refusalOf(fault)
  const [status, code, sentence] = faults[fault.kind]
  return refused(status, code, sentence)
}

export const answerOfBrowser = field(schemas.object, 'be the answer of the browser', (sent) =>
  isObject(sent) ? sent : null,
)

const tag = 'Staff'

const docs = {
  list: {
    tag,
    summary: 'One’s own passkeys',
    answers: answers('In the order of their adding', { items: Type.Array(passkeySchema), total: schemas.integer }),
  },
  options: {
    tag,
    summary: 'What a browser makes a passkey of',
    description: 'For navigator.credentials.create. The answer is taken once, within five minutes.',
    body: Type.Object({ current_password: presentPassword }),
    answers: answers('The options', { options: schemas.object }, { 400: 'A wrong field', ...confirmationRefusals }),
  },
  add: {
    tag,
    summary: 'Add a passkey',
    description: 'A second factor for the sign-in page. All other sessions of the caller end; API tokens go on.',
    body: Type.Object({ name: someText(nameMax), response: answerOfBrowser }),
    answers: answers(
      'The recovery codes are made with the first second factor and shown only here',
      { recovery_codes: Type.Array(schemas.text), sessions_ended: schemas.integer },
      { 400: 'A wrong field, or the passkey was not accepted', 403: 'The call carries an API token' },
    ),
  },
  confirm: {
    tag,
    summary: 'What a passkey signs to confirm a step',
    description: 'For navigator.credentials.get. The answer is the `response` of the step, once, within five minutes.',
    answers: answers('The options', { options: schemas.object }, { 400: 'A wrong Host', 404: 'There is no passkey' }),
  },
  remove: {
    tag,
    summary: 'Delete a passkey',
    description: 'The last second factor is taken away only with a code, a recovery code or a passkey.',
    body: Type.Object({
      current_password: presentPassword,
      code: Type.Optional(text(40)),
      response: Type.Optional(answerOfBrowser),
    }),
    answers: answers(
      'Nobody can sign in with it any more',
      {},
      { 400: 'A wrong field', 404: 'There is no such passkey of yours', ...confirmationRefusals },
    ),
  },
} satisfies Record<string, RouteDoc>
