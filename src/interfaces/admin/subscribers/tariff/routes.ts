import Type from 'typebox'
import { type AccountOutcome, accountRefusalText } from '../../../../billing/accounts/messages.ts'
import { tariffObstacle } from '../../../../billing/accounts/tariff-decision.ts'
import { deletedText } from '../../../../billing/runs/steps.ts'
import type { IdempotencyKeys } from '../../../../billing/accounts/operation-keys.ts'
import { subscriberId } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, id } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import type { WrittenRows } from '../../../../platform/storage/changes.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { idempotencyHeader, keysOf, replyToRepeat } from '../../accounts/money-request.ts'
import { readBody, readQuery, readSent, refused, refusedBy } from '../../body.ts'
import { answers, get, post } from '../../doors.ts'
import { nextMonthBegins, type PreviewParts, previewWays, waySchema } from './preview.ts'
import {
  findTariff,
  type FoundTariff,
  offeredTariffs,
  readOfferedTariffs,
  readStanding,
  type Refusal,
  standingMembers,
  unfitTariff,
} from './tariffs.ts'

export type SubscriberTariffParts = TransactionScope &
  PreviewParts & {
    /** Resolves when the next RADIUS request sees the change. */
    readonly changed: (rows: WrittenRows) => Promise<void>
  }

const path = '/admin/Abonents/tariff/:id'

/** The tariff of a subscriber: what a change would cost, the change at once or planned, and taking the plan back. */
export const subscriberTariffRoutes = (parts: SubscriberTariffParts): Route[] => [
  get(path, docs.preview, (call) => preview(parts, call)),
  post(path, docs.change, (call) => change(parts, call)),
  post('/admin/Abonents/tariff_cancel/:id', docs.cancel, (call) => cancel(parts, call)),
]

async function preview(parts: SubscriberTariffParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.preview.query, call.query)
  if ('refused' in read) return read.refused
  const wanted = read.values.tarif ?? null
  const found = await reading(parts, async (client) => {
    const subscriber = await findVisible(client, 'subscriber', call.params.id, visibleTo(call))
    if (subscriber === null) return null
    const standing = await readStanding(client, subscriber)
    const tariff = wanted === null ? null : await findTariff(client, wanted)
    return { subscriber, standing, tariff, offered: await readOfferedTariffs(client) }
  })
  if (!found) return notFoundReply()
  const { subscriber, standing, tariff, offered } = found
  const { tarif, planned } = standing
  const refusal = wanted === null ? null : refusalOf(standing, wanted, tariff)
  const ways = tariff && !refusal ? await previewWays(parts, subscriberId(subscriber), tariff) : null
  return json({ ok: true, tarif, planned, offered, refusal, now: ways?.now ?? null, later: ways?.later ?? null })
}

/** Why a subscriber cannot have a tariff; null: it can. */
function refusalOf(
  { tarif, deleted }: Awaited<ReturnType<typeof readStanding>>,
  wanted: number,
  found: FoundTariff | null,
): Refusal | null {
  const obstacle = tariffObstacle({ deleted, tariffId: tarif?.id ?? null }, wanted)
  if (obstacle === 'deleted') return { code: obstacle, error: deletedText }
  const unfit = unfitTariff(found)
  if (unfit) return unfit
  return obstacle && { code: obstacle, error: accountRefusalText[obstacle] }
}

async function change(parts: SubscriberTariffParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const subscriber = await findVisible(parts.database.pool, 'subscriber', call.params.id, visibleTo(call))
  if (subscriber === null) return notFoundReply()
  const asked = keysOf(call, body.fields)
  if ('refused' in asked) return asked.refused
  const repeated = await repeatReply(parts, subscriber, asked.keys)
  if (repeated) return repeated
  const read = readSent(changeFields, body.fields)
  if ('refused' in read) return read.refused
  const { tarif, when } = read.values
  const refusal = await reading(parts, async (client) =>
    refusalOf(await readStanding(client, subscriber), tarif, await findTariff(client, tarif)),
  )
  if (refusal) return refused(400, refusal.code, refusal.error)
  const keys = asked.keys ? [asked.keys.own, asked.keys.withBody] : []
  const what = { subscriberId: subscriberId(subscriber), keys }
  const outcome = await parts.subscribers.ask(
    when === 'now'
      ? { kind: 'changeTariff', ...what, tariffId: tarif, dropsPlan: true }
      : { kind: 'planTariff', ...what, plan: { tariffId: tarif, from: nextMonthBegins(parts).at } },
    authorOf(call),
  )
  return answer(parts, subscriber, outcome, asked.keys)
}

