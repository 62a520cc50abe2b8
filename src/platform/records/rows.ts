import type { VisibleOrganizations } from '../staff/visible-organizations.ts'
import type { Sealing } from '../secrets/secrets.ts'
import type { AnyEntity } from '../storage/entity.ts'
import type { EntityManager } from '../storage/orm.ts'
import type { Client } from '../storage/sql.ts'
import type { Current, Entry, Values } from './values.ts'
import { drfWording } from './wording.ts'
import { type CountedUse, type Field, type Model, quoted, type Value } from './model.ts'
import { type FieldErrors, type FieldFault, type Refusal, wrongFields } from './refusals.ts'

/** A column and what goes into it; the entity knows its type. */
export type Column = { readonly column: string; readonly value: unknown }

/** The columns of a body; fields that are written apart, and instructions, are not among them. */
export const columnsOf = (values: Values, secrets: Sealing): Column[] =>
  [...values.values()]
    .filter(({ field }) => !field.apart && field.access !== 'instruction')
    .map((entry) => columnOf(entry, secrets))

export const columnOf = ({ field, value }: Entry, secrets: Sealing): Column => ({
  column: field.column,
  value: field.sealed && value !== null ? secrets.seal(String(value)) : value,
})

/** Returns the key of the new row. */
export async function insertRow(manager: EntityManager, model: Model, columns: readonly Column[]): Promise<string> {
  return String(await manager.insert(entityOf(model), recordOf(columns)))
}

export async function updateRow(
  manager: EntityManager,
  model: Model,
  id: string,
  columns: readonly Column[],
): Promise<void> {
  if (columns.length === 0) return
  await manager.nativeUpdate(entityOf(model), { [model.key]: Number(id) }, recordOf(columns))
}

export async function deleteRow(manager: EntityManager, model: Model, id: string): Promise<void> {
  await manager.nativeDelete(entityOf(model), { [model.key]: Number(id) })
}

/** The class that MikroORM knows the entity by. */
const entityOf = ({ entity }: Model): AnyEntity => entity as AnyEntity

const recordOf = (columns: readonly Column[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map(({ column, value }) => [column, value]))

/** Of whom a write is, and what it finds. */
type Relating = {
  readonly model: Model
  readonly visible: VisibleOrganizations
  readonly before: Current
  /**
   * Locks the named rows until the end of the transaction, which must then be one that may write. Left out, it is true.
   */
  readonly held?: boolean
}

/** Every row that a write newly names must exist and be visible to the caller. */
export async function checkRelations(
  client: Client,
  values: Values,
  { model, visible, before, held = true }: Relating,
): Promise<Refusal | null> {
  const errors: FieldErrors = {}
  const codes: Record<string, FieldFault> = {}
  for (const { field, value, sentAs } of values.values()) {
    const target = isRelation(field) ? field.target?.() : undefined
    if (!target || value === null || isUnchanged(field, value, before)) continue
    const keys = Array.isArray(value) ? value : [value]
    const key = `this.${quoted(target.key)}`
    const text = `SELECT 1 FROM ${target.table} AS this WHERE ${key} = ANY($1::int8[]) AND ${visibleRows(target, 'this', '$2')}
      ORDER BY ${key} ${held ? 'FOR KEY SHARE OF this' : ''}`
    const { rowCount } = await client.query(text, [keys, visible])
    if (rowCount === keys.length) continue
    errors[sentAs] = [(model.wording ?? drfWording).missingRow(value)]
    codes[sentAs] = 'missing'
  }
  return Object.keys(errors).length > 0 ? wrongFields(errors, codes) : null
}

const isRelation = ({ kind }: Field): boolean => kind === 'relation' || kind === 'relations'

const isUnchanged = ({ name }: Field, value: Value, before: Current): boolean =>
  before !== null && JSON.stringify(before[name] ?? null) === JSON.stringify(value)

/** The condition on rows of a model; of one that everybody sees it only names the type of the parameter. */
export const visibleRows = ({ visible }: Model, table: string, parameter: `$${number}`): string =>
  visible?.(table, parameter) ?? `(${parameter}::int8[] IS NULL OR true)`

/**
 * What points at a record, counted: null when nothing does (contract section 4: refused with the count, never a
 * cascade).
 */
export async function refusedByUse(client: Client, model: Model, id: string): Promise<Refusal | null> {
  const { inUse, usesCountedMax } = model.wording ?? drfWording
  const uses: CountedUse[] = []
  for (const { table, column, noun, where } of model.usedBy ?? []) {
    const rows = `SELECT FROM ${table} WHERE ${quoted(column)} = $1::int8${where ? ` AND ${where}` : ''}`
    const limit = usesCountedMax === undefined ? '' : ` LIMIT ${usesCountedMax + 1}`
    const text = `SELECT count(*) AS count FROM (${rows}${limit}) AS users`
    const counted = await client.query<{ count: string }>(text, [id])
    const count = Number(counted.rows[0]!.count)
    if (count > 0) uses.push({ noun, count })
  }
  return uses.length > 0 ? inUse(model, uses) : null
}

type DatabaseError = { code?: string; detail?: string; table?: string }

/**
 * A refusal of the database that the checks before could not see, because another writer was faster; null for other
 * errors.
 */
export function databaseRefusal(error: unknown, model: Model, values?: Values): Refusal | null {
  const { code = '', detail = '', table = '' } = (error ?? {}) as DatabaseError
  const [, columns = '', sent = ''] = /^Key \((.*?)\)=\((.*)\)/s.exec(detail) ?? []
  // A unique index may be over an expression, behind the column that counts.
  const field = model.fields.find(({ column }) => column === columns.split(',')[0]?.trim())
  const name = field ? (values?.get(field.name)?.sentAs ?? field.name) : 'non_field_errors'
  const { late } = model.wording ?? drfWording
  if (code === '23505') return late({ kind: 'taken', model, name, what: field?.name ?? columns })
  if (code !== '23503') return null
  return late(detail.includes('still referenced') ? { kind: 'inUse', model, table } : { kind: 'missing', name, sent })
}
