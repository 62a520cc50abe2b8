import Type from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal, refusalText } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { mapOf, schemas } from '../../../platform/http/schemas.ts'
import { privateAddressesVariable } from '../../../platform/outgoing/destinations.ts'
import * as kind from '../../../platform/settings/kinds.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { type Fields, readBody } from '../body.ts'
import { answers, get, post } from '../doors.ts'

const path = '/admin/settings/system'

/** The settings of the business (contract section 2). A change takes effect before the answer. */
export const settingRoutes = (settings: Settings): Route[] => [
  get(path, listDoc, () => json({ ok: true, settings: settings.list() }), {
    right: recordRights.setting.read,
  }),
  // Switching the mode off is the only change the mode allows, which the handler checks.
  post(path, changeDoc, (call) => change(settings, call), {
    right: recordRights.setting.change,
    forAllOrganizations: recordRights.setting.isShared,
    allowedReadOnly: true,
  }),
]

async function change(settings: Settings, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  // The catalogue of settings reads them: it documents and checks each by its kind.
  const values = body.fields
  if (settings.get('READ_ONLY_MODE') && !isSwitchingOff(values)) return refusal('admin', 403, refusalText.readOnly)
  const entrance = call.staff?.byToken ? entrances.find((name) => Object.hasOwn(values, name)) : undefined
  if (entrance !== undefined)
    return refusal('admin', 403, `An API token does not set ${entrance}; sign in with name and password.`)
  const outcome = await setAudited(settings, call, values)
  if ('errors' in outcome) {
    const sentences = Object.entries(outcome.errors).map(([name, text]) => `${name}: ${text}`)
    return json({ ok: false, error: sentences.join(' '), errors: outcome.errors }, 400)
  }
  return json({ ok: true, changed: outcome.changed, settings: settings.list() })
}

/** With these, who has stolen a token would open a way in that does not end with it. */
const entrances = ['SYSTEM_API_PASSWORD', 'SYSTEM_API_ALLOW', 'STAFF_SECOND_FACTOR'] as const

const isSwitchingOff = (values: Fields): boolean =>
  Object.keys(values).join() === 'READ_ONLY_MODE' && kind.boolean.read(values.READ_ONLY_MODE) === false

/** All of the values or none, each change with its audit. */
export const setAudited = (settings: Settings, call: Call, values: Fields) =>
  settings.set(values, async (client, changes) => {
    const entry = { author: authorOf(call), table: 'SYSTEM_SETTINGS', action: 'change', organizationId: null } as const
    for (const { name, before, after } of changes)
      await writeAudit(client, { ...entry, id: name, diff: { value: [before, after] } })
  })

export const valueSchema = Type.Unsafe<boolean | number | string>({ type: ['boolean', 'number', 'string'] })

/** A setting as it is shown to callers. */
export const settingSchema = Type.Object({
  name: schemas.text,
  value: Type.With(valueSchema, { description: 'Of a secret *** where there is one' }),
  default: valueSchema,
  type: Type.Enum(['boolean', 'integer', 'decimal', 'string']),
  description: schemas.text,
  secret: schemas.boolean,
  choices: Type.Optional(Type.Array(schemas.text)),
})

/** For the OpenAPI document. */
export const addressRule = `A new address of a gateway wants its secret again in the same request, and must be public unless ${privateAddressesVariable} lists it.`

const listDoc: RouteDoc = {
  tag: 'Settings',
  summary: 'Every business setting',
  answers: answers('All of them', { settings: Type.Array(settingSchema) }),
}

const changeDoc: RouteDoc = {
  tag: 'Settings',
  summary: 'Change settings, all or none of those sent',
  description: `A secret sent back as *** stays as it is. ${addressRule} While READ_ONLY_MODE is on, only switching it off is taken.`,
  body: mapOf(valueSchema),
  answers: answers(
    'They are in effect',
    { changed: Type.Array(schemas.text), settings: Type.Array(settingSchema) },
    { 400: 'A value is wrong or a name unknown; nothing has changed' },
  ),
}
