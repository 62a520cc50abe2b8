import { Parameters } from '../storage/parameters.ts'
import type { Client } from '../storage/sql.ts'
import { type Counts, countKept } from './counts.ts'
import { type Model, quoted } from './model.ts'
import { readFilters } from './filters.ts'
import { readOrdering } from './ordering.ts'
import { type Page, readPage } from './paging.ts'
import { Joins } from './paths.ts'
import { readOnlyFields } from './reads.ts'
import { recordSql } from './record-sql.ts'

/** One page of the records of a model, which are JSON texts. */
type Listed = { readonly count: number; readonly page: Page; readonly records: readonly string[] }

/** A page this far from the beginning is found by the buckets of row_counts and not by counting it off. */
const deepOffset = 2_000

/** What the parameters of a list ask for, or what is wrong with them. Nothing is asked of the database. */
export function readList(
  model: Model,
  query: URLSearchParams,
): AskedList | { kind: 'wrong'; errors: Record<string, string[]> } {
  const joins = new Joins()
  const parameters = new Parameters()
  const filters = readFilters(model, query, joins, parameters)
  if (filters.kind === 'wrong') return filters
  const order = readOrdering(model, query, joins)
  return {
    kind: 'asked',
    model,
    joins,
    parameters,
    order,
    conditions: [...filters.conditions, ...shownOnly(model, filters.names)],
    isFiltered: filters.conditions.length > 0,
    isByParts: filters.isByParts,
    byKey: order === keyOf(model) ? 'ASC' : order === `${keyOf(model)} DESC` ? 'DESC' : null,
    page: readPage(query),
    only: readOnlyFields(query),
  }
}

/**
 * PostgreSQL takes lower() of a text to be as cheap as adding two numbers, and would look through all names in their
 * index sooner than at the rows that the index on parts finds.
 */
const lowerCosts = 'SET LOCAL cpu_operator_cost = 0.01'

/** In a transaction. `scope` is what the meaning of a filter depends on beside its value. */
export async function listRecords(client: Client, asked: AskedList, counts: Counts, scope: string): Promise<Listed> {
  const list: List = { ...asked, client }
  if (asked.isByParts) await client.query(lowerCosts)
  const { model, parameters, page, only } = asked
  // One more than the page tells whether there is another.
  const wanted = { limit: page.limit + 1, offset: page.offset }
  if (model.counted && !asked.isFiltered) {
    const { count, start } = await countKept(client, model, page.offset, list.byKey === 'DESC')
    if (page.offset >= count) return { count, page, records: [] }
    const isDeep = start !== null && list.byKey !== null && page.offset > deepOffset
    const keys = isDeep
      ? await keysOf(list, { ...wanted, offset: page.offset - start.before }, [boundOf(list, start.key)])
      : await keysOf(list, wanted)
    return { count, page, records: await recordsOf(list, keys.slice(0, page.limit), only) }
  }
  const keys = model.counted && list.byKey ? await keysOfFiltered(list, wanted) : await keysOf(list, wanted)
  const count = await countOf(page, keys.length, () =>
    counts.count(client, { from: fromOf(list), values: parameters.values }, scope),
  )
  return { count, page, records: await recordsOf(list, keys.slice(0, page.limit), only) }
}

type AskedList = {
  readonly kind: 'asked'
  readonly model: Model
  readonly joins: Joins
  readonly parameters: Parameters
  readonly conditions: readonly string[]
  readonly order: string
  /** The direction of a list in the order of its keys, which is the order of a list that asks for none. */
  readonly byKey: 'ASC' | 'DESC' | null
  readonly isFiltered: boolean
  readonly isByParts: boolean
  readonly page: Page
  /** The fields of each record; null for all. */
  readonly only: ReadonlySet<string> | null
}

type List = AskedList & { readonly client: Client }

const keyOf = ({ key }: Model): string => `this.${quoted(key)}`

const shownOnly = ({ hiddenBy }: Model, named: ReadonlySet<string>): string[] =>
  hiddenBy && !named.has(hiddenBy) ? [`NOT this.${quoted(hiddenBy)}`] : []

const fromOf = (
  { model, joins, conditions }: List,
  more: readonly string[] = [],
  table: string = model.table,
): string => {
  const all = [...conditions, ...more]
  return ` FROM ${table} AS ${joins.root}${joins.sql}${all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''}`
}

