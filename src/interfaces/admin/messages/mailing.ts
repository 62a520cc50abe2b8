import Type from 'typebox'
import type { Audience } from '../../../billing/messages/mailing/mailing-table.ts'
import type { Mailings } from '../../../billing/messages/mailing/mailings.ts'
import { readId } from '../../../domain/ids.ts'
import { mailingFields, smsCount, unknownFields } from '../../../domain/mailing-text.ts'
import { filled } from '../../../domain/wording.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { idempotencyHeader, keysOf } from '../accounts/money-request.ts'
import { type Refused, readQuery, refused } from '../body.ts'
import { cursorOf } from '../cursors.ts'
import { answers, get, post } from '../doors.ts'
import { type Countings, preferHeader, countedAnswers } from '../countings.ts'
import { meantFilters, patient, patientMs, readOrder, refusedOrder, type WhomMeant } from '../subscribers/many/meant.ts'
import {
  limitMax,
  limitUsual,
  mailingBody,
  mailingOwnFields,
  mailingSchema,
  mailingsOf,
  pageQuery,
  previewBody,
  previewFields,
  reachMembers,
  shownMailing,
  unknownFieldReply,
} from './mailing-shapes.ts'

export type MailingParts = TransactionScope & {
  readonly messages: { readonly mailings: Mailings }
  /** What a message is headed by that has no title of its own. */
  readonly brand: () => string
  readonly countings: Countings
}

/** Messages to many subscribers at once: marked ones, or all that a filter of their list finds. */
export const mailingRoutes = (parts: MailingParts): Route[] => [
  get('/admin/messages/mailing', docs.list, (call) => list(parts, call)),
  post('/admin/messages/mailing', docs.start, (call) => start(parts, call)),
  post(
    '/admin/messages/mailing/preview',
    docs.preview,
    (call) => parts.countings.answer(call, () => preview(parts, call)),
    { allowedReadOnly: true },
  ),
  get('/admin/messages/mailing/:id', docs.one, (call) => show(parts, call)),
  post('/admin/messages/mailing/:id/stop', docs.stop, (call) => stop(parts, call)),
]

const audienceOf = (call: Call, meant: WhomMeant): Audience => {
  const filters = meantFilters(call, meant)
  return { conditions: filters.conditions, values: filters.values }
}

async function preview(parts: MailingParts, call: Call): Promise<Reply> {
  const order = await readOrder(parts, call, previewFields)
  if ('refused' in order) return order.refused
  const { mailings } = parts.messages
  const asked = { channel: order.own.channel, audience: audienceOf(call, order), patient }
  const { total, fates, samples } = await reading(parts, (client) => mailings.reach(client, asked), patientMs)
  const of = <Name extends keyof typeof fates>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, fates[name] ?? 0]))
  const { title = parts.brand(), text = '' } = order.own
  return json({
    ok: true,
    total,
    unknown: unknownFields(`${title} ${text}`, mailingFields),
    reached: of('push', 'sms', 'email'),
    left_out: of('opted_out', 'no_address', 'no_provider', 'deleted'),
    quiet_until: mailings.quietUntil(),
    samples: samples.map(({ values, ...sample }) => {
      const said = filled(text, values)
      return { ...sample, title: filled(title, values), text: said, sms_count: smsCount(said) }
    }),
  })
}

async function readMailing(parts: MailingParts, call: Call) {
  const order = await readOrder(parts, call, mailingOwnFields)
  if ('refused' in order) return order
  const title = order.own.title || parts.brand()
  for (const [field, text] of [['title', title] as const, ['text', order.own.text] as const]) {
    const unknown = unknownFields(text, mailingFields)
    if (unknown.length > 0) return { refused: unknownFieldReply(field, unknown) }
  }
  return { ...order, own: { ...order.own, title } }
}

type Order = Exclude<Awaited<ReturnType<typeof readMailing>>, Refused>

async function start(parts: MailingParts, call: Call): Promise<Reply> {
  const order = await readMailing(parts, call)
  if ('refused' in order) return order.refused
  if (order.own.test) return test(parts, call, order)
  const key = keysOf(call, order.fields)
  if ('refused' in key) return key.refused
  const { mailings } = parts.messages
  const { keys } = key
  const known = keys && (await mailings.table.ofKey(keys.own, keys.withBody))
  if (known) return known.isOther ? keyTakenReply() : showOne(parts, call, known.id)
  const { ids, filter } = order
  const { channel, title, text, send_at } = order.own
  const author = authorOf(call)
  const asked = { ...(ids && { ids: ids.length }), ...(filter && { filter }) }
  const id = await writing(parts, async (client) => {
    // A time without an offset is of TIME_ZONE, which is that of the transaction.
    const startsAt = send_at === undefined ? null : await momentOf(client, send_at)
    const { staffId: staff, name: user } = author
    const own = { key: keys?.own ?? null, request: keys?.withBody ?? null }
    const begun = await mailings.begin(client, { staff, user, asked, channel, title, text, startsAt, ...own })
    if (begun === null) return null
    const diff = { channel: [null, channel], title: [null, title], text: [null, text], asked: [null, asked] } as const
    await writeAudit(client, { author, ...audited(begun), action: 'create', diff: { ...diff } })
    return begun
  })
  if (id === null) return afterRace(parts, call, keys!)
  mailings.gather(id, audienceOf(call, order))
  return showOne(parts, call, id)
}

