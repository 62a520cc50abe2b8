import { createHmac, randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import Type from 'typebox'
import { type AccountOpening, openWith } from '../../../../billing/accounts/opening.ts'
import { findRepeat, type IdempotencyKeys } from '../../../../billing/accounts/operation-keys.ts'
import type { CashDesk } from '../../../../billing/cash/limits.ts'
import { proposeContractNumber, proposeLogin, proposePassword } from '../../../../billing/clients/proposals.ts'
import { dayOf } from '../../../../domain/calendar.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Clock } from '../../../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../../platform/http/schemas.ts'
import { findRecord } from '../../../../platform/records/reads.ts'
import type { RecordParts } from '../../../../platform/records/record-writer.ts'
import { isRefusal } from '../../../../platform/records/refusals.ts'
import { recordSchema } from '../../../../platform/records/schema.ts'
import type { Secrets } from '../../../../platform/secrets/secrets.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { findVisible, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { accountSchema, readAccount } from '../../accounts/account-shape.ts'
import { takingCash } from '../../accounts/cash-limit.ts'
import { idempotencyHeader, keysOf, takenBeforeReply } from '../../accounts/money-request.ts'
import { readBody, refusalWithout, refused, refusedBy } from '../../body.ts'
import { answers, get, post, refusals } from '../../doors.ts'
import { operationSchema, readOperation } from '../../finops/operation-shape.ts'
import { replyToRefusal } from '../../write-refusals.ts'
import { offeredServices, readOfferedServices } from '../services/offered.ts'
import { offeredTariffs, readOfferedTariffs } from '../tariff/tariffs.ts'
import { wrongSchema } from './faults.ts'
import { body, login as loginModel, person as personModel } from './models.ts'
import { type FirstPayment, readOrder } from './order.ts'
import { type InsertParts, insertSubscriber, type Made } from './records.ts'

type CreateParts = RecordParts &
  InsertParts & {
    readonly accounts: AccountOpening
    readonly secrets: Secrets
    readonly clock: Clock
    readonly cashDesk: Pick<CashDesk, 'take'>
  }

const path = '/admin/Abonents/create'

/** A new subscriber with account, login, services and first payment, in one commit (contract section 8). */
export const newSubscriberRoutes = (parts: CreateParts): Route[] => [
  get(path, docs.proposals, () => propose(parts), { right: recordRights.usual.create }),
  post(path, docs.create, (call) => create(parts, call), { right: recordRights.usual.create }),
]

/** What a new subscriber would be given now, which whoever saves first gets, and what may be chosen. */
async function propose(parts: CreateParts): Promise<Reply> {
  return reading(parts, async (client) => {
    const year = dayOf(parts.clock.now(), parts.timeZone()).slice(0, 4)
    const number = await proposeContractNumber(client, parts.contractNumbers(), year)
    const login = await proposeLogin(client, number ?? '')
    return json({
      ok: true,
      contract_number: number,
      login,
      password: proposePassword(),
      tariffs: await readOfferedTariffs(client),
      services: await readOfferedServices(client),
    })
  })
}

async function create(parts: CreateParts, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const asked = keysOf(call, sent.fields)
  if ('refused' in asked) return asked.refused
  const { keys } = asked
  const repeated = await repeatReply(parts, call, keys)
  if (repeated) return repeated
  const order = readOrder(sent.fields)
  if (isRefusal(order)) return replyToRefusal(order)
  const lacking = order.payment ? refusalWithout(recordRights.operation.create, call.staff) : null
  if (lacking) return lacking
  const ordered = { order, author: authorOf(call), visible: visibleTo(call), keys, seed: seedOf(parts, keys) }
  const opening = () => openWith(parts, ordered.author, (step) => insertSubscriber(parts, step, ordered))
  const opened = await (order.payment
    ? takingCash(parts.cashDesk, call, cashOf(order.payment, keys), opening)
    : opening())
  if ('refused' in opened) return opened.refused
  if (opened.kind === 'opened') {
    const { made, operation } = opened
    await parts.changed({ table: personModel.table, ids: [made.abonent] })
    if (made.login !== null) await parts.changed({ table: loginModel.table, ids: [made.login] })
    return shown(parts, call, { ...made, operation: operation?.id ?? null }, ordered.seed)
  }
  // The same request may have been carried out while this one was on its way.
  const raced = await repeatReply(parts, call, keys)
  if (raced) return raced
  if (opened.kind === 'refused') return refusedBy(opened)
  return opened.kind === 'notWritten' ? replyToRefusal(opened.refusal) : takenBeforeReply()
}

/** What is taken at the cash desk, known before there is an account. */
const cashOf = ({ amount, isCash }: FirstPayment, keys: IdempotencyKeys | null) =>
  ({ sign: 1, amount, details: { isCash }, keys: keys ? [keys.own] : [] }) as const

/**
 * The random bytes of a password that nobody has named. A repeat of the request makes them again, so that its answer
 * can tell the password without anybody having kept it in clear text.
 */
const seedOf = ({ secrets }: CreateParts, keys: IdempotencyKeys | null): Buffer =>
  keys === null
    ? randomBytes(32)
    : createHmac('sha256', secrets.derive('proposed password')).update(keys.withBody).digest()

type Created = Omit<Made, 'account'> & { readonly account: number; readonly operation: number | null }

/** The first answer to a request that has been carried out before; null: it is new. */
async function repeatReply(parts: CreateParts, call: Call, keys: IdempotencyKeys | null): Promise<Reply | null> {
  if (!keys) return null
  const found = await reading(parts, async (client) => {
    const repeat = await findRepeat(client, keys)
    return repeat.kind === 'repeated' ? { kind: 'repeated', made: await madeBy(client, keys) } : repeat
  })
  if (found.kind === 'new') return null
  if (found.kind === 'conflict')
    return refused(409, 'key_taken', 'This Idempotency-Key was used before with another request.')
  const made = 'made' in found ? found.made : null
  return made ? shown(parts, call, made, seedOf(parts, keys)) : takenBeforeReply()
}

/** By the account that has the keys; null where its subscriber has moved to another account since. */
async function madeBy(client: PoolClient, keys: IdempotencyKeys): Promise<Created | null> {
  const { rows } = await client.query<Record<keyof Created, string | null>>(
    `SELECT taken.account_id AS account, taken.op_id AS operation, abonents.id AS abonent,
        (SELECT min(id) FROM users WHERE abonent_id = abonents.id) AS login
      FROM money_keys AS taken JOIN abonents ON abonents.account_id = taken.account_id
      WHERE taken.key = $1 ORDER BY abonents.id LIMIT 1`,
    [keys.own],
  )
  const [row] = rows
  const idOf = (text: string | null) => (text === null ? null : Number(text))
  return row
    ? {
        account: Number(row.account),
        abonent: Number(row.abonent),
        login: idOf(row.login),
        operation: idOf(row.operation),
      }
    : null
}

/** Everything as it is now. The password is told while it is the one that was made for this request. */
function shown(
  parts: CreateParts,
  call: Call,
  { abonent, account, login, operation }: Created,
  seed: Buffer,
): Promise<Reply> {
  const visible = visibleTo(call)
  return reading(parts, async (client) => {
    if ((await findVisible(client, 'subscriber', abonent, visible)) === null) return takenBeforeReply()
    const found = login === null ? null : await findRecord(client, loginModel, String(login), null)
    const { switch_port: port = null, ...others } = found ?? {}
    return json({
      ok: true,
      abonent: await findRecord(client, personModel, String(abonent), null),
      account: await readAccount(client, account),
      login: found && { ...others, port, password: await toldPassword(parts, client, login, seed) },
      operation: operation === null ? null : await readOperation(client, visible, operation),
    })
  })
}

async function toldPassword(
  { secrets }: CreateParts,
  client: PoolClient,
  login: number | null,
  seed: Buffer,
): Promise<string | null> {
  const { rows } = await client.query<{ password: string }>('SELECT password FROM users WHERE id = $1::int8', [login])
  const made = proposePassword(seed)
  return rows[0] && secrets.openOrNull(rows[0].password) === made ? made : null
}

const { switch_port: port, ...loginMembers } = recordSchema(loginModel).properties

const docs = {
  proposals: {
    tag: 'Subscribers',
    summary: 'The number, the login and the password that a new subscriber would be given, and what may be chosen',
    description: 'Nothing is reserved: a form shows them, and whoever saves first has them.',
    answers: answers('What is free now', {
      contract_number: nullable(schemas.text),
      login: schemas.text,
      password: schemas.text,
      tariffs: offeredTariffs,
      services: offeredServices,
    }),
  },
  create: {
    tag: 'Subscribers',
    summary: 'A new subscriber with account, login, services and first payment, all or nothing',
    description:
      'In one commit. What is left out is proposed: the number by CONTRACT_NUMBER_PATTERN, else the next one; login and password where `login` is sent without them. `from` on a later day plans the tariff. The line is open when this answers.',
    headers: idempotencyHeader,
    isFormToo: false,
    body,
    answers: {
      200: {
        doc: 'Everything that was made; the password only where it was made for the request',
        schema: okObject({
          abonent: recordSchema(personModel),
          account: accountSchema,
          login: nullable(Type.Object({ ...loginMembers, port: port!, password: nullable(schemas.text) })),
          operation: nullable(operationSchema),
        }),
      },
      400: { doc: 'Wrong fields, all of them by name with a code each; nothing was written', schema: wrongSchema },
      ...refusals({
        403: 'The payment needs the right money',
        409: 'The Idempotency-Key was used before with another request, or what it made has gone elsewhere',
      }),
    },
  },
} as const satisfies Record<string, RouteDoc>
