import type { TSchema } from 'typebox'
import { type ApiSection, securitySchemes, staffSecurity } from '../../platform/http/openapi.ts'
import { isAllowed, lookupNames } from '../../platform/records/filters.ts'
import { type Field, isFilterable, type Model } from '../../platform/records/model.ts'
import { limitDefault, limitMax } from '../../platform/records/paging.ts'
import { namesShown } from '../../platform/records/record-sql.ts'
import { bodySchema, recordSchema, valueSchema } from '../../platform/records/schema.ts'
import { hdskMessage, messageSchema } from './models/hdsk.ts'
import { models } from './models/index.ts'

type Json = Record<string, unknown>

/** A version of REST; both serve the same records. */
type Version = { readonly base: string; readonly suffix: string; readonly isV1: boolean }

const v2: Version = { base: '/rest_api/v2', suffix: '', isV1: false }
const v1: Version = { base: '/rest_api', suffix: 'V1', isV1: true }

/** The section on both versions of REST, for the document of the whole program. */
export function restSection(): ApiSection {
  return {
    description,
    tags: [
      ...models.map(({ name, doc }) => ({ name, description: doc })),
      ...models.map(({ name }) => ({
        name: `${name} (v1)`,
        description: 'The same records as JSON or XML; a list is {count, results}.',
      })),
    ],
    paths: { ...restPaths(v2), ...restPaths(v1) },
    schemas: restSchemas(),
    responses: { ...restResponses(v2), ...restResponses(v1) },
  }
}

/** The OpenAPI 3.1 document of REST v2, generated from the models that define it. */
export function openApi(publicUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate REST API v2', version: '2', description },
    servers: [{ url: publicUrl }],
    security: staffSecurity,
    tags: models.map(({ name, doc }) => ({ name, description: doc })),
    paths: restPaths(v2),
    components: {
      securitySchemes: { ...securitySchemes },
      schemas: restSchemas(),
      responses: restResponses(v2),
    },
  }
}

const description =
  'Money is an integer x 10^10, also beyond 2^53. Dates are ISO 8601. Unknown body fields and query parameters are ignored.'

const restSchemas = (): Json => ({
  ...Object.fromEntries(models.flatMap(schemasOf)),
  Detail: { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } },
  Errors: {
    type: 'object',
    description: 'Texts by field or parameter, or under non_field_errors.',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  },
})

const restPaths = (version: Version): Record<string, Json> =>
  Object.fromEntries(models.flatMap((model) => pathsOf(model, version)))

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The content types of a body; REST v1 has XML too. */
const contentOf = ({ isV1 }: Version, schema: object) => ({
  'application/json': { schema },
  ...(isV1 && { 'application/xml': { schema } }),
})

const refusalDocs = {
  '400': { name: 'Wrong', description: 'The request is wrong.', schema: { anyOf: [ref('Errors'), ref('Detail')] } },
  '401': { name: 'NotSignedIn', description: 'Not signed in.', schema: ref('Detail') },
  '403': { name: 'Forbidden', description: 'READ_ONLY_MODE, CSRF or rights.', schema: ref('Detail') },
  '404': { name: 'NotFound', description: 'There is no such record, or no such format.', schema: ref('Detail') },
  '409': { name: 'Conflict', description: 'The key was used before for something else.', schema: ref('Detail') },
  '413': { name: 'TooLarge', description: 'The body is larger than 1 MiB.', schema: ref('Detail') },
  '415': { name: 'UnsupportedType', description: 'The body is of a type that is not read.', schema: ref('Detail') },
  '503': { name: 'Unavailable', description: 'Ask again shortly.', schema: ref('Detail') },
} as const

type RefusalStatus = keyof typeof refusalDocs

const restResponses = (version: Version): Json =>
  Object.fromEntries(
    Object.values(refusalDocs).map(({ name, description, schema }) => [
      name + version.suffix,
      { description, content: contentOf(version, schema) },
    ]),
  )

