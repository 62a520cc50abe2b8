import Type, { type TSchema } from 'typebox'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../../platform/http/schemas.ts'
import { pageParameters } from '../../paging.ts'
import type { Dictionary, Field } from './description.ts'

type Docs = Readonly<Record<'list' | 'one' | 'create' | 'change' | 'remove', RouteDoc>>

/** What the OpenAPI document says about the doors of a dictionary. */
export function docsOf(dictionary: Dictionary): Docs {
  const { name, doc } = dictionary
  const tag = 'Dictionaries'
  const shown = { id: schemas.integer, ...shownSchemas(dictionary) }
  const record = { 200: { doc: 'The record', schema: okObject(shown) } }
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
          schema: okObject({
            items: Type.Array(Type.Object(shown)),
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
      answers: { 200: { doc: 'It is gone', schema: okObject() }, 400: wrong, 404: missing },
    },
  }
}

export const errorSchema = Type.Object({ ok: Type.Literal(false), error: schemas.text })

function shownSchemas({ fields }: Dictionary): Record<string, TSchema> {
  const shown: Record<string, TSchema> = {}
  for (const field of fields) {
    if (field.shown === null) continue
    shown[field.name] = schemaOf(field)
    if (isTwin(field)) shown[`${field.name}_id`] = schemaOf(field)
  }
  return shown
}

function bodySchema({ fields }: Dictionary, isNew: boolean): TSchema {
  const written = fields.filter(({ kind }) => kind !== undefined)
  const isNeeded = ({ isRequired }: Field) => isNew && isRequired
  return Type.Object(
    Object.fromEntries(
      written.map((field) => [field.name, isNeeded(field) ? schemaOf(field) : Type.Optional(schemaOf(field))]),
    ),
  )
}

const isTwin = ({ refersTo, kind }: Field): boolean => refersTo !== undefined && kind?.cast === 'int8'

function schemaOf({ kind, schema, isNullable, doc }: Field): TSchema {
  const plain = kind?.schema ?? schema ?? schemas.any
  return Type.With(isNullable ? nullable(plain) : plain, { description: doc })
}
