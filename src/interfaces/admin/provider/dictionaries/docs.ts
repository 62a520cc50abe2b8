import Type from 'typebox'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { errorSchema, okObject } from '../../../../platform/http/schemas.ts'
import { bodySchema, recordSchema } from '../../../../platform/records/schema.ts'
import { pageAnswers, pageParameters } from '../../paging.ts'
import type { Dictionary } from './description.ts'

type Docs = Readonly<Record<'list' | 'one' | 'create' | 'change' | 'remove', RouteDoc>>

/** What the OpenAPI document says about the routes of a dictionary. */
export function docsOf({ model, remarkSchemas, refusalSchemas }: Dictionary): Docs {
  const { name, doc } = model
  const tag = 'Dictionaries'
  const shown = recordSchema(model)
  const body = bodySchema(model)
  const record = { 200: { doc: 'The record', schema: okObject(shown.properties) } }
  const saved = { 200: { doc: 'The record', schema: okObject({ ...shown.properties, ...remarkSchemas }) } }
  const refusalSchema = Type.Object({ ...errorSchema.properties, ...refusalSchemas })
  const wrong = { doc: 'A wrong or missing field, or a refusal in words', schema: refusalSchema }
  const notFound = { doc: 'There is no such record, or it is of another organization', schema: errorSchema }
  return {
    list: {
      tag,
      summary: `${doc}: list`,
      query: { q: { doc: 'Text to look for' }, ...pageParameters },
      answers: pageAnswers(shown),
    },
    one: { tag, summary: `${doc}: one record`, answers: { ...record, 404: notFound } },
    create: {
      tag,
      summary: `${doc}: create`,
      body,
      isFormToo: true,
      answers: { ...saved, 400: wrong },
    },
    change: {
      tag,
      summary: `${doc}: change`,
      description: 'Fields that are left out stay as they are',
      body: Type.Partial(body),
      isFormToo: true,
      answers: { ...saved, 400: wrong, 404: notFound },
    },
    remove: {
      tag,
      summary: `${doc}: delete`,
      description: `Refused while something uses the record of ${name}; the answer counts it`,
      answers: { 200: { doc: 'It is gone', schema: okObject() }, 400: wrong, 404: notFound },
    },
  }
}
