import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** Schemas of the most common types. */
export const schemas = {
  integer: Type.Integer(),
  number: Type.Number(),
  text: Type.String(),
  boolean: Type.Boolean(),
  moment: Type.String({ format: 'date-time' }),
  day: Type.String({ format: 'date' }),
  /** Rubles as a decimal string with two decimal places (contract section 3). */
  rubles: Type.String({ pattern: '^-?\\d+\\.\\d{2}$', examples: ['150.00'] }),
  any: Type.Unknown(),
  /** An object with any members. */
  object: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
}

/** The schema or null. Plain types are written as `type: [..., 'null']`, which most OpenAPI viewers display best. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, ...rest } = schema as S & { type?: unknown }
  const isPlain = typeof type === 'string' && !('const' in rest) && !('enum' in rest)
  return Type.Unsafe<Static<S> | null>(
    isPlain ? { ...rest, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] },
  )
}

/** An object with any member names and values of one type. */
export const mapOf = <S extends TSchema>(values: S) =>
  Type.Unsafe<Record<string, Static<S>>>({ type: 'object', additionalProperties: values })

/** The answer of the web admin to a successful request: `{ok: true, …}`. */
export const okObject = <P extends TProperties>(properties: P = {} as P) =>
  Type.Object({ ok: Type.Literal(true), ...properties })

/**
 * A refusal of the web admin: a sentence for people, a stable code for programs, and a text for each wrong field.
 */
export const errorSchema = Type.Object({
  ok: Type.Literal(false),
  error: schemas.text,
  code: schemas.text,
  errors: Type.Optional(mapOf(schemas.text)),
  codes: Type.Optional(Type.With(mapOf(schemas.text), { description: 'What is wrong with each field of `errors`' })),
})