async function answer(
  parts: SubscriberTariffParts,
  subscriber: number,
  outcome: AccountOutcome,
  keys: IdempotencyKeys | null,
): Promise<Reply> {
  if (outcome.kind === 'refused') {
    // The same request may have been carried out while this one was on its way.
    return (await repeatReply(parts, subscriber, keys)) ?? refusedBy(outcome)
  }
  await parts.changed({ table: 'abonents', ids: [subscriber] })
  const operation = outcome.kind === 'known' ? outcome.operationId : (outcome.operation?.id ?? null)
  return reading(parts, (client) => standingReply(client, subscriber, operation))
}

const repeatReply = (
  parts: SubscriberTariffParts,
  subscriber: number,
  keys: IdempotencyKeys | null,
): Promise<Reply | null> =>
  replyToRepeat(parts, keys, (operation) =>
    reading(parts, (client) => standingReply(client, subscriber, operation === 0 ? null : operation)),
  )

/** As both are now. */
async function standingReply(client: Client, subscriber: number, operation: number | null): Promise<Reply> {
  const { tarif, planned } = await readStanding(client, subscriber)
  return json({ ok: true, tarif, planned, operation_id: operation })
}

async function cancel(parts: SubscriberTariffParts, call: Call): Promise<Reply> {
  const subscriber = await findVisible(parts.database.pool, 'subscriber', call.params.id, visibleTo(call))
  if (subscriber === null) return notFoundReply()
  const command = { kind: 'planTariff', subscriberId: subscriberId(subscriber), plan: null } as const
  return answer(parts, subscriber, await parts.subscribers.ask(command, authorOf(call)), null)
}

const changeFields = { tarif: id, when: choice(['now', 'next_month']) }

const tag = 'Tariff of a subscriber'
const gone = { 404: 'There is no such subscriber, or it is of another organization' }

const docs = {
  preview: {
    tag,
    summary: 'The tariff, the planned one and those on offer; with `tarif` what a change to it would do to the bill',
    description:
      'Computed by what later does it: the decision of the account for a change at once, and the forecast of charges.',
    query: { tarif: { doc: 'The tariff that is thought of', schema: id } },
    answers: answers(
      'Nothing is changed',
      {
        ...standingMembers,
        offered: offeredTariffs,
        refusal: Type.With(nullable(Type.Object({ code: schemas.text, error: schemas.text })), {
          description: 'Why the change would be refused',
        }),
        now: Type.With(nullable(waySchema), { description: 'After a change at once' }),
        later: Type.With(nullable(waySchema), { description: 'With a change on the first day of the next month' }),
      },
      { 400: 'A parameter is wrong', ...gone },
    ),
  },
  change: {
    tag,
    summary: 'Change the tariff at once, or plan it for the first day of the next month',
    description:
      'Either takes the place of what was planned before. What was charged for the month is settled at once.',
    headers: idempotencyHeader,
    body: Type.Object(changeFields),
    answers: answers(
      'The tariff and the planned one, as they are now',
      { ...standingMembers, operation_id: nullable(schemas.integer) },
      {
        400: 'A wrong field, or a refusal; `code` names it: tariff_off, tariffSame, tariffMissing, deleted',
        ...gone,
        409: 'The Idempotency-Key was used before with another request',
      },
    ),
  },
  cancel: {
    tag,
    summary: 'Take back the change of tariff that is planned',
    answers: answers(
      'The tariff, and nothing planned',
      { ...standingMembers, operation_id: nullable(schemas.integer) },
      gone,
    ),
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
