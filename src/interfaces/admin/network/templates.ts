import Type, { type Static } from 'typebox'
import { nasTypes, type TemplateLine } from '../../../domain/nas.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import { previewTemplate } from '../../../network/radius/template-preview.ts'
import { builtInTemplates } from '../../../network/radius/templates.ts'
import { templateParts } from '../../../network/radius/wire/answer-template.ts'
import { faultCodes } from '../../../network/radius/wire/attribute-fault.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { field } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { Nas } from '../../../platform/storage/entities/network.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { type PersistenceScope, reading } from '../../../platform/storage/transactions.ts'
import { readSentBody } from '../body.ts'
import { get, post, refusals } from '../doors.ts'
import { templateLines } from '../provider/dictionaries/nas-templates.ts'

type TemplateParts = PersistenceScope & { readonly settings: Pick<Settings, 'get'> }

/** What NAS without a template are told, and what one would tell. Templates are saved in their dictionary. */
export const nasTemplateRoutes = (parts: TemplateParts): Route[] => [
  get('/admin/radius/templates_json', listDoc, () => list(parts)),
  post('/admin/radius/templates_preview', previewDoc, (call) => preview(parts, call), {
    right: recordRights.nasTemplate.read,
    allowedReadOnly: true,
  }),
]

type NasRow = RowOf<typeof Nas, 'id' | 'name' | 'nas_type' | 'template_id' | 'enabled'>

async function list(parts: PersistenceScope): Promise<Reply> {
  const nas = await reading(parts, async (client) => {
    const text = 'SELECT id, name, nas_type, template_id, enabled FROM nas ORDER BY name, id'
    return (await client.query<NasRow>(text)).rows
  })
  return json({
    ok: true,
    built_in: nasTypes.map((type) => {
      const { accept, coa, garden } = builtInTemplates[type]
      return { nas_type: type, accept: [...accept], coa: [...coa], garden: [...garden] }
    }),
    nas: nas.map(({ id, name, nas_type, template_id, enabled }) => ({
      id: Number(id),
      name,
      nas_type,
      template: template_id === null ? null : Number(template_id),
      enabled,
    })),
  } satisfies Static<typeof listSchema>)
}

function preview({ settings }: TemplateParts, call: Call): Reply {
  const read = readSentBody(call, previewDoc.body.properties)
  if ('refused' in read) return read.refused
  const { accept = [], coa = [], garden = [], down_kbit = 0, up_kbit = 0, vlan = 0 } = read.values
  const places = { downKbit: down_kbit, upKbit: up_kbit, vlan, list: settings.get('LK_WALLED_GARDEN_LIST') }
  const shown = previewTemplate({ accept, coa, garden }, places)
  if (shown.kind === 'shown')
    return json({ ok: true, wrong: null, ...shown.packets } satisfies Static<typeof previewSchema>)
  const { kind, ...wrong } = shown
  return json({ ok: true, wrong, accept: [], garden: [], coa: [] } satisfies Static<typeof previewSchema>)
}

const lines = Type.Array(Type.Object({ name: schemas.text, value: Type.Union([schemas.text, Type.Number()]) }))
const type = Type.Enum([...nasTypes])

const listSchema = okObject({
  built_in: Type.Array(Type.Object({ nas_type: type, accept: lines, coa: lines, garden: lines })),
  nas: Type.Array(
    Type.Object({
      id: schemas.integer,
      name: schemas.text,
      nas_type: type,
      template: Type.With(nullable(schemas.integer), { description: 'Null: it is told what its type has built in.' }),
      enabled: schemas.boolean,
    }),
  ),
})

const listDoc: RouteDoc = {
  tag: 'Network',
  summary: 'The templates of answers that are built in, and the NAS with the template of each',
  answers: { 200: { doc: 'Both', schema: listSchema } },
}

const part = Type.Optional(field<TemplateLine[]>(lines, templateLines.must, templateLines.read))
/** `most` is what the attributes of a speed or a VLAN may hold. */
const number = (description: string, most: number) =>
  Type.Optional(
    field(Type.Integer({ minimum: 0, maximum: most, description }), `be a whole number from 0 to ${most}`, (sent) =>
      Number.isInteger(sent) && Number(sent) >= 0 && Number(sent) <= most ? Number(sent) : null,
    ),
  )
const shownLines = Type.Array(Type.Object({ name: schemas.text, value: schemas.text }))

const previewSchema = okObject({
  wrong: Type.With(
    nullable(
      Type.Object({
        part: Type.Enum([...templateParts]),
        line: Type.Integer({ description: 'Which of its lines, counted from 0' }),
        fault: schemas.text,
        code: Type.Enum([...faultCodes], { description: 'What is wrong, for who says it in other words' }),
        about: Type.Object({
          attribute: schemas.text,
          value: Type.Optional(Type.With(schemas.text, { description: 'What is wrong' })),
          names: Type.Optional(Type.With(schemas.text, { description: 'What would be right' })),
          most: Type.Optional(Type.Integer({ description: 'The largest number, or how many octets it may have' })),
          has: Type.Optional(Type.Integer({ description: 'How many octets it has' })),
        }),
      }),
    ),
    { description: 'The line that is wrong; null: none is' },
  ),
  accept: Type.With(shownLines, { description: 'Of an Access-Accept' }),
  garden: Type.With(shownLines, { description: 'Of an Access-Accept into the walled garden, as a whole' }),
  coa: Type.With(shownLines, { description: 'Of a CoA-Request' }),
})

const previewDoc = {
  tag: 'Network',
  summary: 'What a template of answers would tell a NAS',
  description: 'Nothing is stored. What the program, a login and its tariff write themselves is left out.',
  body: Type.Object({
    accept: part,
    coa: part,
    garden: part,
    down_kbit: number('Speed to the client; 0 or left out: without a limit', 0x7fff_ffff),
    up_kbit: number('Speed from the client', 0x7fff_ffff),
    vlan: number('VLAN of the login; 0 or left out: none', 4094),
  }),
  answers: {
    200: { doc: 'The attributes, or what is wrong', schema: previewSchema },
    ...refusals({ 400: 'A wrong field' }),
  },
} as const satisfies RouteDoc
