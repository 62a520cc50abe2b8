import Type from 'typebox'
import type { Mailings } from '../../../billing/messages/mailing/mailings.ts'
import { readOptOut as readOptOutOf, setOptOut } from '../../../billing/messages/mailing/opt-out.ts'
import { readId, subscriberId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { readQuery, readSentBody, wrongField } from '../body.ts'
import { cursorOf } from '../cursors.ts'
import { answers, get, post } from '../doors.ts'
import { shapeOf } from '../shapes.ts'
import { limitMax, limitUsual, mailingsOf, optOutBody, pageQuery } from './mailing-shapes.ts'

type LeftOutParts = TransactionScope & { readonly messages: { readonly mailings: Pick<Mailings, 'table'> } }

/** Whom a mailing has left out, and subscribers who want none. */
export const leftOutRoutes = (parts: LeftOutParts): Route[] => [
  get('/admin/messages/mailing/:id/left_out', docs.list, (call) => listLeftOut(parts, call)),
  get('/admin/messages/opt_out/:id', docs.read, (call) => readOptOut(parts, call)),
  post('/admin/messages/opt_out/:id', docs.change, (call) => changeOptOut(parts, call)),
]

const reasons = ['opted_out', 'no_address', 'no_provider', 'deleted'] as const

async function listLeftOut(parts: LeftOutParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.list.query, call.query)
  if ('refused' in read) return read.refused
  const id = readId(call.params.id)
  if (id === null || !(await parts.messages.mailings.table.find(id, mailingsOf(call)))) return notFoundReply()
  const { reason, limit: asked = limitUsual, cursor: after } = read.values
  const limit = Math.min(asked, limitMax)
  const { rows } = await parts.database.pool.query<{ item: { readonly id: number } }>(
    `SELECT ${item} AS item FROM mailing_recipients AS recipient WHERE mailing_id = $1 AND skipped IS NOT NULL
      AND subscriber_id > $2 AND ($3::text IS NULL OR skipped = $3)
      AND ($5::int8[] IS NULL OR EXISTS (SELECT FROM abonents AS client WHERE client.id = recipient.subscriber_id
        AND ${visibleSql('client.organization_id', '$5')})) ORDER BY subscriber_id LIMIT $4`,
    [id, after?.id ?? 0, reason ?? null, limit + 1, visibleTo(call)],
  )
  const items = rows.slice(0, limit).map((one) => one.item)
  const last = rows.length > limit ? items.at(-1) : undefined
  return json({ ok: true, items, next_cursor: last ? cursorOf({ value: '', id: last.id }) : null })
}

async function readOptOut(parts: LeftOutParts, call: Call): Promise<Reply> {
  const { pool } = parts.database
  const id = await findVisible(pool, 'subscriber', call.params.id, visibleTo(call))
  if (id === null) return notFoundReply()
  const found = await readOptOutOf(pool, subscriberId(id))
  return json({ ok: true, on: found !== null, at: found?.at ?? null, user: found?.user ?? null })
}

async function changeOptOut(parts: LeftOutParts, call: Call): Promise<Reply> {
  const id = await findVisible(parts.database.pool, 'subscriber', call.params.id, visibleTo(call))
  if (id === null) return notFoundReply()
  const read = readSentBody(call, optOutBody.properties)
  if ('refused' in read) return read.refused
  const { on } = read.values
  if (on === undefined) return wrongField('on', 'be true or false')
  await setOptOut(parts.database.pool, subscriberId(id), on, authorOf(call))
  return json({ ok: true, on })
}

const row = 'recipient'
const [schema, item] = shapeOf(row, {
  id: [schemas.integer, 'subscriber_id'],
  name: [nullable(schemas.text), '(SELECT name FROM abonents WHERE id = recipient.subscriber_id)'],
  reason: [Type.Enum([...reasons]), 'skipped'],
})

const tag = 'Messages'
const missing = { 404: 'There is no such subscriber, or they are of another organization' }

const docs = {
  list: {
    tag,
    summary: 'Whom a mailing has left out, and why',
    query: { reason: { doc: 'For one reason', schema: choice(reasons) }, ...pageQuery },
    answers: answers(
      'One page',
      { items: Type.Array(schema), next_cursor: nullable(schemas.text) },
      { 400: 'A parameter is wrong', 404: 'There is no such mailing, or it is of somebody else' },
    ),
  },
  read: {
    tag,
    summary: 'Whether a subscriber wants no mailings',
    answers: answers(
      'Notices about their own account are sent all the same',
      {
        on: Type.With(schemas.boolean, { description: 'They want none' }),
        at: Type.With(nullable(schemas.moment), { description: 'Since when' }),
        user: Type.With(nullable(schemas.text), { description: 'Who recorded it' }),
      },
      missing,
    ),
  },
  change: {
    tag,
    summary: 'Record that a subscriber wants no mailings, or wants them again',
    body: optOutBody,
    answers: answers(
      'It counts from the next batch of any mailing',
      { on: schemas.boolean },
      { 400: 'on is missing', ...missing },
    ),
  },
} as const satisfies Record<string, RouteDoc>
