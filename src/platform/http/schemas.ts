import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** The types most bodies are made of. */
export const schemas = {
  integer: Type.Integer(),
  number: Type.Number(),
  text: Type.String(),
  boolean: Type.Boolean(),
  moment: Type.String({ format: 'date-time' }),
  day: Type.String({ format: 'date' }),
  /** Rubles as a decimal string with two places (contract section 3). */
  rubles: Type.String({ pattern: '^-?\\d+\\.\\d{2}$', examples: ['150.00'] }),
  any: Type.Unknown(),
  /** Of any members. */
  object: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
}

/** The value, or null. A plain type is written as `type: [..., 'null']`, which is what most readers of OpenAPI show best. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, ...rest } = schema as S & { type?: unknown }
  const isPlain = typeof type === 'string' && !('const' in rest) && !('enum' in rest)
  return Type.Unsafe<Static<S> | null>(
    isPlain ? { ...rest, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] },
  )
}

/** An object with any names and values of one type. */
export const mapOf = <S extends TSchema>(values: S) =>
  Type.Unsafe<Record<string, Static<S>>>({ type: 'object', additionalProperties: values })

/** The admin's answer to what went well: `{ok: true, …}`. */
export const okObject = <P extends TProperties>(properties: P = {} as P) =>
  Type.Object({ ok: Type.Literal(true), ...properties })

/** How the admin refuses: a sentence, where programs tell refusals apart a code, and where fields are wrong a text for each. */
export const errorSchema = Type.Object({
  ok: Type.Literal(false),
  error: schemas.text,
  code: Type.Optional(schemas.text),
  errors: Type.Optional(mapOf(schemas.text)),
})
