import Type, { type Static } from 'typebox'
import { readId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
import type { AccessPreview } from '../../../network/radius/access-preview.ts'
import { type NasProbe, probeResults } from '../../../network/radius/coa/nas-probe.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { isRefused, readSentBody, wrongInWords } from '../body.ts'
import { post, refusals } from '../doors.ts'

export type NasTestParts = {
  readonly access: { readonly nas: readonly NasEntry[] }
  readonly disconnects: { probe(nas: NasEntry): Promise<NasProbe> }
  readonly preview: Pick<AccessPreview, 'answer'>
  readonly clock: { now(): Date }
}

/** Asks a NAS whether it listens, and shows how it would be answered (contract section 8). */
export const nasTestRoutes = (parts: NasTestParts): Route[] => [
  post('/admin/radius/nas/:id/test', doc, (call) => test(parts, call)),
]

async function test({ access, disconnects, preview, clock }: NasTestParts, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  const nas = access.nas.find((one) => one.id === id)
  if (!nas) return notFoundReply()
  const read = readSentBody(call, doc.body.properties, { refuse: wrongInWords })
  if (isRefused(read)) return read.refused
  const { result, ms, errorCause } = await disconnects.probe(nas)
  const probe = { result, ms, error_cause: errorCause }
  const { login = '' } = read.values
  if (login === '') return json({ ok: true, probe } satisfies Answer)
  const visible = visibleTo(call)
  const decision = nas.enabled
    ? preview.answer(nas, login, clock.now(), (organization) => isVisible(visible, organization))
    : dropped
  return json({ ok: true, probe, decision } satisfies Answer)
}

const dropped: Static<typeof decisionSchema> = {
  result: 'dropped',
  reason: 'the NAS is disabled',
  code: null,
  attributes: [],
}

const decisionSchema = Type.Object(
  {
    result: Type.Enum(['accept', 'reject', 'dropped'], {
      description: 'dropped: the record of the NAS is disabled, so its requests get no answer.',
    }),
    reason: Type.With(nullable(schemas.text), {
      description:
        'Why it is rejected, as in the log of rejections, or why the login is in the walled garden; null for an accept without limits.',
    }),
    code: Type.With(nullable(schemas.text), {
      description: 'Of the reason, the word by which the log of sign-ins (`GET /admin/radius/log/`) knows it.',
    }),
    attributes: Type.Array(Type.Object({ name: schemas.text, value: schemas.text }), {
      description:
        'In the order of the packet, with the names and values that radius_reply takes. Encrypted values are masked; Message-Authenticator, Class and the keys of MS-CHAP are left out.',
    }),
  },
  { description: 'Only with `login`.' },
)

const answerSchema = okObject({
  probe: Type.Object({
    result: Type.Enum([...probeResults], {
      description:
        'answered: the NAS listens and knows our secret. no_answer: nothing came within three seconds; a NAS with another secret is silent too. wrong_secret: an answer came that is signed with another secret. refused: nothing listens at its CoA port. no_address: the record is of a network without coa_ip. stopped: the program is stopping.',
    }),
    ms: Type.Integer({ description: 'Milliseconds until the answer, or until it was given up.' }),
    error_cause: Type.With(nullable(schemas.integer), {
      description: 'Error-Cause of the answer (RFC 5176 section 3.6); 503 is the one to expect.',
    }),
  }),
  decision: Type.Optional(decisionSchema),
})
type Answer = Static<typeof answerSchema>

const doc = {
  tag: 'Network',
  summary: 'Try a NAS: whether it listens for Disconnect and CoA, and how a login would be answered there',
  description:
    'The NAS is asked to disconnect a session that does not exist. With `login` the answer to an Access-Request with the right password and without Calling-Station-Id is shown too. Nothing is stored and no pool address is taken.',
  body: Type.Object({
    login: Type.Optional(Type.With(text(253), { description: 'The User-Name as this NAS sends it.' })),
  }),
  answers: {
    200: { doc: 'What was found', schema: answerSchema },
    ...refusals({ 400: 'A wrong login', 404: 'There is no such NAS' }),
  },
} as const satisfies RouteDoc
