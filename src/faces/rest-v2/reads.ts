import type { PoolClient } from 'pg'
import { type Model, quoted } from './description.ts'
import { recordSql } from './record-sql.ts'

/** Anything that runs one statement: a client inside a transaction. */
export type Client = Pick<PoolClient, 'query'>

/** One record as JSON text, or null. */
export async function readRecord(
  client: Client,
  model: Model,
  id: string,
  query: URLSearchParams = new URLSearchParams(),
): Promise<string | null> {
  const record = recordSql(model, 'this', readOnlyFields(query))
  const text = `SELECT ${record} AS record FROM ${model.table} AS this WHERE this.${quoted(model.key)} = $1::int8`
  const { rows } = await client.query<{ record: string }>(text, [id])
  return rows[0]?.record ?? null
}

/** A row's id in a path; what is not one cannot name a record. */
export const readId = (text: string | undefined): string | null =>
  text !== undefined && /^-?\d{1,18}$/.test(text) ? String(BigInt(text)) : null

/** The names that `fields=` asks for; null for all. */
export const readOnlyFields = (query: URLSearchParams): ReadonlySet<string> | null => {
  const names = (query.getAll('fields').at(-1) ?? '').split(',').map((name) => name.trim())
  return names.some((name) => name !== '') ? new Set(names) : null
}
