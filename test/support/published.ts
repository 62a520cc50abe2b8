import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { wholeDocument } from '../../src/interfaces/admin/provider/api/document.ts'
import { restSection } from '../../src/interfaces/rest/openapi.ts'
import type { Route } from '../../src/platform/http/call.ts'
import { compileRoutes, type Router } from '../../src/platform/http/routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document and the bodies are looked into member by member
type Json = any

type SeenAnswer = {
  readonly status: number
  /** As in the header; empty where there is none. */
  readonly contentType: string
  readonly text: string
}

/** What the router and the gate answer at an address or to a method that no door is for. */
const statusesOfTheRouter: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413])

/** An OpenAPI document that answers are held against. Schemas are compiled when the first answer needs them. */
export class Published {
  readonly document: Json
  readonly #router: Router
  readonly #ajv: Ajv2020
  /** By the place of an answer, and by the text of its schema. */
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: Json) {
    this.document = document
    this.#router = compileRoutes(documentedRoutes(document))
    // That the document is valid is the subject of test/interfaces/rest-openapi.test.ts.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } })
    for (const name of ['int64', 'uri', 'regex']) this.#ajv.addFormat(name, true)
    this.#ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/)
    // Of the years in which a time zone kept local mean time, PostgreSQL writes an offset with its seconds (ISO
    // 8601-2).
    this.#ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}(:\d{2})?)$/)
    // Each by a name of its own: what several answers have of them is compiled once.
    for (const [name, schema] of Object.entries<Json>(document.components.schemas))
      this.#ajv.addSchema(named(withoutMore(schema)), `component:${name}`)
  }

  /** What these routes say, and the models of REST. */
  static of(routes: readonly Route[]): Published {
    return new Published(wholeDocument({ routes, sections: [restSection()], publicUrl: '', version: '0' }))
  }

  /** Throws where an answer is not what the document says. `path` is that of the request, without its query. */
  check(method: string, path: string, answer: SeenAnswer): void {
    const found = this.#router.find(path)
    const route = typeof found === 'string' ? undefined : found.methods.get(method)
    if (route) this.#checkOperation(method, route.path, answer)
    else if (isJson(answer.contentType) && !statusesOfTheRouter.has(answer.status))
      throw new Error(`${method} ${path} answers ${answer.status} with JSON and is not in the document: ${answer.text}`)
  }

  #checkOperation(method: string, template: string, { status, contentType, text }: SeenAnswer): void {
    const address = template.replace(/:(\w+)/g, '{$1}')
    const place = `${method} ${address} ${status}`
    const way = ['paths', address, method.toLowerCase(), 'responses', String(status)]
    const said = this.#follow(at(this.document, way))
    if (said === undefined) throw new Error(`${place} is not in the document: ${contentType} ${text.slice(0, 500)}`)
    const type = contentType.split(';', 1)[0]!
    const promised = Object.keys(said.content ?? {})
    if (promised.length === 0 ? text !== '' : !promised.includes(type))
      throw new Error(
        `${place}: ${type || 'no type'} in place of ${promised.join(', ') || 'no body'}: ${text.slice(0, 500)}`,
      )
    if (!isJson(type)) return
    const validate = this.#validatorOf(place, said.content[type].schema)
    const body = JSON.parse(text)
    if (!validate(body)) throw new Error(`${place}: ${wordsOf(validate)} in ${text.slice(0, 2000)}`)
  }

  #follow(said: Json): Json {
    return said?.$ref ? at(this.document, said.$ref.slice(2).split('/')) : said
  }

  #validatorOf(place: string, schema: Json): ValidateFunction {
    const known = this.#compiled.get(place)
    if (known) return known
    // Most refusals are described alike.
    const text = JSON.stringify(schema ?? {})
    const compiled = this.#compiled.get(text) ?? this.#ajv.compile(named(withoutMore(schema ?? {})))
    this.#compiled.set(place, compiled).set(text, compiled)
    return compiled
  }
}

const isJson = (contentType: string): boolean => contentType.startsWith('application/json')

const at = (value: Json, way: readonly string[]): Json => way.reduce((here, step) => here?.[step], value)

const wordsOf = ({ errors }: ValidateFunction): string =>
  [...new Set((errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`))].join('; ')

const named = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"component:'))

/** The same schema for answers that have every member documented: an object holds what is named and nothing else. */
function withoutMore(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutMore)
  if (schema === null || typeof schema !== 'object') return schema
  const same = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withoutMore(value)]))
  const isClosed = schema.type === 'object' && schema.properties && schema.additionalProperties === undefined
  return isClosed ? { ...same, additionalProperties: false } : same
}

/** As routes, so that paths are matched as the server matches them. */
const documentedRoutes = ({ paths }: Json): Route[] =>
  Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((name) => name !== 'parameters')
      .map(
        (method): Route => ({
          method: method.toUpperCase() as Route['method'],
          path: path.replace(/\{(\w+)\}/g, ':$1'),
          door: 'public',
          handler: () => ({ status: 500 }),
        }),
      ),
  )

/** By origin: `http://127.0.0.1:8080`. */
const servers = new Map<string, () => Published>()

/** From now on the answers of this server are held against what its routes say. */
export function publishRoutes(origin: string, routes: readonly Route[]): void {
  let published: Published | null = null
  servers.set(origin, () => {
    published ??= Published.of(routes)
    return published
  })
}

let whole: Published | null = null

/** What the whole program of this release publishes: the document of the first one in a test process serves all. */
export function publishedByProgram(routes: readonly Route[]): Published {
  whole ??= Published.of(routes)
  return whole
}

/** The routes themselves are not kept: behind them stands the whole program, which may be closed before the process ends. */
export const publishFixture = (origin: string, routes: readonly Route[]): void => {
  const published = publishedByProgram(routes)
  servers.set(origin, () => published)
}

/**
 * From now on the answers of this program are held against its document, which `read` asks it for where none is known.
 * That of another release is its own.
 */
export async function publishProgram(
  origin: string,
  read: () => Promise<Json>,
  { isOfThisRelease = true } = {},
): Promise<void> {
  const published = (isOfThisRelease && whole) || new Published(await read())
  if (isOfThisRelease) whole = published
  servers.set(origin, () => published)
}

/** The global `fetch`, but answers of our own servers must be what their document says. */
export async function fetch(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await globalThis.fetch(address, init)
  const { origin, pathname } = new URL(response.url)
  const published = servers.get(origin)?.()
  if (!published) return response
  const method = response.redirected ? 'GET' : (init.method ?? 'GET').toUpperCase()
  if (method === 'HEAD' || method === 'OPTIONS') return response
  const contentType = response.headers.get('content-type') ?? ''
  const text = isJson(contentType) ? await response.clone().text() : ''
  published.check(method, pathname, { status: response.status, contentType, text })
  return response
}
