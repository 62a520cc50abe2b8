import Type, { type TProperties, type TSchema } from 'typebox'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'

/** What an answer carries: the schema that documents it, and the SQL that writes it. */
type Shape<S extends TSchema = TSchema> = readonly [schema: S, sql: string]

/** A schema alone is that of the column of the same name; the SQL may also be the name of another column. */
export type Members = Readonly<Record<string, TSchema | Shape>>

/**
 * An object that PostgreSQL writes as JSON, said once: what is documented is what is answered. Columns are those of
 * `row`, and stored amounts are written as rubles.
 */
export function shapeOf(row: string, members: Members): Shape<ReturnType<typeof Type.Object>> {
  const properties: TProperties = {}
  const pairs = Object.entries(members).map(([name, member]) => {
    const [schema, sql] = isShape(member) ? member : [member, name]
    properties[name] = schema
    const value = /^\w+$/.test(sql) ? `${row}."${sql}"` : sql
    return `'${name}', ${isRubles(schema) ? rublesSql(value) : value}`
  })
  return [Type.Object(properties), `json_build_object(${pairs.join(', ')})`]
}

const isShape = (member: TSchema | Shape): member is Shape => Array.isArray(member)

const { pattern: rublesPattern } = schemas.rubles as { readonly pattern?: string }
const isRubles = (schema: TSchema): boolean => 'pattern' in schema && schema.pattern === rublesPattern

/** The one record that `from` finds, or null; `row` is its alias there. */
export function foundShape(row: string, from: string, members: Members): Shape {
  const [schema, sql] = shapeOf(row, members)
  return [nullable(schema), `(SELECT ${sql} FROM ${from})`]
}

/** The key of another record, which is told under its name and with `_id`. */
export const keyOf = (name: string, schema: TSchema = nullable(schemas.integer), column = `${name}_id`): Members => ({
  [name]: [schema, column],
  [`${name}_id`]: [schema, column],
})
