import Type, { type TSchema } from 'typebox'
import type { Door, Route } from './call.ts'
import type { AnswerDoc, ParameterDoc, RouteDoc } from './route-doc.ts'

type Json = Record<string, unknown>

/** A section of the OpenAPI document that an interface generates as a whole instead of route by route. */
export type ApiSection = {
  /** A part of the introduction of the document. */
  readonly description: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The operations of each path by method. */
  readonly paths: Readonly<Record<string, Json>>
  readonly schemas: Json
  readonly responses: Json
}

/** The security requirements of routes for staff. */
export const staffSecurity = [{ session: [] }, { sessionHeader: [] }, { token: [] }]

export const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
  sessionHeader: { type: 'apiKey', in: 'header', name: 'X-Session-Hash' },
  token: { type: 'http', scheme: 'bearer', description: 'An API token of /admin/settings/tokens/.' },
  phone: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of /mobile-api/v1/auth/login.',
  },
} as const

export type Described = Route & { readonly doc: RouteDoc }

export const isDescribed = (route: Route): route is Described => route.doc !== undefined

/** A refusal with a code: `error` is stable and for programs, `message` is for people. */
export const systemRefusalSchema = Type.Object({
  status: Type.Literal('error'),
  error: Type.String(),
  message: Type.String(),
})

/** Converts `/admin/x/:id` to `/admin/x/{id}/`. A path that ends in a file name gets no trailing slash. */
export const addressOf = (path: string): string => {
  const address = path.replace(/[:*](\w+)/g, '{$1}')
  return /\.\w+$/.test(address) || address.endsWith('/') ? address : `${address}/`
}

/** The operation object of a route (OpenAPI 3.1 section 4.8.10). */
export function operationOf({ method, path, door, doc, screen }: Described): Json {
  const names = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!)
  const parameters = [
    ...names.map((name) =>
      parameterOf('path', name, { doc: name, ...idSchema(name), ...doc.params?.[name], required: true }),
    ),
    ...Object.entries(doc.query ?? {}).map(([name, parameter]) => parameterOf('query', name, parameter)),
    ...Object.entries(doc.headers ?? {}).map(([name, parameter]) => parameterOf('header', name, parameter)),
  ]
  return {
    tags: [doc.tag],
    summary: doc.summary,
    operationId: `${method.toLowerCase()}${path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    ...(doc.description && { description: doc.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(doc.body && { requestBody: { required: true, content: contentOf(doc.body, doc.isFormToo ?? false) } }),
    ...(doc.fileTypes && { requestBody: { required: true, content: filesOf(doc.fileTypes) } }),
    ...((door === 'public' || door === 'system' || door === 'client' || door === 'app') && { security: [] }),
    ...(door === 'mobile' && { security: [{ phone: [] }] }),
    responses: {
      ...(screen && { 302: { description: 'Opened in a window of a browser: to the page that shows it.' } }),
      ...responsesOf(door, doc),
    },
  }
}

const idSchema = (name: string): { schema?: TSchema } =>
  name === 'id' || name.endsWith('_id') ? { schema: Type.Integer() } : {}

const parameterOf = (location: string, name: string, { doc, schema, required }: ParameterDoc): Json => ({
  name,
  in: location,
  description: doc,
  ...(required && { required }),
  schema: schema ?? Type.String(),
})

const contentOf = (schema: TSchema, isFormToo: boolean): Json => ({
  'application/json': { schema },
  ...(isFormToo && { 'application/x-www-form-urlencoded': { schema } }),
})

const filesOf = (types: readonly string[]): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]))

function responsesOf(door: Door, { answers = { 200: { doc: 'Done', schema: {} } }, body, fileTypes }: RouteDoc): Json {
  const own = Object.entries(answers).map(([status, answer]): [string, Json] => [status, responseOf(answer)])
  return { ...refusalsOf(door, body !== undefined || fileTypes !== undefined), ...Object.fromEntries(own) }
}

const responseOf = ({ doc, schema, contentType, otherTypes = [] }: AnswerDoc): Json => {
  const content = {
    ...(contentType
      ? { [contentType]: { schema: schema ?? Type.String() } }
      : schema && { 'application/json': { schema } }),
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: Type.String() }])),
  }
  return { description: doc, ...(Object.keys(content).length > 0 && { content }) }
}

const json = (schema: string): Json => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } })
const page: Json = { 'text/html': { schema: Type.String() } }

/** The body of a refusal at each door; null where it is not documented. */
const refusalBodies = {
  rest: json('Detail'),
  admin: json('Refusal'),
  page,
  system: json('SystemRefusal'),
  mobile: json('SystemRefusal'),
  client: null,
  guest: null,
  public: null,
  app: json('SystemRefusal'),
  soap: null,
} as const satisfies Record<Door, Json | null>

/** The refusals of the gate and the router at a door, in its form. */
function refusalsOf(door: Door, hasBody: boolean): Json {
  const content = refusalBodies[door]
  if (content === null) return {}
  const refusal = (description: string): Json => ({ description, content })
  return {
    400: refusal('The address is malformed.'),
    ...(door === 'page' && { 302: { description: 'Not signed in: to the sign-in.' } }),
    ...(door !== 'system' && door !== 'app' && door !== 'page' && { 401: refusal('Not signed in.') }),
    403: refusal(
      door === 'system'
        ? 'Closed, off the list, a wrong password, or passed on by a proxy that is not trusted.'
        : 'READ_ONLY_MODE, CSRF or rights.',
    ),
    ...(door === 'system' && { 429: refusal('Too many wrong passwords; Retry-After says how long to wait.') }),
    ...(hasBody && {
      413: refusal('The body is larger than 1 MiB.'),
      415: refusal('The body is of a type that is not documented.'),
    }),
    503: refusal('Ask again shortly.'),
  }
}