/** The refusals that every operation can give, and those with the given statuses. */
const refusalsOf = ({ suffix }: Version, ...statuses: readonly RefusalStatus[]): Json =>
  Object.fromEntries(
    (['400', '401', '403', '503', ...statuses] as const).map((status) => [
      status,
      { $ref: `#/components/responses/${refusalDocs[status].name}${suffix}` },
    ]),
  )

const ofBodies = ['413', '415'] as const

const schemasOf = (model: Model): [string, unknown][] => [
  [model.name, recordSchema(model)],
  [`${model.name}Fields`, optionalFields(recordSchema(model))],
  [`${model.name}Create`, bodySchema(model)],
  [`${model.name}Change`, optionalFields(bodySchema(model))],
]

const optionalFields = (schema: TSchema): Json => {
  const { required: _, ...optional } = schema as Json
  return optional
}

/** The schema of a record, or of only the fields that the parameter `fields` names. */
const chosen = (name: string) => ({ anyOf: [ref(name), ref(`${name}Fields`)] })

function pathsOf(model: Model, version: Version): [string, Json][] {
  const list = `${version.base}/${model.name}/`
  const paths: [string, Json][] = [
    [list, listOperations(model, version)],
    [`${list}{id}/`, recordOperations(model, version)],
  ]
  return model.name === 'Hdsk' ? [...paths, hdskMessagesPath(version)] : paths
}

function listOperations(model: Model, version: Version): Json {
  const { name } = model
  const { suffix, isV1 } = version
  const tags = tagsOf(name, version)
  const ofFormat = isV1 ? (['404'] as const) : []
  const isMoney = name === 'FinanceOperations'
  return {
    get: {
      tags,
      operationId: `list${name}${suffix}`,
      description: `${model.doc} ${lookupDoc}`,
      parameters: [...listParameters(model), ifNoneMatch, ...formatOf(version)],
      responses: {
        ...tagged(answerOf(version, 'One page.', pageSchema(name, isV1))),
        ...refusalsOf(version, ...ofFormat),
      },
    },
    post: {
      tags,
      operationId: `create${name}${suffix}`,
      parameters: [...(isMoney ? [idempotencyKey] : []), ...formatOf(version)],
      requestBody: bodyOf(version, `${name}Create`),
      responses: {
        '201': answerOf(version, 'The new record.', ref(name)),
        ...refusalsOf(version, ...ofBodies, ...ofFormat, ...ofKeys(name)),
        ...(isMoney && { '200': answerOf(version, 'The movement was taken before, this is its record.', ref(name)) }),
      },
    },
    options: { ...metadataOf(name, version), operationId: `describe${name}${suffix}` },
  }
}

function recordOperations({ name }: Model, version: Version): Json {
  const { suffix } = version
  const tags = tagsOf(name, version)
  const change = {
    tags,
    requestBody: bodyOf(version, `${name}Change`),
    responses: {
      '200': answerOf(version, 'The changed record.', ref(name)),
      ...refusalsOf(version, ...ofBodies, '404', ...ofKeys(name)),
    },
  }
  return {
    parameters: [idParameter],
    get: {
      tags,
      operationId: `get${name}${suffix}`,
      parameters: [fieldsParameter, ifNoneMatch, ...formatOf(version)],
      responses: { ...tagged(answerOf(version, 'The record.', chosen(name))), ...refusalsOf(version, '404') },
    },
    put: { ...change, operationId: `put${name}${suffix}`, description: 'A partial body is accepted.' },
    patch: { ...change, operationId: `patch${name}${suffix}` },
    delete: {
      tags,
      operationId: `delete${name}${suffix}`,
      responses: { '204': { description: 'Deleted.' }, ...refusalsOf(version, '404') },
    },
    options: { ...metadataOf(name, version), operationId: `describeOne${name}${suffix}` },
  }
}

const tagsOf = (name: string, { isV1 }: Version): string[] => [`${name}${isV1 ? ' (v1)' : ''}`]

const formatOf = ({ isV1 }: Version): object[] => (isV1 ? [formatParameter] : [])

const ofKeys = (name: string) => (name === 'FinanceOperations' ? (['409'] as const) : [])

const answerOf = (version: Version, description: string, schema: object): Json => ({
  description,
  content: contentOf(version, schema),
})

