import Type, { type Static } from 'typebox'
import { nasTypes } from '../../../domain/nas.ts'
import { builtInTemplates } from '../../../network/radius/templates.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { preferredLanguage } from '../../../platform/http/languages.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import type { Nas } from '../../../platform/storage/entities/network.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { type PersistenceScope, reading } from '../../../platform/storage/transactions.ts'
import { get } from '../doors.ts'
import { AdminPage } from '../pages.ts'
import { pageWords, scriptWords } from './templates-words.ts'

/**
 * `/admin/radius/templates/`: the page on which operators read and edit templates of answers and try a NAS. Templates
 * are saved through their dictionary.
 */
export const nasTemplateRoutes = (parts: PersistenceScope): Route[] => [
  ...page.routes('/admin/radius/templates', show),
  get('/admin/radius/templates_json', doc, () => list(parts)),
]

const page = new AdminPage(new URL('./templates/', import.meta.url), 'templates')

function show(call: Call): Reply {
  const language = preferredLanguage(call.header('accept-language'))
  return page.show(call, { ...pageWords[language], words: JSON.stringify(scriptWords[language]) }, language)
}

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
  } satisfies Answer)
}

const lines = Type.Array(Type.Object({ name: schemas.text, value: Type.Union([schemas.text, Type.Number()]) }))
const type = Type.Enum([...nasTypes])

const answerSchema = okObject({
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
type Answer = Static<typeof answerSchema>

const doc: RouteDoc = {
  tag: 'Network',
  summary: 'The templates of answers that are built in, and the NAS with the template of each',
  answers: { 200: { doc: 'Both', schema: answerSchema } },
}
