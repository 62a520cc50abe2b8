import Type, { type Static, type TSchema } from 'typebox'
import { changePassword, type PasswordFault, passwordTerms } from '../../billing/clients/password.ts'
import { type ClientStatus, clientStatus } from '../../billing/clients/status.ts'
import { readVoluntaryBlock, switchVoluntaryBlock } from '../../billing/clients/voluntary-block.ts'
import { closedWords } from '../../billing/clients/words.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { okAnswer, password, refusalAnswer, tags, toggle } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refused, refusedByAccount, tooMany } from './refusal.ts'
import type { RefusalCode } from './words.ts'

/** The account status, the password and the voluntary block. */
export const accountRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/account/status', docs.status, async (phone) => {
    const status = await clientStatus(parts, phone.client.subscriberId, phone.language)
    return status ? json(status) : refused(phone, 404, 'not_found')
  }),
  doors.write('/account/change_password', docs.password, (phone, passwords) => setPassword(parts, phone, passwords)),
  doors.signedIn('GET', '/account/voluntary_block', docs.block, (phone) => showBlock(parts, phone)),
  doors.write('/account/voluntary_block', docs.switchBlock, (phone, { enable }) => switchBlock(parts, phone, enable)),
]

const faults = {
  currentWrong: 'wrong_password',
  tooShort: 'password_short',
  tooLong: 'password_long',
  unprintable: 'password_forbidden',
  notRepeated: 'password_mismatch',
} as const satisfies Record<PasswordFault, RefusalCode>

/**
 * Ends every other session of the login, on phones and at the portal. RADIUS knows the new password before the answer.
 */
async function setPassword(
  parts: MobileParts,
  phone: PhoneCall,
  { current_password: current, new_password: wanted, confirm_password: again }: Static<typeof passwordsSchema>,
): Promise<Reply> {
  const change = await changePassword(parts, phone.client, { current, wanted, again }, phone.author)
  if (change.kind === 'changed') return json({ status: 'ok' })
  if (change.kind === 'throttled') return tooMany(phone, change.retryAfterSeconds)
  const { charactersMin, bytesMax } = passwordTerms
  return refused(phone, 400, faults[change.fault], { least: charactersMin, most: bytesMax })
}

async function showBlock(parts: MobileParts, phone: PhoneCall): Promise<Reply> {
  const block = await readVoluntaryBlock(parts, phone.client.subscriberId)
  if (!block) return refused(phone, 404, 'not_found')
  const { enabled, since, canEnable, obstacle } = block
  const reason = obstacle && closedWords[phone.language][obstacle]
  return json({ enabled, since, can_enable: canEnable, reason })
}

async function switchBlock(parts: MobileParts, phone: PhoneCall, enable: boolean): Promise<Reply> {
  const switched = await switchVoluntaryBlock(parts, phone.client.subscriberId, enable, phone.author)
  if (switched.kind === 'done') return showBlock(parts, phone)
  if (switched.reason !== 'blockedOtherwise') return refusedByAccount(phone, switched.reason)
  return refused(phone, 400, 'already_blocked', { reason: closedWords[phone.language][switched.obstacle] })
}

const statusSchema = Type.Object({
  abonent_id: schemas.integer,
  name: schemas.text,
  contract_number: schemas.text,
  balance: schemas.rubles,
  tariff_name: schemas.text,
  tariff_id: nullable(schemas.integer),
  speed_mbit: nullable(schemas.number),
  monthly_cost: Type.With(schemas.rubles, { description: 'A whole month of the tariff and the services' }),
  is_blocked: schemas.boolean,
  block_reason: Type.String({ description: 'In words; empty while access is open' }),
  has_promise_pay: schemas.boolean,
  promise_pay_end: nullable(schemas.moment),
  balance_until_date: Type.With(nullable(schemas.day), { description: 'The last open day when nobody pays' }),
  address: schemas.text,
  email: schemas.text,
  sms: schemas.text,
  notification: Type.String({ description: 'What the client should know now; empty: nothing' }),
  last_payment: nullable(
    Type.Object({ amount: schemas.rubles, date: Type.String({ pattern: String.raw`^\d{2}\.\d{2}\.\d{4}$` }) }),
  ),
} satisfies Record<keyof ClientStatus, TSchema>)

const blockSchema = Type.Object({
  enabled: schemas.boolean,
  since: nullable(schemas.moment),
  can_enable: schemas.boolean,
  reason: Type.With(nullable(schemas.text), { description: 'Why it cannot be switched on; null: it can, or is' }),
})

const passwordsSchema = Type.Object({ current_password: password, new_password: password, confirm_password: password })

const docs = {
  status: {
    tag: tags.account,
    summary: 'The account status; /mobile-api/v1/live pushes it after every change',
    answers: { 200: { doc: 'How the account stands', schema: statusSchema }, 404: refusalAnswer('not_found') },
  },
  password: {
    tag: tags.account,
    summary: 'Change the password, which the connection and the portal share',
    description: 'Every other session ends, on phones and at the portal.',
    body: passwordsSchema,
    answers: {
      200: okAnswer('Changed'),
      400: refusalAnswer(
        'wrong_password, password_mismatch, password_short, password_long, password_forbidden, bad_request',
      ),
    },
  },
  block: {
    tag: tags.account,
    summary: 'The block by own wish, during which nothing is charged',
    answers: { 200: { doc: 'Whether it is on', schema: blockSchema }, 404: refusalAnswer('not_found') },
  },
  switchBlock: {
    tag: tags.account,
    summary: 'Switch the block by own wish',
    body: Type.Object({ enable: toggle }),
    answers: {
      200: { doc: 'Switched, or so already', schema: blockSchema },
      400: refusalAnswer('already_blocked: closed for another reason; bad_request'),
      404: refusalAnswer('not_found'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
