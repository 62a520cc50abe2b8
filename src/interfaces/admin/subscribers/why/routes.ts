import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { subscriberId } from '../../../../domain/ids.ts'
import { languages } from '../../../../domain/language.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice } from '../../../../platform/http/fields.ts'
import { preferredLanguage } from '../../../../platform/http/languages.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { isRefused, readQuery } from '../../body.ts'
import { answers, get } from '../../doors.ts'
import { chainOf, type Link, verdictText } from './chain.ts'
import { type FactSources, readFacts } from './facts.ts'
import { verdictCodes, verdictOf } from './verdict.ts'

export type WhyParts = TransactionScope &
  FactSources & {
    readonly subscribers: Pick<SubscriberActors, 'status'>
    readonly clock: { now(): Date }
  }

/** Why a subscriber is online or not (contract section 8), by the functions that decide for RADIUS. */
export const whyRoutes = (parts: WhyParts): Route[] => [get('/admin/Abonents/why/:id', doc, (call) => why(parts, call))]

async function why(parts: WhyParts, call: Call): Promise<Reply> {
  const asked = readQuery(doc.query, call.query)
  if (isRefused(asked)) return asked.refused
  const visible = visibleTo(call)
  const id = await findVisible(parts.database.pool, 'subscriber', call.params.id, visible)
  const status = id === null ? null : await parts.subscribers.status(subscriberId(id))
  if (status === null) return notFoundReply()
  const options = { now: parts.clock.now(), zone: parts.timeZone(), seesAll: visible === null }
  const facts = await reading(parts, (client) => readFacts(client, parts, status, options))
  const { language = preferredLanguage(call.header('accept-language')) } = asked.values
  const verdict = verdictOf(facts)
  const { access, code } = verdict
  const text = verdictText(facts, verdict, language)
  const chain = chainOf(facts, verdict, language).map(({ at, ...link }) => ({ ...link, at: at?.toISOString() ?? null }))
  return json({ ok: true, access, verdict: { code, text }, chain })
}

const codes: readonly Link['code'][] = [
  'subscriber',
  'account',
  'blocks',
  'login',
  'nas',
  'request',
  'session',
  'disconnect',
]

const linkSchema = Type.Object({
  code: Type.Enum([...codes]),
  ok: Type.With(nullable(schemas.boolean), { description: 'Null: nothing is known that would be right or wrong' }),
  text: schemas.text,
  at: nullable(schemas.moment),
  by: Type.With(nullable(schemas.text), {
    description: 'Who did it: staff or job of a block, MAC address of a request or session, NAS of a Disconnect',
  }),
  link: Type.With(nullable(schemas.text), { description: 'The page of the web admin where it is mended' }),
})

const doc = {
  tag: 'Subscribers',
  summary: 'Why a subscriber is online or not: one sentence, and the chain that leads to it',
  description:
    'Decided by the functions that answer RADIUS. Of several logins the one that is online counts, else the one that was heard of last. Codes never change. `no_login`: the subscriber has no login at all.',
  query: { language: { doc: 'Of the texts; left out: that of Accept-Language', schema: choice(languages) } },
  answers: answers(
    'As far as it is known now',
    {
      access: Type.Enum(['open', 'garden', 'closed']),
      verdict: Type.Object({ code: Type.Enum([...verdictCodes]), text: schemas.text }),
      chain: Type.Array(linkSchema),
    },
    { 400: 'The language is wrong', 404: 'There is no such subscriber, or it is of another organization' },
  ),
} satisfies RouteDoc
