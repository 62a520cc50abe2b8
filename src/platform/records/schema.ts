import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import Type, { type TObject, type TSchema } from 'typebox'
import { nullable, schemas } from '../http/schemas.ts'
import { type Field, isReadable, isWritable, type Kind, type Model } from './model.ts'
import { namesShown } from './record-sql.ts'
import { drf, type FieldErrors } from './refusals.ts'

/** JSON Schema of one value, for the check of writes and for OpenAPI. */
export function valueSchema(field: Field): TSchema {
  const { min, max, doc: description } = field
  if (field.schema) return Type.Unsafe<unknown>({ description, ...field.schema })
  const bounds = { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) }
  switch (field.kind) {
    case 'integer':
    case 'relation':
      return Type.Integer({ description, ...bounds })
    case 'decimal':
      return Type.Number({ description, ...bounds })
    case 'money':
      // bigint after reading, which JSON Schema does not know: the reader has checked the bounds.
      return Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description: `${description} x 10^10.` })
    case 'long':
      return Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description })
    case 'boolean':
      return Type.Boolean({ description })
    case 'text':
      return Type.String({
        description,
        minLength: min ?? (field.required ? 1 : 0),
        ...(max !== undefined && { maxLength: max }),
      })
    case 'choice':
      return Type.Unsafe<string>({ type: 'string', enum: field.choices, description })
    case 'datetime':
      return Type.String({ description, format: 'date-time' })
    case 'date':
      return Type.String({ description, format: 'date' })
    case 'ip':
    case 'network':
    case 'mac':
      return Type.String({ description })
    case 'rubles':
      return Type.Unsafe<bigint>({ ...schemas.rubles, description })
    case 'relations':
      return Type.Array(Type.Integer(), { description })
    case 'json':
      return Type.Unsafe<unknown>({ description })
  }
}

function nullableField(field: Field): TSchema {
  const schema = valueSchema(field)
  return field.nullable ? Type.With(nullable(withoutDescription(schema)), { description: field.doc }) : schema
}

function withoutDescription(schema: TSchema): TSchema {
  const { description: _, ...rest } = schema as TSchema & { description?: string }
  return rest
}

/** The record as it is answered. */
export const recordSchema = (model: Model): TObject =>
  Type.Object(
    Object.fromEntries(
      model.fields
        .filter(isReadable)
        .flatMap((field) => namesShown(field).map((name) => [name, shown(nullableField(field), field)])),
    ),
    { description: model.doc },
  )

/** What is stored may be older than the least length of what is written. */
function shown(schema: TSchema, { access }: Field): TSchema {
  const { minLength: _, ...stored } = schema as TSchema & { minLength?: number }
  return access === 'readOnly' || access === 'refused' ? { ...stored, readOnly: true } : stored
}

/** The body of a POST. */
export const bodySchema = (model: Model): TObject =>
  Type.Object(
    Object.fromEntries(
      model.fields.filter(isWritable).map((field) => {
        const schema = nullableField(field)
        const described = field.access === 'writeOnly' ? { ...schema, writeOnly: true } : schema
        return [field.name, field.required ? described : Type.Optional(described)]
      }),
    ),
  )

/** Their values are bigint or checked in full by their readers. */
const unchecked: ReadonlySet<Kind> = new Set(['money', 'long', 'rubles', 'relations', 'json'])

/** The schemas are ours and typed, so they are not checked themselves. */
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, meta: false, validateSchema: false })

type Checks = { create: ValidateFunction; change: ValidateFunction }
const checksByModel = new WeakMap<Model, Checks>()

/** Bounds, lengths and presence of values that were read already. Errors are in DRF's words, under the field's name. */
export function checkValues(model: Model, values: Readonly<Record<string, unknown>>, isCreate: boolean): FieldErrors {
  const checks = checksByModel.get(model) ?? compileChecks(model)
  const check = isCreate ? checks.create : checks.change
  if (check(values)) return {}
  const errors: FieldErrors = {}
  for (const error of check.errors ?? []) {
    const name = nameOf(error)
    errors[name] ??= [textOf(error)]
  }
  return errors
}

function compileChecks(model: Model): Checks {
  const properties = (isCreate: boolean) =>
    Object.fromEntries(
      model.fields.filter(isWritable).map((field) => {
        const schema = unchecked.has(field.kind) ? Type.Any() : nullableField(field)
        return [field.name, isCreate && field.required ? schema : Type.Optional(schema)]
      }),
    )
  const checks = {
    create: ajv.compile(Type.Object(properties(true))),
    change: ajv.compile(Type.Object(properties(false))),
  }
  checksByModel.set(model, checks)
  return checks
}

const nameOf = ({ keyword, params, instancePath }: ErrorObject): string =>
  keyword === 'required' ? String(params.missingProperty) : instancePath.split('/')[1]!

function textOf({ keyword, params, message }: ErrorObject): string {
  const limit = params.limit as number
  switch (keyword) {
    case 'required':
      return drf.required
    case 'maximum':
      return drf.most(limit)
    case 'minimum':
      return drf.least(limit)
    case 'maxLength':
      return drf.longest(limit)
    case 'minLength':
      return limit === 1 ? drf.blank : drf.shortest(limit)
    default:
      return `This value ${message}.`
  }
}
