import Type from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal, refusalText } from '../../../platform/http/errors.ts'
import { someText } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { mapOf, nullable, schemas } from '../../../platform/http/schemas.ts'
import { privateAddressesVariable } from '../../../platform/outgoing/destinations.ts'
import { settingNames } from '../../../platform/settings/catalog.ts'
import * as kind from '../../../platform/settings/kinds.ts'
import { addressErrors, type Settings } from '../../../platform/settings/settings.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { type Fields, readBody, readQuery } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { shapeOf } from '../shapes.ts'

const path = '/admin/settings/system'

/** The settings of the business (contract section 2). A change takes effect before the answer. */
export const settingRoutes = (scope: TransactionScope, settings: Settings): Route[] => [
  get(path, listDoc, () => json({ ok: true, settings: settings.list() }), {
    right: recordRights.setting.read,
  }),
  // Switching the mode off is the only change the mode allows, which the handler checks.
  post(path, changeDoc, (call) => change(settings, call), {
    right: recordRights.setting.change,
    forAllOrganizations: recordRights.setting.isShared,
    allowedReadOnly: true,
  }),
  get('/admin/settings/changes', changesDoc, (call) => listChanges(scope, call), {
    right: recordRights.setting.read,
    forAllOrganizations: true,
  }),
]

/** The last change of every setting, or the latest of one. */
async function listChanges(scope: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(changesDoc.query, call.query)
  if ('refused' in read) return read.refused
  const { name } = read.values
  const [distinct, order] = name === undefined ? ['DISTINCT ON (object_id)', 'object_id, '] : ['', '']
  const items = await reading(scope, async (client) => {
    const { rows } = await client.query(
      `SELECT ${distinct} ${changeSql} FROM audit_operations AS change
        WHERE table_name = 'SYSTEM_SETTINGS' AND action = 'change' AND ($1::text IS NULL OR object_id = $1)
        ORDER BY ${order}at DESC, id DESC LIMIT ${changesMax}`,
      [name ?? null],
    )
    return rows.map(({ item }) => item)
  })
  return json({ ok: true, items })
}

const changesMax = 500

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
  if ('errors' in outcome) return wrongValues(outcome.errors)
  return json({ ok: true, changed: outcome.changed, settings: settings.list() })
}

/** The refusal of wrong values: in words, and a code for each. */
export function wrongValues(errors: Readonly<Record<string, string>>): Reply {
  const error = Object.entries(errors)
    .map(([name, text]) => `${name}: ${text}`)
    .join(' ')
  const codes = Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, codeOf(text)]))
  return json({ ok: false, error, code: 'wrong_field', errors, codes }, 400)
}

const codeOf = (text: string): string => {
  if (text === addressErrors.private) return 'private_address'
  return text === addressErrors.secretMissing ? 'secret_missing' : 'wrong_format'
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
  name: Type.Enum(settingNames),
  value: Type.With(valueSchema, { description: 'Of a secret *** where there is one' }),
  default: valueSchema,
  type: Type.Enum(['boolean', 'integer', 'decimal', 'string']),
  description: schemas.text,
  secret: schemas.boolean,
  must: Type.String({ description: 'What a value must be; completes “It must …”' }),
  format: Type.Enum(kind.formats, { description: 'The same for programs' }),
  choices: Type.Optional(Type.Array(schemas.text)),
  least: Type.Optional(schemas.integer),
  most: Type.Optional(schemas.integer),
})

/** For the OpenAPI document. */
export const addressRule = `A new address of a gateway wants its secret again in the same request, and must be public unless ${privateAddressesVariable} lists it.`

const [changeSchema, changeItem] = shapeOf('change', {
  name: [schemas.text, 'object_id'],
  at: schemas.moment,
  user: [nullable(schemas.text), 'user_name'],
  before: [Type.With(valueSchema, { description: 'Of a secret *** where there was one' }), `change.diff->'value'->0`],
  after: [valueSchema, `change.diff->'value'->1`],
})
const changeSql = `${changeItem} AS item`

const changesDoc = {
  tag: 'Settings',
  summary: 'Who changed which setting last, or every change of one',
  query: { name: { doc: 'The setting; left out: the last change of each', schema: someText(100) } },
  answers: answers('The latest first', { items: Type.Array(changeSchema) }),
} satisfies RouteDoc

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
