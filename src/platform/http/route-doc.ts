/** JSON Schema 2020-12, as data; a TypeBox schema is one. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type ParameterDoc = {
  readonly doc: string
  /** Left out: a string. */
  readonly schema?: JsonSchema
  readonly required?: boolean
}

export type AnswerDoc = {
  /** When it is given, or what it is. */
  readonly doc: string
  /** Of a JSON body; left out where there is none, or where it is not JSON. */
  readonly schema?: JsonSchema
  /** Where the body is something else: `text/csv`, `application/pdf`. */
  readonly contentType?: string
}

/**
 * What a door says about itself. The OpenAPI document and the page at `/admin/api/` are made of these, so a route with a
 * `doc` is documented and a route without is not. The refusals that the gate and the router give at every door (401, 403,
 * 404 of unknown paths, 413, 503) are added by the document.
 */
export type RouteDoc = {
  /** The chapter: `Staff`, `System API`. */
  readonly tag: string
  /** One sentence without a full stop. */
  readonly summary: string
  readonly description?: string
  /** Segments of the path by name; left out, `:id` and `:<any>_id` are integers, all others strings. */
  readonly params?: Readonly<Record<string, ParameterDoc>>
  readonly query?: Readonly<Record<string, ParameterDoc>>
  readonly headers?: Readonly<Record<string, ParameterDoc>>
  /** The JSON body of a write. */
  readonly body?: JsonSchema
  /** The same fields are taken as a form too (contract section 5). */
  readonly isFormToo?: boolean
  /** By status; left out: 200 with any JSON. */
  readonly answers?: Readonly<Record<number, AnswerDoc>>
}

/** The JSON Schema of an object; every property is required but those named in `optional`. */
export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** The admin's answer to what went well: `{ok: true, …}`. */
export const okSchema = (properties: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  objectSchema({ ok: { const: true }, ...properties })

export const listSchema = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** The words most schemas are made of. */
export const schemas = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  moment: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  /** Rubles as a decimal string with two places (contract section 3). */
  rubles: { type: 'string', pattern: '^-?\\d+\\.\\d{2}$', examples: ['150.00'] },
  any: {},
} as const satisfies Readonly<Record<string, JsonSchema>>

export const nullableSchema = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' && !('const' in schema) && !('enum' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