/** Of two requests with one key at once the second finds the mailing of the first. */
async function afterRace(
  parts: MailingParts,
  call: Call,
  keys: { readonly own: string; readonly withBody: string },
): Promise<Reply> {
  const known = await parts.messages.mailings.table.ofKey(keys.own, keys.withBody)
  return known && !known.isOther ? showOne(parts, call, known.id) : keyTakenReply()
}

const keyTakenReply = (): Reply =>
  refused(409, 'key_taken', 'This Idempotency-Key was used before with another request.')

async function momentOf(
  client: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> },
  text: string,
) {
  const { rows } = await client.query('SELECT $1::timestamptz AS at', [text])
  return (rows[0] as { readonly at: Date }).at
}

const audited = (id: number) => ({ table: 'MAILINGS', id: String(id), organizationId: null }) as const

/** As the first recipient would get it. */
async function test(parts: MailingParts, call: Call, order: Order): Promise<Reply> {
  const { mailings } = parts.messages
  const asked = { channel: order.own.channel, audience: audienceOf(call, order), patient }
  const { samples } = await reading(parts, (client) => mailings.reach(client, asked), patientMs)
  const values = samples[0]?.values ?? {}
  const { test: to = '', title, text } = order.own
  const outcome = await mailings.test({ to, title: filled(title, values), text: filled(text, values) })
  if (outcome.kind === 'refused')
    return refused(400, outcome.code, testRefusals[outcome.code], { errors: { test: testRefusals[outcome.code] } })
  await writing(parts, (client) =>
    writeAudit(client, {
      ...{ author: authorOf(call), table: 'MAILINGS', id: 'test', action: 'create', organizationId: null },
      diff: { address: [null, to], text: [null, text] },
    }),
  )
  return json({ ok: true, mailing: null, message: outcome.id })
}

const testRefusals = {
  not_address: 'It is neither a phone nor an e-mail address.',
  no_provider: 'No provider is set up for this channel.',
} as const

async function list(parts: MailingParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.list.query, call.query)
  if ('refused' in read) return read.refused
  const { cursor: after, limit = limitUsual } = read.values
  const most = Math.min(limit, limitMax)
  const { mailings } = parts.messages
  const found = await mailings.table.list(mailingsOf(call), after?.id ?? null, most + 1)
  const shown = found.slice(0, most)
  const last = found.length > most ? shown.at(-1) : undefined
  const quiet = mailings.quietUntil()
  return json({
    ok: true,
    items: shown.map((one) => shownMailing(one, quiet)),
    next_cursor: last ? cursorOf({ value: '', id: last.id }) : null,
  })
}

async function show(parts: MailingParts, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  return id === null ? notFoundReply() : showOne(parts, call, id)
}

async function showOne({ messages: { mailings } }: MailingParts, call: Call, id: number): Promise<Reply> {
  const found = await mailings.table.find(id, mailingsOf(call))
  return found ? json({ ok: true, mailing: shownMailing(found, mailings.quietUntil()) }) : notFoundReply()
}

async function stop(parts: MailingParts, call: Call): Promise<Reply> {
  const { mailings } = parts.messages
  const id = readId(call.params.id)
  if (id === null || !(await mailings.table.find(id, mailingsOf(call)))) return notFoundReply()
  const isStopped = await writing(parts, async (client) => {
    if (!(await mailings.halt(client, id))) return false
    const diff = { state: ['sending', 'stopped'] } as const
    await writeAudit(client, { author: authorOf(call), ...audited(id), action: 'change', diff: { ...diff } })
    return true
  })
  return isStopped ? showOne(parts, call, id) : refused(400, 'mailing_over', 'The mailing is over already.')
}

const tag = 'Messages'
const missing = { 404: 'There is no such mailing, or it is of somebody else' }

const docs = {
  list: {
    tag,
    summary: 'Mailings, the newest first: your own, or those of everybody for who sees all',
    query: pageQuery,
    answers: answers(
      'One page',
      { items: Type.Array(mailingSchema), next_cursor: nullable(schemas.text) },
      { 400: 'A parameter is wrong' },
    ),
  },
  preview: {
    tag,
    summary: 'Whom a mailing would reach, before it begins',
    headers: preferHeader,
    body: previewBody,
    isFormToo: false,
    answers: countedAnswers('By the tables as they are now; nothing is written', reachMembers, refusedOrder),
  },
  start: {
    tag,
    summary: 'Send a message to many subscribers, or one as a test',
    description:
      'Its recipients are those of now. It answers at once, and the mailing goes on, also after a restart: ask `/admin/messages/mailing/{id}/`. In the hours of MAILING_QUIET_HOURS it waits. Whoever wants no mailings gets none.',
    headers: idempotencyHeader,
    body: mailingBody,
    isFormToo: false,
    answers: answers(
      'It has begun',
      {
        mailing: Type.With(nullable(mailingSchema), { description: 'null with `test`' }),
        message: Type.Optional(Type.Integer({ description: 'With `test`: the message' })),
      },
      {
        ...refusedOrder,
        400: `${refusedOrder[400]}, or a wrong text; unknown_field: the text has a field that there is none of`,
        409: 'The key was used for another order',
      },
    ),
  },
  one: {
    tag,
    summary: 'How far a mailing is, and what became of it',
    description: 'Its messages are those of `/admin/messages/?mailing=`.',
    answers: answers('The mailing', { mailing: mailingSchema }, missing),
  },
  stop: {
    tag,
    summary: 'Stop a mailing: nobody else gets it',
    answers: answers('It has stopped', { mailing: mailingSchema }, { 400: 'It is over', ...missing }),
  },
} as const satisfies Record<string, RouteDoc>
