import type { Door, Route } from '../../../../platform/http/call.ts'
import type { AnswerDoc, JsonSchema, ParameterDoc, RouteDoc } from '../../../../platform/http/route-doc.ts'
import { models } from '../../../rest/models/index.ts'
import {
  restDoc,
  restPaths,
  restResponses,
  restSchemas,
  restV1,
  restV2,
  securitySchemes,
  signedIn,
} from '../../../rest/openapi.ts'

type Json = Record<string, unknown>

export type DocumentParts = { readonly routes: readonly Route[]; readonly publicUrl: string; readonly version: string }

/** OpenAPI 3.1 of every JSON door: REST by the descriptions of the models, all others by what their routes say. */
export function wholeDocument({ routes, publicUrl, version }: DocumentParts): Json {
  const described = routes.filter((route): route is Described => route.doc !== undefined)
  const paths: Record<string, Json> = { ...restPaths(models, restV2), ...restPaths(models, restV1) } as Record<
    string,
    Json
  >
  for (const route of described) {
    const path = addressOf(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  const undescribed = routes.filter(
    (route) => isJson(route) && !paths[addressOf(route.path)]?.[route.method.toLowerCase()],
  )
  const chapters = [...new Set(described.map(({ doc }) => doc.tag))].sort()
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version, description: `${restDoc} ${adminDoc}` },
    servers: [{ url: publicUrl }],
    security: signedIn,
    tags: [
      ...chapters.map((name) => ({ name })),
      ...models.map(({ name, doc }) => ({ name, description: doc })),
      ...models.map(({ name }) => ({
        name: `${name} (v1)`,
        description: 'The same records as JSON or XML; a list is {count, results}.',
      })),
    ],
    paths,
    ...(undescribed.length > 0 && { 'x-undescribed': undescribed.map(({ method, path }) => `${method} ${path}`) }),
    components: {
      securitySchemes,
      schemas: { ...restSchemas(models), Refusal: refusalSchema, SystemRefusal: systemRefusalSchema },
      responses: restResponses,
    },
  }
}

/** Those of clients are pages. Public doors without a description are pages too: the form of the sign-in and the way out. `*` takes what no door is for. */
const isJson = ({ door, path }: Route): boolean =>
  !pageDoors.includes(door) && door !== 'public' && door !== 'soap' && !path.includes('*')

const pageDoors: readonly Door[] = ['page', 'client', 'guest']

export type Described = Route & { readonly doc: RouteDoc }

const adminDoc =
  'Doors under /admin carry rubles as decimal strings and refuse with {ok: false, error}. A write that carries the session cookie needs the ' +
  'header X-CSRFToken and a Referer or Origin of our own.'

const refusalSchema = {
  type: 'object',
  required: ['ok', 'error'],
  properties: { ok: { const: false }, error: { type: 'string' } },
}

export const systemRefusalSchema = {
  type: 'object',
  required: ['status', 'error', 'message'],
  properties: { status: { const: 'error' }, error: { type: 'string' }, message: { type: 'string' } },
}

/** `/admin/x/:id` as `/admin/x/{id}/`; a name with an ending is a file and has no slash after it. */
export const addressOf = (path: string): string => {
  const address = path.replace(/[:*](\w+)/g, '{$1}')
  return /\.\w+$/.test(address) || address.endsWith('/') ? address : `${address}/`
}

export function operationOf({ method, path, door, doc }: Described): Json {
  const names = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!)
  const parameters = [
    ...names.map((name) =>
      parameterOf('path', name, { doc: name, ...idSchema(name), ...doc.params?.[name], required: true }),
    ),
    ...Object.entries(doc.query ?? {}).map(([name, said]) => parameterOf('query', name, said)),
    ...Object.entries(doc.headers ?? {}).map(([name, said]) => parameterOf('header', name, said)),
  ]
  return {
    tags: [doc.tag],
    summary: doc.summary,
    operationId: `${method.toLowerCase()}${path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    ...(doc.description && { description: doc.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(doc.body && { requestBody: { required: true, content: contentOf(doc.body, doc.isFormToo ?? false) } }),
    ...((door === 'public' || door === 'system' || door === 'client' || door === 'app') && { security: [] }),
    ...(door === 'mobile' && { security: [{ phone: [] }] }),
    responses: responsesOf(door, doc),
  }
}

const idSchema = (name: string): { schema?: JsonSchema } =>
  name === 'id' || name.endsWith('_id') ? { schema: { type: 'integer' } } : {}

const parameterOf = (place: string, name: string, { doc, schema, required }: ParameterDoc): Json => ({
  name,
  in: place,
  description: doc,
  ...(required && { required }),
  schema: schema ?? { type: 'string' },
})

const contentOf = (schema: JsonSchema, isFormToo: boolean): Json => ({
  'application/json': { schema },
  ...(isFormToo && { 'application/x-www-form-urlencoded': { schema } }),
})

function responsesOf(door: Door, { answers = { 200: { doc: 'Done', schema: {} } } }: RouteDoc): Json {
  const told = Object.entries(answers).map(([status, said]): [string, Json] => [status, responseOf(said)])
  return { ...refusalsOf(door), ...Object.fromEntries(told) }
}

const responseOf = ({ doc, schema, contentType }: AnswerDoc): Json => ({
  description: doc,
  ...(contentType
    ? { content: { [contentType]: { schema: schema ?? { type: 'string' } } } }
    : schema && { content: { 'application/json': { schema } } }),
})

const refusalSchemas = {
  rest: 'Detail',
  admin: 'Refusal',
  page: 'Refusal',
  system: 'SystemRefusal',
  mobile: 'SystemRefusal',
  client: null,
  guest: null,
  public: null,
  app: 'SystemRefusal',
  soap: null,
} as const satisfies Record<Door, string | null>

/** What the gate answers in the words of each door. */
function refusalsOf(door: Door): Json {
  const schema = refusalSchemas[door]
  if (schema === null) return {}
  const refusal = (description: string): Json => ({
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  })
  return {
    ...(door !== 'system' && door !== 'app' && { 401: refusal('Not signed in.') }),
    403: refusal(door === 'system' ? 'Closed, off the list, or a wrong password.' : 'READ_ONLY_MODE, CSRF or rights.'),
    503: refusal('Ask again shortly.'),
  }
}
