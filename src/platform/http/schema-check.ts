import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject } from 'typebox'

let ajv: Ajv | null = null
const checks = new WeakMap<TObject, ValidateFunction>()

/**
 * The names of the properties that do not fit the schema, in its order. The check is compiled at its first use: a door that nobody
 * calls costs the start of the program nothing.
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
