import Type, { type Static } from 'typebox'
import { coaRemembered } from '../../../network/radius/health/coa-waits.ts'
import {
  type NasHealth,
  type NasReport,
  nasStates,
  type UnknownSource,
} from '../../../network/radius/health/nas-health.ts'
import type { Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { mapOf, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { get } from '../doors.ts'

export type NasHealthRouteParts = {
  readonly nasHealth: Pick<NasHealth, 'report' | 'unknown'>
  /** Where RADIUS listens. */
  readonly radius: { readonly addresses: { readonly authPort: number; readonly acctPort: number } }
}

/** How every NAS is doing, those that need somebody first (contract section 8). */
export const nasHealthRoutes = (parts: NasHealthRouteParts): Route[] => [
  get('/admin/radius/nas', doc, () => answer(parts)),
]

const urgency = ['silent', 'wrong_secret', 'never', 'ok'] as const

function answer({ nasHealth: health, radius }: NasHealthRouteParts): Reply {
  const items = health.report().map(itemOf)
  const place = (item: Static<typeof itemSchema>) => (item.enabled ? urgency.indexOf(item.state) : urgency.length)
  items.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name) || a.id - b.id)
  const { authPort, acctPort } = radius.addresses
  return json({
    ok: true,
    items,
    unknown: health.unknown().map(sourceOf),
    radius_auth_port: authPort,
    radius_acct_port: acctPort,
  } satisfies Static<typeof answerSchema>)
}

function itemOf(report: NasReport): Static<typeof itemSchema> {
  const { nas, lastPacketAt, state, sessions, perSecond, drops, coa } = report
  const { ack, nak, noAnswer, p50Ms, p99Ms } = coa
  return {
    id: nas.id,
    name: nas.name,
    ip: nas.ip,
    network: nas.network ?? null,
    nas_type: nas.type,
    coa_port: nas.coaPort,
    enabled: nas.enabled,
    last_packet_at: lastPacketAt?.toISOString() ?? null,
    state,
    clock_ahead_seconds: report.clockAheadSeconds,
    sessions,
    per_second: perSecond,
    drops: drops as Record<string, number>,
    coa: { ack, nak, no_answer: noAnswer, p50_ms: rounded(p50Ms), p99_ms: rounded(p99Ms) },
    learned: {
      message_authenticator: nas.learnedMessageAuthenticator ?? null,
      proxy_state: nas.learnedProxyState ?? null,
      interims: report.learnedInterims,
    },
  }
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

const sourceOf = ({ address, packets, lastAtMs, nasId }: UnknownSource): Static<typeof unknownSchema> => ({
  ip: address,
  packets,
  last_packet_at: new Date(lastAtMs).toISOString(),
  nas_id: nasId,
})

const learnt = Type.With(nullable(schemas.boolean), { description: 'Null: not learned yet, or not on auto.' })

const itemSchema = Type.Object({
  id: schemas.integer,
  name: schemas.text,
  ip: nullable(schemas.text),
  network: nullable(schemas.text),
  nas_type: schemas.text,
  coa_port: schemas.integer,
  enabled: schemas.boolean,
  last_packet_at: Type.With(nullable(schemas.moment), {
    description: 'Of any packet, also one that was dropped; kept over a restart to the minute. Null: never.',
  }),
  state: Type.Enum([...nasStates], {
    description:
      'silent: nothing for 15 minutes, or for three RADIUS_INTERIM_INTERVAL where that is longer. wrong_secret: since the last packet that proved the secret several were signed with another one, or had a PAP password that is no text.',
  }),
  clock_ahead_seconds: Type.With(nullable(schemas.integer), {
    description:
      'How far its clock is ahead of that of this node, by the Event-Timestamp of its accounting; negative: behind. Null: not known since the start.',
  }),
  sessions: schemas.integer,
  per_second: Type.Object(
    { accept: schemas.number, reject: schemas.number, accounting: schemas.number },
    { description: 'Of the last five to ten seconds.' },
  ),
  drops: Type.With(mapOf(schemas.integer), { description: 'Of the last hour, by fault; empty for none.' }),
  coa: Type.Object(
    {
      ack: schemas.integer,
      nak: schemas.integer,
      no_answer: schemas.integer,
      p50_ms: nullable(schemas.integer),
      p99_ms: nullable(schemas.integer),
    },
    { description: `Of the last ${coaRemembered} Disconnect and CoA requests, those before a restart for a day.` },
  ),
  learned: Type.Object(
    { message_authenticator: learnt, proxy_state: learnt, interims: learnt },
    { description: 'What `auto` of the record has learned.' },
  ),
})

const unknownSchema = Type.Object({
  ip: schemas.text,
  packets: Type.Integer({ description: 'At least so many.' }),
  last_packet_at: schemas.moment,
  nas_id: Type.With(nullable(schemas.integer), {
    description: 'The record of this address that is switched off, or has another NAS-Identifier.',
  }),
})

const answerSchema = okObject({
  items: Type.Array(itemSchema),
  unknown: Type.Array(unknownSchema, {
    description:
      'Addresses that sent requests in the last hour and got no answer, because no enabled record has them; at most 100.',
  }),
  radius_auth_port: Type.Integer({ description: 'Where this node takes Access-Request.' }),
  radius_acct_port: Type.Integer({ description: 'Where it takes accounting.' }),
})

const doc = {
  tag: 'Network',
  summary: 'The health of every NAS, those that need somebody first',
  answers: { 200: { doc: 'Every NAS, and unknown addresses', schema: answerSchema } },
} as const satisfies RouteDoc
