import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject } from 'typebox'

let ajv: Ajv | null = null
const checks = new WeakMap<TObject, ValidateFunction>()

/**
 * The names of the properties that violate the schema, in the order of the schema. Checks are compiled when they are
 * first used, so that they do not slow down the start of the program.
 */
export function wrongProperties(schema: TObject, value: unknown): string[] {
  const check = checks.get(schema) ?? compile(schema)
  if (check(value)) return []
  const wrong = new Set(check.errors?.map(propertyOf))
  return Object.keys(schema.properties).filter((name) => wrong.has(name))
}

function compile(schema: TObject): ValidateFunction {
  ajv ??= new Ajv({ allErrors: true, strict: false, validateFormats: false })
  const check = ajv.compile(schema)
  checks.set(schema, check)
  return check
}

const propertyOf = ({ keyword, params, instancePath }: ErrorObject): string =>
  keyword === 'required' && instancePath === '' ? String(params.missingProperty) : instancePath.split('/')[1]!
