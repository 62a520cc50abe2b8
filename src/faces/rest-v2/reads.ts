import type { PoolClient } from 'pg'
import { type Counts, countKept } from './counts.ts'
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

/** A page this far from the beginning is found by the buckets of row_counts and not by counting it off. */
const deepOffset = 2_000

/** One page of a model; the records are JSON texts. `scope` is what the meaning of a filter depends on beside its value. */
export async function listRecords(
  client: Client,
  model: Model,
  query: URLSearchParams,
  counts: Counts,
  scope: string,
): Promise<ListAnswer> {
  const joins = new Joins()
  const parameters = new Parameters()
  const filters = readFilters(model, query, joins, parameters)
  if (filters.kind === 'wrong') return filters
  const page = readPage(query)
  const order = readOrdering(model, query, joins)
  const conditions = [...filters.conditions]
  if (model.hiddenBy && !filters.names.has(model.hiddenBy))
    conditions.push(`NOT ${joins.root}.${quoted(model.hiddenBy)}`)
  const key = `${joins.root}.${quoted(model.key)}`
  const isDescending = order === `${key} DESC`
  const isWhole = model.counted === true && filters.conditions.length === 0
  const kept = isWhole ? await countKept(client, model, page.offset, isDescending) : null
  if (kept && page.offset >= kept.count) return { kind: 'listed', count: kept.count, page, records: [] }

  const from = () => ` FROM ${model.table} AS ${joins.root}${joins.sql}${whereOf(conditions)}`
  const counted = { from: from(), values: [...parameters.values] }
  let { offset } = page
  if (kept?.start && offset > deepOffset && (isDescending || order === key)) {
    conditions.push(`${key} ${isDescending ? '<=' : '>='} ${parameters.add(String(kept.start.key), 'int8')}`)
    offset -= kept.start.before
  }
  // One more than the page tells whether there is another.
  const wanted = { limit: page.limit + 1, offset }
  const rows = await pageOf(client, model, readOnlyFields(query), `${from()} ORDER BY ${order}`, wanted, parameters)
  const count = kept?.count ?? (await countOf(page, rows.length, () => counts.count(client, counted, scope)))
  return { kind: 'listed', count, page, records: rows.slice(0, page.limit) }
}

const whereOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''

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
  { values }: Parameters,
): Promise<string[]> {
  const key = quoted(model.key)
  const text = `SELECT ${recordSql(model, 'record_row', only)} AS record
    FROM unnest(ARRAY(SELECT this.${key}${fromAndOrder} LIMIT $${values.length + 1}::int8 OFFSET $${values.length + 2}::int8))
      WITH ORDINALITY AS page(key, place) JOIN ${model.table} AS record_row ON record_row.${key} = page.key
    ORDER BY page.place`
  const { rows } = await client.query<{ record: string }>(text, [...values, limit, offset])
  return rows.map(({ record }) => record)
}

/** A page that is not full says by itself how many there are. A remembered count gives way to what the page shows. */
async function countOf({ limit, offset }: Page, found: number, counted: () => Promise<number>): Promise<number> {
  if (found <= limit && (found > 0 || offset === 0)) return offset + found
  const count = await counted()
  return found > limit ? Math.max(count, offset + found) : Math.min(count, offset)
}
