import Type from 'typebox'
import { faultsOf } from '../../../../billing/messages/faults.ts'
import { readMoment } from '../../../../domain/iso-dates.ts'
import { personalFields } from '../../../../domain/sorm.ts'
import { missingRight } from '../../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { count, field } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { readQuery, trimmed } from '../../body.ts'
import { answers, get } from '../../doors.ts'
import { faultSchema } from '../../messages/fault-schema.ts'
import { type Entry, type Place, readEntries } from './entries.ts'
import { type Names, readNames } from './names.ts'

/** Everything that was done to one subscriber, in one list (contract section 8). */
export const subscriberLogRoutes = (parts: TransactionScope): Route[] => [
  get('/admin/Abonents/log/:id', doc, (call) => showLog(parts, call)),
]

const limitUsual = 50
const limitMax = 200

/** What an entry is about, by the name of its table. */
const kinds = {
  ABONENTS: 'subscriber',
  ABONENTS_BLOCK: 'block',
  ADMIN_ACCOUNTS: 'account',
  FINANCE_OPERATIONS: 'operation',
  USERS: 'login',
  USERS_USLUGA: 'service',
  HDSK: 'ticket',
  NOTIFICATIONS: 'message',
} as const

/** The actions on an account that move money. */
const moneyActions = ['operation', 'storno']

async function showLog(parts: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(doc.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const { cursor = null, limit: asked = limitUsual } = read.values
  const limit = Math.min(asked, limitMax)
  const visible = visibleTo(call)
  const hides = missingRight(call.staff, 'personal_data') !== null
  return reading(parts, async (client) => {
    const subscriber = await findVisible(client, 'subscriber', call.params.id, visible)
    if (subscriber === null) return notFoundReply()
    const found = await readEntries(client, subscriber, visible, cursor, limit + 1)
    const page = found.slice(0, limit)
    const names = await readNames(client, page)
    const last = page.at(-1)
    return json({
      ok: true,
      items: page.map((entry) => itemOf(entry, names, hides)),
      next_cursor: found.length > limit && last ? cursorOf(last) : null,
    })
  })
}

function itemOf(entry: Entry, names: Names, hides: boolean) {
  const { at, user_name: user, address, table_name: table, object_id: object, action, diff } = entry
  const operation = table === 'ADMIN_ACCOUNTS' && moneyActions.includes(action) ? (diff?.op_id ?? null) : null
  return {
    id: `${entry.source}-${entry.id}`,
    at,
    user,
    address,
    kind: operation === null ? kinds[table as keyof typeof kinds] : 'operation',
    action: operation !== null && action === 'operation' ? 'create' : action,
    object: { id: Number(operation ?? object), name: names.ofObject(entry) },
    changes: Object.entries(diff ?? {}).flatMap(([name, value]) =>
      // An operation is the object itself.
      operation !== null && name === 'op_id' ? [] : [changeOf(name, value, names, hides)],
    ),
    ...(table === 'NOTIFICATIONS' && { faults: faultsOf(errorOf(diff)) }),
  }
}

/** Why a message was not sent, as the table has it. */
function errorOf(diff: Entry['diff']): string | null {
  const [, error] = (diff?.error ?? []) as readonly unknown[]
  return typeof error === 'string' ? error : null
}

const hidden: ReadonlySet<string> = new Set(personalFields)

/** Of what has no value before, such as the sum of an operation, the audit has the value alone. */
function changeOf(name: string, value: unknown, names: Names, hides: boolean) {
  const [before, after] = Array.isArray(value) && value.length === 2 ? (value as [unknown, unknown]) : [null, value]
  if (hides && hidden.has(name)) return { field: name, before: '***', after: '***' }
  const [beforeName, afterName] = [names.ofField(name, before), names.ofField(name, after)]
  return {
    field: name,
    before,
    after,
    ...((beforeName ?? afterName) !== null && { before_name: beforeName, after_name: afterName }),
  }
}

const cursorOf = ({ place, source, id }: Place): string => Buffer.from(`${place} ${source} ${id}`).toString('base64url')

function placeOf(cursor: string): Place | null {
  const [, place = '', source, id = ''] =
    /^(\S{1,40}) (\d) (\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return readMoment(place) === null ? null : { place, source: Number(source), id }
}

const { integer, text, any } = schemas

const doc = {
  tag: 'Subscribers',
  summary: 'All that was done to a subscriber, the newest first',
  description:
    'Of the subscriber, the account and its operations, logins, services and blocks, also those that are gone; tickets with their replies and notes, and messages to the client. Of actions on operations besides postings, those on the newest 5000.',
  query: {
    cursor: {
      doc: 'next_cursor of the page before',
      schema: field(Type.String(), 'be next_cursor of a page', (sent) => placeOf(String(sent))),
    },
    limit: {
      doc: `Entries of a page, ${limitUsual} where it is left out; at most ${limitMax}, more is cut`,
      schema: count(),
    },
  },
  answers: answers(
    'A page of the log',
    {
      items: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Of the entry, for who keeps it' }),
          at: schemas.moment,
          user: Type.With(nullable(text), { description: 'Staff, or what else did it' }),
          address: nullable(text),
          kind: Type.Enum(Object.values(kinds)),
          action: text,
          object: Type.Object({
            id: integer,
            name: Type.With(nullable(text), { description: 'Of a login and a service' }),
          }),
          changes: Type.Array(
            Type.Object({
              field: text,
              before: any,
              after: any,
              before_name: Type.Optional(
                Type.With(nullable(text), { description: 'Where the value is an id: the name behind it' }),
              ),
              after_name: Type.Optional(nullable(text)),
            }),
          ),
          faults: Type.Optional(
            Type.With(Type.Array(faultSchema), { description: 'Of a message: why it was not sent' }),
          ),
        }),
      ),
      next_cursor: nullable(text),
    },
    { 400: 'A parameter is wrong', 404: 'There is no such subscriber, or it is of another organization' },
  ),
} as const satisfies RouteDoc
