import Type, { type Static } from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { okObject, schemas } from '../../../platform/http/schemas.ts'
import type { ServerCheck } from '../../../platform/server/server-check.ts'
import { get } from '../doors.ts'

type Round = { readonly at: Date; readonly checks: readonly ServerCheck[] }

export type DoctorRouteParts = { readonly doctor: { look(): Promise<Round> } }

/** What `tollgate doctor` tells on the command line, of the program that answers (contract section 11). */
export const doctorRoutes = ({ doctor }: DoctorRouteParts): Route[] => [
  get('/admin/doctor', doc, async () => answer(await doctor.look()), {
    right: recordRights.setting.read,
    forAllOrganizations: true,
  }),
]

const answer = ({ at, checks }: Round): Reply =>
  json({
    ok: true,
    looked_at: at.toISOString(),
    checks: checks.map(({ name, state, sentence, russian }) => ({ name, state, says: { ru: russian, en: sentence } })),
  } satisfies Static<typeof answerSchema>)

const checkSchema = Type.Object({
  name: Type.String({ description: 'What was looked at; it stays the same' }),
  state: Type.Enum(['ok', 'warn', 'fail'], {
    description: 'fail: the program does not do its work, or soon will not; warn: it does, at a price',
  }),
  says: Type.Object({ ru: schemas.text, en: schemas.text }, { description: 'What was found, and what to do about it' }),
})

const answerSchema = okObject({ looked_at: schemas.moment, checks: Type.Array(checkSchema) })

const doc = {
  tag: 'Health',
  summary: 'What is set up wrongly, as `tollgate doctor` finds it',
  description:
    'Ports, limits, disk, key, certificate, a PostgreSQL of your own, NAS, the proof of the ledger, jobs, messages, payments and gateways, of the node that answers. It looks anew where it did not within ten seconds.',
  answers: { 200: { doc: 'Everything that was looked at', schema: answerSchema } },
} as const satisfies RouteDoc