const bodyOf = (version: Version, name: string): Json => ({ required: true, content: contentOf(version, ref(name)) })

const metadataOf = (name: string, version: Version): Json => ({
  tags: tagsOf(name, version),
  description: 'Fields, their types and bounds, as Django REST framework tells them.',
  responses: { '200': answerOf(version, 'Metadata.', { type: 'object' }), ...refusalsOf(version, '404') },
})

/** The answers to a conditional GET. */
const tagged = (found: object) => {
  const headers = { ETag: { description: 'Another one whenever the body is.', schema: { type: 'string' } } }
  return { '200': { ...found, headers }, '304': { description: 'The body of this ETag is still the answer.', headers } }
}

const lookupDoc = `Every filter parameter also takes lookups as a suffix: ${lookupNames.map((name) => `__${name}`).join(', ')}. Paths lead through relations: account__ostatok__lt. A filter or an order that no index serves reads all records: of a million that takes up to some seconds, and what takes too long is answered with 503 and wants to be narrowed down.`

const inQuery = (name: string, description: string, schema: object = { type: 'string' }) =>
  ({ name, in: 'query', description, schema }) as const
const inHeader = (name: string, description: string, schema: object = { type: 'string' }) =>
  ({ name, in: 'header', description, schema }) as const

const idParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const fieldsParameter = inQuery('fields', 'Names of the only fields to return, separated by commas.')
const idempotencyKey = inHeader(
  'Idempotency-Key',
  'Same key, same body: the first answer again. Same key, other body: 409.',
  { type: 'string', maxLength: 255 },
)
const ifNoneMatch = inHeader(
  'If-None-Match',
  'ETags that the caller holds; 304 without a body if one of them is that of the answer.',
)
const format = { type: 'string', enum: ['json', 'xml'], default: 'json' }
const formatParameter = inQuery('format', 'Of the answer; Accept: application/xml asks for XML too.', format)

const reserved: ReadonlySet<string> = new Set(['limit', 'offset', 'ordering', 'fields'])

const listParameters = (model: Model): object[] => [
  inQuery('limit', 'Records of a page.', { type: 'integer', minimum: 1, maximum: limitMax, default: limitDefault }),
  inQuery('offset', 'Records to skip.', { type: 'integer', minimum: 0, default: 0 }),
  inQuery('ordering', 'Fields separated by commas, - for descending.'),
  fieldsParameter,
  ...model.fields.filter(isFilterable).flatMap(filterParameters),
]

const filterParameters = (field: Field): object[] =>
  namesShown(field).map((name) => {
    const lookups = lookupNames.filter((lookup) => isAllowed(lookup, field.kind)).join(', ')
    const description = `${field.doc} Lookups: ${lookups}.`
    return inQuery(reserved.has(name) ? `${name}__exact` : name, description, withoutBounds(valueSchema(field)))
  })

/** The schema without its bounds, because a filter may look for any value of the type. */
function withoutBounds(schema: object): object {
  const { type, format, enum: choices } = schema as { type?: unknown; format?: string; enum?: unknown }
  return { type, ...(format && { format }), ...(choices ? { enum: choices } : {}) }
}

const pageSchema = (name: string, isV1: boolean) => ({
  type: 'object',
  required: isV1 ? ['count', 'results'] : ['count', 'next', 'previous', 'results'],
  properties: {
    count: { type: 'integer' },
    ...(!isV1 && { next: link, previous: link }),
    results: { type: 'array', items: chosen(name) },
  },
})

const link = { type: ['string', 'null'], format: 'uri' }

const hdskMessagesPath = (version: Version): [string, Json] => [
  `${version.base}/Hdsk/{id}/messages/`,
  {
    parameters: [idParameter],
    post: {
      tags: tagsOf('Hdsk', version),
      operationId: `createHdskMessage${version.suffix}`,
      requestBody: { required: true, content: { 'application/json': { schema: bodySchema(hdskMessage) } } },
      responses: {
        '201': answerOf(version, 'The message.', messageSchema),
        ...refusalsOf(version, ...ofBodies, '404'),
      },
    },
  },
]
