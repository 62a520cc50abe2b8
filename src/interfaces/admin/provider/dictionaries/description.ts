import type { PoolClient } from 'pg'
import Type, { type TProperties } from 'typebox'
import type { Model } from '../../../../platform/records/model.ts'
import type { StoredRecord } from '../../../../platform/records/reads.ts'
import type { Steps } from '../../../../platform/records/record-writer.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { errorSchema } from '../../../../platform/http/schemas.ts'
import { bodySchema, recordSchema } from '../../../../platform/records/schema.ts'
import { answers, refusals } from '../../doors.ts'
import { pageAnswers, pageParameters } from '../../paging.ts'

/** A table that the web admin edits: a model with its order and the rules for writing it. */
export type Dictionary = {
  /** The name `fin_types` is found at `/admin/dictionary/fin_types_crud/`. */
  readonly model: Model
  /** Another address of the list, where the specification names one. */
  readonly listedAt?: string
  /** Left out: ids are positive. */
  readonly readId?: (sent: unknown) => number | null
  /** ORDER BY over the row `this`; the key follows. */
  readonly order: string
  /** The text that `?q=` looks in, over the row `this`. */
  readonly searched: string
  readonly isOrderUnique?: true
  readonly steps?: Steps
  /** Further members of the answer to a save, such as a warning about a value that was stored all the same. */
  readonly remarks?: (client: PoolClient, record: StoredRecord) => Promise<StoredRecord>
  readonly remarkSchemas?: TProperties
  /** Further members of a refusal. */
  readonly refusalSchemas?: TProperties
}

type Docs = Readonly<Record<'list' | 'one' | 'create' | 'change' | 'remove', RouteDoc>>

const known = new WeakMap<Model, Docs>()

/** What the OpenAPI document says about the routes of a dictionary; put together once in the process. */
export function docsOf(dictionary: Dictionary): Docs {
  const { model } = dictionary
  const docs = known.get(model) ?? newDocsOf(dictionary)
  known.set(model, docs)
  return docs
}

function newDocsOf({ model, remarkSchemas, refusalSchemas }: Dictionary): Docs {
  const { name, doc } = model
  const tag = 'Dictionaries'
  const shown = recordSchema(model)
  const body = bodySchema(model)
  const refusalSchema = Type.Object({ ...errorSchema.properties, ...refusalSchemas })
  const wrong = { 400: { doc: 'A wrong or missing field, or a refusal in words', schema: refusalSchema } }
  const notFound = refusals({ 404: 'There is no such record, or it is of another organization' })
  const saved = { ...answers('The record', { ...shown.properties, ...remarkSchemas }), ...wrong }
  return {
    list: {
      tag,
      summary: `${doc}: list`,
      query: { q: { doc: 'Text to look for' }, ...pageParameters },
      answers: pageAnswers(shown),
    },
    one: { tag, summary: `${doc}: one record`, answers: { ...answers('The record', shown.properties), ...notFound } },
    create: { tag, summary: `${doc}: create`, body, answers: saved },
    change: {
      tag,
      summary: `${doc}: change`,
      description:
        'Fields that are left out stay as they are. With _delete it is deleted, as by DELETE, and answered as it was',
      body: Type.Partial(Type.Object({ ...body.properties, _delete: Type.Boolean() })),
      answers: { ...saved, ...notFound },
    },
    remove: {
      tag,
      summary: `${doc}: delete`,
      description: `Refused while something uses the record of ${name}; the answer counts it`,
      answers: { ...answers('It is gone', {}), ...wrong, ...notFound },
    },
  }
}
