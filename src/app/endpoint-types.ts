type Schema = Readonly<Record<string, unknown>>
type Json = Readonly<Record<string, unknown>>

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** The types of all operations of an OpenAPI document by their names, such as `GET /admin/me/`, and of its schemas. */
export function endpointTypes(document: Json): string {
  const components = document.components as { readonly schemas: Json; readonly responses: Json }
  const follow = (value: unknown): Json => {
    const { $ref } = (value ?? {}) as { readonly $ref?: string }
    return $ref?.startsWith('#/components/responses/')
      ? (components.responses[$ref.split('/').at(-1)!] as Json)
      : ((value ?? {}) as Json)
  }
  const endpoints = Object.entries(document.paths as Record<string, Json>).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method] as Json | undefined
      return operation ? [`  '${method.toUpperCase()} ${path}': ${endpointType(operation, follow)}`] : []
    }),
  )
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `  '${name}': ${typeOf(schema)}`)
  return `// Made by src/app/console-types.ts from the OpenAPI document of this source; not to be edited.\n
export type Schemas = {\n${schemas.join('\n')}\n}\n
export type Endpoints = {\n${endpoints.join('\n')}\n}\n`
}

type Parameter = { readonly in: string; readonly name: string; readonly required?: boolean; readonly schema?: Schema }

function endpointType(operation: Json, follow: (value: unknown) => Json): string {
  const parameters = ((operation.parameters as Parameter[]) ?? []).map((one) => follow(one) as unknown as Parameter)
  const place = (where: string) => {
    const members = parameters
      .filter((one) => one.in === where)
      .map(
        (one) =>
          `${keyOf(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema ?? {})}${one.required ? '' : ' | undefined'}`,
      )
    return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`
  }
  const body = bodyOf(follow(operation.requestBody))
  const answers = Object.entries((operation.responses as Json) ?? {})
    // 202 says no more than that it is not ready: `askCounted` of the console.
    .filter(([status]) => status.startsWith('2') && status !== '202')
    .map(([, response]) => bodyOf(follow(response)))
    .filter((type) => type !== null)
  return `{ path: ${place('path')}; query: ${place('query')}; body: ${body ?? 'never'}; answer: ${[...new Set(answers)].join(' | ') || 'unknown'} }`
}

/** Null: there is no JSON in it. */
function bodyOf(content: Json): string | null {
  const media = (content.content as Record<string, { readonly schema?: Schema }> | undefined)?.['application/json']
  return media ? typeOf(media.schema ?? {}) : null
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The type of a JSON schema, as far as our document uses the language. */
function typeOf(value: unknown): string {
  const schema = value as Schema
  if (typeof schema.$ref === 'string') return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ') || 'never'
  const several = (schema.anyOf ?? schema.oneOf) as readonly unknown[] | undefined
  if (several) return several.map(grouped).join(' | ')
  if (Array.isArray(schema.allOf)) return schema.allOf.map(grouped).join(' & ')
  const { type } = schema
  if (Array.isArray(type)) return type.map((one) => grouped({ ...schema, type: one })).join(' | ')
  if (type === 'array') return `readonly ${grouped(schema.items ?? {})}[]`
  if (type === 'object' || schema.properties) return objectType(schema)
  return plain[String(type)] ?? 'unknown'
}

const grouped = (schema: unknown): string => {
  const type = typeOf(schema)
  return /[|&]|^readonly /.test(type) ? `(${type})` : type
}

function objectType({ properties, required, additionalProperties }: Schema): string {
  const needed = new Set((required ?? []) as readonly string[])
  const members = Object.entries((properties ?? {}) as Json).map(
    ([name, schema]) => `${keyOf(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  const values = additionalProperties && additionalProperties !== true ? typeOf(additionalProperties) : 'unknown'
  return `{ [name: string]: ${values} }`
}
