import type { PoolClient } from 'pg'
import { type Model, quoted } from './description.ts'
import { readFilters } from './filters.ts'
import { readOrdering } from './ordering.ts'
import { type Page, readPage } from './paging.ts'
import { Parameters } from './parameters.ts'
import { Joins } from './paths.ts'
import { recordSql } from './record-sql.ts'

/** Anything that runs one statement: a client inside a transaction. */
export type Client = Pick<PoolClient, 'query'>

export type ListAnswer =
  | { kind: 'listed'; count: number; page: Page; records: readonly string[] }
  | { kind: 'wrong'; errors: Record<string, string[]> }

/** One page of a model; the records are JSON texts. */
export async function listRecords(client: Client, model: Model, query: URLSearchParams): Promise<ListAnswer> {
  const joins = new Joins()
  const parameters = new Parameters()
  const filters = readFilters(model, query, joins, parameters)
  if (filters.kind === 'wrong') return filters
  const page = readPage(query)
  const order = readOrdering(model, query, joins)
  const conditions = [...filters.conditions]
  if (model.hiddenBy && !filters.names.has(model.hiddenBy))
    conditions.push(`NOT ${joins.root}.${quoted(model.hiddenBy)}`)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const from = ` FROM ${model.table} AS ${joins.root}${joins.sql}${where}`
  const records = await pageOf(
    client,
    model,
    readOnlyFields(query),
    `${from} ORDER BY ${order}`,
    page,
    parameters.values,
  )
  const count = await countOf(client, from, page, records.length, parameters.values)
  return { kind: 'listed', count, page, records }
}

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

const readOnlyFields = (query: URLSearchParams): ReadonlySet<string> | null => {
  const names = (query.getAll('fields').at(-1) ?? '').split(',').map((name) => name.trim())
  return names.some((name) => name !== '') ? new Set(names) : null
}

/**
 * Keys first, records after: the rows that an offset skips are never turned into JSON, and a key may come from the
 * index alone. The array keeps the order.
 */
async function pageOf(
  client: Client,
  model: Model,
  only: ReadonlySet<string> | null,
  fromAndOrder: string,
  { limit, offset }: Page,
  values: readonly unknown[],
): Promise<string[]> {
  const key = quoted(model.key)
  const text = `SELECT ${recordSql(model, 'record_row', only)} AS record
    FROM unnest(ARRAY(SELECT this.${key}${fromAndOrder} LIMIT $${values.length + 1}::int8 OFFSET $${values.length + 2}::int8))
      WITH ORDINALITY AS page(key, place) JOIN ${model.table} AS record_row ON record_row.${key} = page.key
    ORDER BY page.place`
  const { rows } = await client.query<{ record: string }>(text, [...values, limit, offset])
  return rows.map(({ record }) => record)
}

/** A page that is not full says by itself how many there are. */
async function countOf(
  client: Client,
  from: string,
  { limit, offset }: Page,
  found: number,
  values: readonly unknown[],
): Promise<number> {
  if (found < limit && (found > 0 || offset === 0)) return offset + found
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) AS count${from}`, [...values])
  return Number(rows[0]!.count)
}
