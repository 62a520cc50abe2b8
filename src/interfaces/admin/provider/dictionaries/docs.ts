import {
  type JsonSchema,
  listSchema,
  nullableSchema,
  objectSchema,
  okSchema,
  type RouteDoc,
  schemas,
} from '../../../../platform/http/route-doc.ts'
import { pageParameters } from '../../paging.ts'
import type { Dictionary, Field } from './description.ts'

type Docs = Readonly<Record<'list' | 'one' | 'create' | 'change' | 'remove', RouteDoc>>

/** What the OpenAPI document says about the doors of a dictionary. */
export function docsOf(dictionary: Dictionary): Docs {
  const { name, doc } = dictionary
  const tag = 'Dictionaries'
  const shown = { id: schemas.integer, ...shownSchemas(dictionary) }
  const record = { 200: { doc: 'The record', schema: okSchema(shown) } }
  const wrong = { doc: 'A wrong or missing field, or a refusal in words', schema: errorSchema }
  const missing = { doc: 'There is no such record, or it is of another organization', schema: errorSchema }
  return {
    list: {
      tag,
      summary: `${doc}: list`,
      query: { q: { doc: 'Text to look for' }, ...pageParameters },
      answers: {
        200: {
          doc: 'One page',
          schema: okSchema({
            items: listSchema(objectSchema(shown)),
            total: schemas.integer,
            has_more: schemas.boolean,
          }),
        },
      },
    },
    one: { tag, summary: `${doc}: one record`, answers: { ...record, 404: missing } },
    create: {
      tag,
      summary: `${doc}: create`,
      body: bodySchema(dictionary, true),
      isFormToo: true,
      answers: { ...record, 400: wrong },
    },
    change: {
      tag,
      summary: `${doc}: change`,
      description: 'Fields that are left out stay as they are',
      body: bodySchema(dictionary, false),
      isFormToo: true,
      answers: { ...record, 400: wrong, 404: missing },
    },
    remove: {
      tag,
      summary: `${doc}: delete`,
      description: `Refused while something uses the record of ${name}; the answer counts it`,
      answers: { 200: { doc: 'It is gone', schema: okSchema() }, 400: wrong, 404: missing },
    },
  }
}

export const errorSchema = objectSchema({ ok: { const: false }, error: schemas.text })

function shownSchemas({ fields }: Dictionary): Record<string, JsonSchema> {
  const shown: Record<string, JsonSchema> = {}
  for (const field of fields) {
    if (field.shown === null) continue
    shown[field.name] = schemaOf(field)
    if (isTwin(field)) shown[`${field.name}_id`] = schemaOf(field)
  }
  return shown
}

function bodySchema({ fields }: Dictionary, isNew: boolean): JsonSchema {
  const written = fields.filter(({ kind }) => kind !== undefined)
  const optional = written.filter(({ isRequired }) => !(isNew && isRequired)).map(({ name }) => name)
  return objectSchema(Object.fromEntries(written.map((field) => [field.name, schemaOf(field)])), optional)
}

const isTwin = ({ refersTo, kind }: Field): boolean => refersTo !== undefined && kind?.cast === 'int8'

function schemaOf({ kind, schema, isNullable, doc }: Field): JsonSchema {
  const plain = kind?.schema ?? schema ?? schemas.any
  return { ...(isNullable ? nullableSchema(plain) : plain), description: doc }
}
