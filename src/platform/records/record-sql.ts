import { rublesSql } from '../storage/rubles.ts'
import { type Field, isReadable, type Model, quoted, valueSql } from './model.ts'

/**
 * The SQL of one record as JSON text, written by PostgreSQL: 64-bit money stays exact, datetimes keep their
 * microseconds and the session's offset, and a page of a thousand records is not taken apart and put together here.
 * `only` are the outside names that `fields=` asked for.
 */
export function recordSql(model: Model, table: string, only: ReadonlySet<string> | null): string {
  const columns = model.fields.filter(isReadable).flatMap((field) =>
    namesShown(field)
      .filter((name) => !only || only.has(name))
      .map((name) => `${shownSql(field, table)} AS ${quoted(name)}`),
  )
  return columns.length === 0
    ? "'{}'"
    : `(SELECT row_to_json(record)::text FROM (SELECT ${columns.join(', ')}) AS record)`
}

/** A relation appears under its name and with `_id` (contract section 3). */
export const namesShown = ({ kind, name }: Field): string[] => (kind === 'relation' ? [name, `${name}_id`] : [name])

function shownSql(field: Field, table: string): string {
  const sql = valueSql(field, table)
  switch (field.kind) {
    case 'ip':
      return `host(${sql})`
    case 'rubles':
      return rublesSql(sql)
    case 'decimal':
      return `trim_scale(${sql})`
    default:
      return sql
  }
}
