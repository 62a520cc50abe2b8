import { stringifyJson } from '../formats/json.ts'
import { Parameters } from '../storage/parameters.ts'
import type { Sealing } from '../storage/secrets.ts'
import type { Client } from '../storage/sql.ts'
import type { Entry, Values } from './values.ts'
import type { Value } from './field-values.ts'
import { type Kind, type Model, quoted } from './model.ts'
import { drf, type FieldErrors, type Refusal, wrongFields, wrongRequest } from './refusals.ts'

/** A column and what goes into it. */
export type Column = { readonly column: string; readonly value: unknown; readonly cast: string }

/** How PostgreSQL reads a value of each kind. A network loses its host bits. */
const casts = {
  integer: 'int8',
  money: 'int8',
  long: 'int8',
  decimal: 'numeric',
  boolean: 'bool',
  text: 'text',
  choice: 'text',
  datetime: 'timestamptz',
  date: 'date',
  ip: 'inet',
  network: 'inet::cidr',
  mac: 'macaddr',
  relation: 'int8',
  json: 'jsonb',
} as const satisfies Record<Kind, string>

/** The columns of a body; fields that are written apart are not among them. */
export const columnsOf = (values: Values, secrets: Sealing): Column[] =>
  [...values.values()].filter(({ field }) => !field.apart).map((entry) => columnOf(entry, secrets))

export function columnOf({ field, value }: Entry, secrets: Sealing): Column {
  const { column, kind } = field
  return {
    column,
    cast: casts[kind],
    value: field.sealed && value !== null ? secrets.seal(String(value)) : stored(kind, value),
  }
}

const stored = (kind: Kind, value: Value): unknown =>
  value === null ? null : kind === 'json' ? stringifyJson(value) : typeof value === 'bigint' ? String(value) : value

/** Answers the key of the new row. */
export async function insertRow(client: Client, model: Model, columns: readonly Column[]): Promise<string> {
  const parameters = new Parameters()
  const names = columns.map(({ column }) => quoted(column)).join(', ')
  const places = columns.map(({ value, cast }) => parameters.add(value, cast)).join(', ')
  const values = columns.length === 0 ? 'DEFAULT VALUES' : `(${names}) VALUES (${places})`
  const text = `INSERT INTO ${model.table} ${values} RETURNING ${quoted(model.key)} AS key`
  const { rows } = await client.query<{ key: string }>(text, parameters.values)
  return String(rows[0]!.key)
}

export async function updateRow(client: Client, model: Model, id: string, columns: readonly Column[]): Promise<void> {
  if (columns.length === 0) return
  const parameters = new Parameters()
  const sets = columns.map(({ column, value, cast }) => `${quoted(column)} = ${parameters.add(value, cast)}`).join(', ')
  const text = `UPDATE ${model.table} SET ${sets} WHERE ${quoted(model.key)} = ${parameters.add(id, 'int8')}`
  await client.query(text, parameters.values)
}

/** Every related row must exist; it is held until the end of the transaction. */
export async function checkRelations(client: Client, values: Values): Promise<Refusal | null> {
  const errors: FieldErrors = {}
  for (const { field, value, sentAs } of values.values()) {
    const target = field.kind === 'relation' ? field.target?.() : undefined
    if (!target || value === null) continue
    const text = `SELECT 1 FROM ${target.table} WHERE ${quoted(target.key)} = $1::int8`
    const { rowCount } = await client.query(text, [value])
    if (rowCount === 0) errors[sentAs] = [drf.missingRow(value)]
  }
  return Object.keys(errors).length > 0 ? wrongFields(errors) : null
}

/** What points at a record, counted: null when nothing does (contract section 4: refused with the count, never a cascade). */
export async function refusedByUse(client: Client, { label, usedBy = [] }: Model, id: string): Promise<Refusal | null> {
  const uses: string[] = []
  for (const { table, column, noun, where } of usedBy) {
    const text = `SELECT count(*) AS count FROM ${table} WHERE ${quoted(column)} = $1::int8${where ? ` AND ${where}` : ''}`
    const { rows } = await client.query<{ count: string }>(text, [id])
    if (rows[0]!.count !== '0') uses.push(`${rows[0]!.count} ${noun}`)
  }
  return uses.length > 0 ? wrongRequest(`This ${label} is in use and cannot be deleted: ${uses.join(', ')}.`) : null
}

type DatabaseError = { code?: string; detail?: string; table?: string }

/** A refusal of the database that the checks before could not see (another writer was faster), in DRF's words; null for other errors. */
export function databaseRefusal(error: unknown, model: Model, values?: Values): Refusal | null {
  const { code = '', detail = '', table = '' } = (error ?? {}) as DatabaseError
  const [, columns = '', sent = ''] = /^Key \(([^)]*)\)=\((.*)\)/s.exec(detail) ?? []
  const field = model.fields.find(({ column }) => column === columns.split(',')[0]?.trim())
  const name = field ? (values?.get(field.name)?.sentAs ?? field.name) : 'non_field_errors'
  if (code === '23505')
    return wrongFields({ [name]: [drf.taken(model.label, (field?.name ?? columns).replaceAll('_', ' '))] })
  if (code === '23503' && detail.includes('still referenced')) {
    return wrongRequest(`This ${model.label} is in use and cannot be deleted: rows of ${table} refer to it.`)
  }
  if (code === '23503') return wrongFields({ [name]: [drf.missingRow(sent)] })
  return null
}
