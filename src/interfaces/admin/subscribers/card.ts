import Type from 'typebox'
import { type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import type { ForeignCounters } from '../../../network/radius/accounting/foreign-counters.ts'
import type { LiveSession } from '../../../network/radius/accounting/live-session.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { answers, get } from '../doors.ts'
import { shapeOf } from '../shapes.ts'
import { listedMembers } from './list-shape.ts'
import { loginSchema, loginSql } from './logins/shape.ts'

type CardParts = TransactionScope & {
  /** The sessions that are live now. */
  readonly sessions: { ofSubscriber(id: SubscriberId): readonly LiveSession[] }
  readonly foreignCounters: Pick<ForeignCounters, 'of'>
}

/** What the head of a subscriber's card shows, and what its tabs begin with. */
export const subscriberCardRoutes = (parts: CardParts): Route[] => [
  get('/admin/Abonents/subscribers/:id', doc, (call) => showSubscriber(parts, call)),
]

const { integer, text, boolean, moment, rubles } = schemas
const words = nullable(text)

const loginsMax = 100

const [cardSchema, cardSql] = shapeOf('client', {
  ...listedMembers,
  email: words,
  comment: words,
  company: boolean,
  flat: words,
  home_id: nullable(integer),
  tarif_price: [nullable(rubles), '(SELECT price FROM tarifs WHERE id = client.tarif_id)'],
  tarif_speed_mbit: [
    Type.With(nullable(Type.Number()), { description: 'To the subscriber; null: without a limit' }),
    '(SELECT speed_mbit FROM tarifs WHERE id = client.tarif_id)',
  ],
  tarif_upload_mbit: [
    Type.With(nullable(Type.Number()), { description: 'From the subscriber; null: as tarif_speed_mbit' }),
    '(SELECT upload_mbit FROM tarifs WHERE id = client.tarif_id)',
  ],
  next_tarif_id: nullable(integer),
  next_tarif_name: [words, '(SELECT name FROM tarifs WHERE id = client.next_tarif_id)'],
  next_tarif_date: nullable(moment),
  promise_pay: Type.With(nullable(rubles), { description: 'What the promise payment that runs lends' }),
  unlimited: [boolean, 'account.unlimited'],
  unlimited_date: [nullable(moment), 'account.unlimited_date'],
  organization_name: [words, '(SELECT name FROM organizations WHERE id = client.organization_id)'],
  last_operation_id: [nullable(integer), 'account.last_operation_id'],
  logins: [
    Type.With(Type.Array(loginSchema), { description: `At most ${loginsMax}` }),
    `(SELECT coalesce(json_agg(${loginSql} ORDER BY login.id), '[]'::json)
      FROM (SELECT * FROM users WHERE abonent_id = client.id ORDER BY id LIMIT ${loginsMax}) AS login)`,
  ],
})

async function showSubscriber(parts: CardParts, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const id = await findVisible(client, 'subscriber', call.params.id, visibleTo(call))
    if (id === null) return notFoundReply()
    const { rows } = await client.query<{ card: Readonly<Record<string, unknown>> }>(
      `SELECT ${cardSql} AS card FROM abonents AS client JOIN admin_accounts AS account ON account.id = client.account_id
        WHERE client.id = $1::int8`,
      [id],
    )
    const live = await parts.foreignCounters.of(parts.sessions.ofSubscriber(subscriberId(id)))
    const sessions = live.map(shownSession)
    return json({ ok: true, subscriber: { ...rows[0]!.card, online: sessions.length > 0 }, sessions })
  })
}

const shownSession = (session: LiveSession) => ({
  id: Number(session.id),
  login: session.login,
  nas_id: session.nasId,
  nas_ip: session.nasIp,
  ip: session.ip,
  ipv6_prefix: session.ipv6Prefix,
  mac: session.mac,
  started_at: session.startedAt,
  updated_at: session.updatedAt,
})

const sessionSchema = Type.Object({
  id: integer,
  login: text,
  nas_id: integer,
  nas_ip: text,
  ip: words,
  ipv6_prefix: words,
  mac: words,
  started_at: moment,
  updated_at: moment,
})

const doc: RouteDoc = {
  tag: 'Subscribers',
  summary: 'A subscriber with account, tariff, state, logins and live sessions',
  answers: answers(
    'The card',
    {
      subscriber: Type.Object({ ...cardSchema.properties, online: boolean }),
      sessions: Type.With(Type.Array(sessionSchema), { description: 'Those that are live, the oldest first' }),
    },
    { 404: 'There is no such subscriber, or it is of another organization' },
  ),
}