const keysOf = (list: List, page: Page, bounds: readonly string[] = []): Promise<string[]> =>
  readKeys(list, `SELECT ${keyOf(list.model)} AS key${fromOf(list, bounds)} ORDER BY ${list.order}`, page)

const boundOf = ({ model, byKey }: List, edge: bigint): string =>
  `${keyOf(model)} ${byKey === 'DESC' ? '<=' : '>='} '${edge}'::int8`

/** So many rows are looked through in the order of their keys before the filter goes first. */
const walkedRows = 20_000
/**
 * What a filter is expected to find: so few are not worth a walk, so many are not sorted while there is another way.
 */
const fewRows = 2_000
const manyRows = 50_000

/**
 * A filtered page of a large table in the order of its keys. PostgreSQL would walk along the keys whenever it expects
 * many rows, and walks through the whole table when they all lie at its end: the operations of this month. So a walk is
 * bounded. It begins at the first row, then at the first that the filter finds; in the end all that the filter finds is
 * sorted.
 */
async function keysOfFiltered(list: List, page: Page): Promise<string[]> {
  const { client, model, parameters, byKey } = list
  const key = keyOf(model)
  const found = `SELECT ${key} AS key${fromOf(list)}`
  const expected = await expectedRows(list, found)
  if (expected > fewRows) {
    const keys = await keysOfWalk(list, [], page)
    if (keys.length === page.limit) return keys
  }
  // No index has the sum with 0: the order is out of the choice of how to filter.
  if (expected > manyRows) {
    const text = `SELECT ${byKey === 'DESC' ? 'max' : 'min'}(${key} + 0) AS edge${fromOf(list)}`
    const { rows } = await client.query<{ edge: string | null }>(text, parameters.values)
    const { edge } = rows[0]!
    if (edge === null) return []
    const keys = await keysOfWalk(list, [boundOf(list, BigInt(edge))], page)
    if (keys.length === page.limit) return keys
  }
  return readKeys(list, `${found} ORDER BY ${key} + 0 ${byKey}`, page)
}

function keysOfWalk(list: List, bounds: readonly string[], page: Page): Promise<string[]> {
  const { model, order, conditions } = list
  const within = [...bounds, ...shownOnly(model, new Set()).filter((condition) => conditions.includes(condition))]
  const where = within.length > 0 ? ` WHERE ${within.join(' AND ')}` : ''
  const walked = `(SELECT * FROM ${model.table} AS this${where} ORDER BY ${order} LIMIT ${walkedRows})`
  return readKeys(list, `SELECT ${keyOf(model)} AS key${fromOf(list, [], walked)} ORDER BY ${order}`, page)
}

/** What PostgreSQL expects a query to find. */
async function expectedRows({ client, parameters }: List, text: string): Promise<number> {
  type Plan = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }
  const { rows } = await client.query<Plan>(`EXPLAIN (FORMAT JSON) ${text}`, parameters.values)
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']
}

async function readKeys({ client, parameters }: List, text: string, { limit, offset }: Page): Promise<string[]> {
  const { values } = parameters
  const places = `LIMIT $${values.length + 1}::int8 OFFSET $${values.length + 2}::int8`
  const { rows } = await client.query<{ key: string }>(`${text} ${places}`, [...values, limit, offset])
  return rows.map(({ key }) => key)
}

/**
 * Keys first, records after: the rows that an offset skips are never turned into JSON, and a key may come from the
 * index alone.
 */
async function recordsOf(
  { client, model }: List,
  keys: readonly string[],
  only: ReadonlySet<string> | null,
): Promise<string[]> {
  if (keys.length === 0) return []
  const text = `SELECT ${recordSql(model, 'record_row', only)} AS record
    FROM unnest($1::int8[]) WITH ORDINALITY AS page(key, place)
      JOIN ${model.table} AS record_row ON record_row.${quoted(model.key)} = page.key
    ORDER BY page.place`
  const { rows } = await client.query<{ record: string }>(text, [keys])
  return rows.map(({ record }) => record)
}

/** A page that is not full says by itself how many there are. A remembered count gives way to what the page shows. */
async function countOf({ limit, offset }: Page, found: number, counted: () => Promise<number>): Promise<number> {
  if (found <= limit && (found > 0 || offset === 0)) return offset + found
  const count = await counted()
  return found > limit ? Math.max(count, offset + found) : Math.min(count, offset)
}
