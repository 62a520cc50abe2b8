/** The parts of an OpenAPI 3.1 document that the screen shows. */

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
  readonly schema?: Schema
}

type Written = {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<
    Record<string, { readonly $ref?: string; readonly description?: string; readonly content?: Content }>
  >
  readonly security?: readonly object[]
}

/** The operations of an address by method, with the parameters that all of them have. */
type PathItem = Readonly<Partial<Record<Method, Written>>> & { readonly parameters?: readonly Parameter[] }

export type ApiDocument = {
  readonly info: { readonly description?: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export type Operation = Written & {
  /** Such as `GET /admin/me/`, which names it in the address of the screen too. */
  readonly key: string
  readonly method: string
  readonly path: string
  readonly chapter: string
  readonly parameters: readonly Parameter[]
  /** Its words, in small letters, to be searched in. */
  readonly words: string
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const
type Method = (typeof methods)[number]

/** What `$ref` names; anything else as it is. */
export function resolved<T extends { readonly $ref?: string }>(value: T, api: ApiDocument): T {
  const steps = value.$ref?.split('/').slice(1)
  const found = steps?.reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], api)
  return (found as T | undefined) ?? value
}

/** Every operation, in the order of chapters and within one of the document. */
export function operationsOf(api: ApiDocument): readonly Operation[] {
  const chapters = new Map((api.tags ?? []).map(({ name }, at) => [name, at]))
  const found = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const written = item[method]
      const parameters = [...(item.parameters ?? []), ...(written?.parameters ?? [])]
      return written ? [operationOf(api, path, method, { ...written, parameters })] : []
    }),
  )
  const rank = ({ chapter }: Operation) => chapters.get(chapter) ?? chapters.size
  return found.sort((one, other) => rank(one) - rank(other))
}

function operationOf(api: ApiDocument, path: string, method: string, written: Written): Operation {
  const parameters = (written.parameters ?? []).map((one) => resolved(one, api))
  const chapter = written.tags?.[0] ?? ''
  const bodies = Object.values(written.requestBody?.content ?? {})
  const fields = bodies.flatMap(({ schema }) => Object.keys(resolved(schema ?? {}, api).properties ?? {}))
  const { summary = '', description = '' } = written
  const texts = [method, path, chapter, summary, description, ...parameters.map(({ name }) => name), ...fields]
  const key = `${method.toUpperCase()} ${path}`
  return { ...written, key, method, path, chapter, parameters, words: texts.join(' ').toLowerCase() }
}

export type Field = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly meaning: string
}

/** How deep fields of fields are told; references that go round are cut by it too. */
const depthMax = 4

/** The fields of an object as rows: `tariff.name` within `tariff`, `items[].id` of a list. */
export function fieldsOf(schema: Schema, api: ApiDocument, prefix = '', depth = 0): readonly Field[] {
  const whole = merged(schema, api)
  if (depth > depthMax) return []
  if (whole.items) return fieldsOf(whole.items, api, `${prefix}[]`, depth + 1)
  return Object.entries(whole.properties ?? {}).flatMap(([key, written]) => {
    const inner = merged(written, api)
    const name = prefix === '' ? key : `${prefix}.${key}`
    const isRequired = whole.required?.includes(key) ?? false
    const meaning = written.description ?? inner.description ?? ''
    return [{ name, type: typeOf(written, api), isRequired, meaning }, ...fieldsOf(inner, api, name, depth + 1)]
  })
}

/** An object without its references and parts, and without null among its choices. */
function merged(schema: Schema, api: ApiDocument): Schema {
  const whole = resolved(schema, api)
  const all = (whole.allOf ?? []).map((one) => merged(one, api))
  const choices = (whole.anyOf ?? whole.oneOf ?? []).filter(({ type }) => type !== 'null')
  if (choices.length === 1) return { ...whole, ...merged(choices[0]!, api) }
  if (all.length === 0) return whole
  return {
    ...whole,
    properties: Object.assign({}, ...all.map(({ properties }) => properties), whole.properties),
    required: all.flatMap(({ required = [] }) => required),
  }
}

/** Such as `integer`, `string (date-time) or null`, `"ok" | "silent"`. */
export function typeOf(schema: Schema, api: ApiDocument, depth = 0): string {
  const whole = resolved(schema, api)
  if (whole.const !== undefined) return JSON.stringify(whole.const)
  if (whole.enum) return whole.enum.map((one) => JSON.stringify(one)).join(' | ')
  const choices = whole.anyOf ?? whole.oneOf
  if (choices && depth < depthMax) return [...new Set(choices.map((one) => typeOf(one, api, depth + 1)))].join(' or ')
  if (whole.items && depth < depthMax) return `${typeOf(whole.items, api, depth + 1)}[]`
  const names = [whole.type ?? (whole.properties || whole.allOf ? 'object' : 'any')].flat().join(' or ')
  const range = rangeOf(whole)
  return [names, whole.format && `(${whole.format})`, range].filter(Boolean).join(' ')
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined && maximum === undefined) return ''
  return `${minimum ?? ''}…${maximum ?? ''}`
}

/** A value that the schema allows, to be seen rather than sent. */
export function exampleOf(schema: Schema, api: ApiDocument, depth = 0): unknown {
  const whole = merged(schema, api)
  const given = whole.examples?.[0] ?? whole.default ?? whole.const ?? whole.enum?.[0]
  if (given !== undefined) return given
  const choice = (whole.anyOf ?? whole.oneOf ?? []).find(({ type }) => type !== 'null')
  if (choice) return depth > depthMax ? null : exampleOf(choice, api, depth + 1)
  const type = [whole.type ?? (whole.properties ? 'object' : '')].flat().find((one) => one !== 'null')
  if (type === 'object')
    return depth > depthMax
      ? {}
      : Object.fromEntries(
          Object.entries(whole.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner, api, depth + 1)]),
        )
  if (type === 'array') return depth > depthMax || !whole.items ? [] : [exampleOf(whole.items, api, depth + 1)]
  return plainExample(type ?? '', whole)
}

function plainExample(type: string, { format, minimum, pattern }: Schema): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  if (type !== 'string') return null
  if (format === 'date-time') return '2026-11-26T12:00:00+03:00'
  if (format === 'date') return '2026-11-26'
  return pattern?.includes('\\.\\d{2}') ? '100.00' : 'text'
}

/** The JSON of a body or an answer; null: it is a file or nothing. */
export const jsonSchemaOf = (content: Content | undefined): Schema | null =>
  content?.['application/json']?.schema ?? null

/** The request by curl, with an example of what it takes. */
export function curlOf(
  { method, path, requestBody, parameters, security }: Operation,
  api: ApiDocument,
  origin: string,
): string {
  const example = (name: string) => {
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema
    return String(schema ? exampleOf(schema, api) : name)
  }
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => example(name))
  const lines = [`curl -X ${method.toUpperCase()} ${origin}${address}`]
  if (security?.length !== 0) lines.push(`-H 'Authorization: Bearer tg_…'`)
  const schema = jsonSchemaOf(requestBody?.content)
  if (schema) {
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(exampleOf(schema, api)).replaceAll("'", `'\\''`)}'`)
  }
  return lines.join(' \\\n  ')
}
