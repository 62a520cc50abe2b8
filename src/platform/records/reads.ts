import type { VisibleOrganizations } from '../staff/visible-organizations.ts'
import type { Client } from '../storage/sql.ts'
import { recordValues } from './diff.ts'
import { type Model, quoted } from './model.ts'
import { recordSql } from './record-sql.ts'
import { visibleRows } from './rows.ts'

/** One record as JSON text, or null; `only` as for recordSql. */
export async function readRecord(
  client: Client,
  model: Model,
  id: string,
  only: ReadonlySet<string> | null = null,
): Promise<string | null> {
  const record = recordSql(model, 'this', only)
  const text = `SELECT ${record} AS record FROM ${model.table} AS this WHERE this.${quoted(model.key)} = $1::int8`
  const { rows } = await client.query<{ record: string }>(text, [id])
  return rows[0]?.record ?? null
}

/** A record as the program reads it, by outside name. */
export type StoredRecord = Readonly<Record<string, unknown>>

/**
 * Null when there is none or the caller may not see it. With `isLocked`, nobody else can change it before the
 * transaction ends.
 */
export async function findRecord(
  client: Client,
  model: Model,
  id: string,
  visible: VisibleOrganizations,
  { isLocked = false } = {},
): Promise<StoredRecord | null> {
  const { table, key } = model
  const seen = `FROM ${table} AS this WHERE this.${quoted(key)} = $1::int8 AND ${visibleRows(model, 'this', '$2')}`
  // Read after the lock and not with it, so that what another writer has committed meanwhile is seen.
  if (isLocked) await client.query(`SELECT 1 ${seen} FOR UPDATE OF this`, [id, visible])
  const text = `SELECT ${recordSql(model, 'this', null)} AS record ${seen}`
  const { rows } = await client.query<{ record: string }>(text, [id, visible])
  return rows[0] ? recordValues(rows[0].record) : null
}

/** A row's id in a path; what is not one cannot name a record. */
export const readId = (text: string | undefined): string | null => {
  if (text === undefined || !/^-?\d{1,18}$/.test(text)) return null
  return /^[1-9]/.test(text) ? text : String(BigInt(text))
}

/** The names that `fields=` asks for; null for all. */
export const readOnlyFields = (query: URLSearchParams): ReadonlySet<string> | null => {
  const names = (query.getAll('fields').at(-1) ?? '').split(',').map((name) => name.trim())
  return names.some((name) => name !== '') ? new Set(names) : null
}
