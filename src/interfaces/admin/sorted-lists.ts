import { isIP } from 'node:net'
import Type, { type TSchema } from 'typebox'
import { readMoment } from '../../domain/iso-dates.ts'
import { choice } from '../../platform/http/fields.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import type { Parameters } from '../../platform/storage/parameters.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { cursor, cursorOf, type Place } from './cursors.ts'
import { answers } from './doors.ts'
import { countUpTo, type ListFilters } from './list-filters.ts'
import { atMost } from './paging.ts'

/** What a list may be sorted by: an expression that is never null, and its type. Equal ones follow by id. */
export type Sorts = Readonly<Record<string, readonly [sql: string, type: SortType]>>

/** Whether PostgreSQL reads a text as a value of the type. A cursor of another list or order may hold any text. */
const isOfType = {
  text: () => true,
  int4: (text: string) => /^-?\d{1,9}$/.test(text),
  int8: (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  numeric: (text: string) => /^(-?\d{1,40}(\.\d{1,40})?|Infinity)$/.test(text),
  timestamptz: (text: string) => readMoment(text) !== null,
  inet: (text: string) => /^[\d.]+\/32$|^[\da-f:.]+\/128$/.test(text) && isIP(text.replace(/\/.*/, '')) !== 0,
} as const
type SortType = keyof typeof isOfType

/** A list that the caller may have sorted by one of several columns. All of it is SQL over `row`. */
export type SortedList = {
  /** The table that has a row for each item, the alias of it, and what conditions and sorts need besides. */
  readonly table: string
  readonly row: string
  readonly joins?: string
  /** The expression of an item, as JSON, over the row alone; what it needs besides is added to the parameters. */
  readonly item: (parameters: Parameters) => string
  readonly sorts: Sorts
  /**
   * Conditions of which one is enough, each with an index of its own, for whoever finds few rows by it. Put together
   * with OR they would read the whole table. They are asked for twice, so they must mean the same rows each time.
   */
  readonly ways?: readonly string[]
}

type Asked = { readonly sort: string; readonly limit?: number | undefined; readonly cursor?: Place | undefined }

const limitUsual = 50
const limitMax = 200
/** Counting every match of a filter would take as long as reading the table. */
const countedMax = 1_000

/** One page, and with the first one how many items there are. */
export async function sortedPage<Item>(client: Client, list: SortedList, filters: ListFilters, asked: Asked) {
  const { table, row, joins = '', item, sorts } = list
  const { sort, limit: most = limitUsual, cursor: after } = asked
  const limit = Math.min(most, limitMax)
  const [by, type] = sorts[sort.replace('-', '')]!
  const [direction, than] = sort.startsWith('-') ? ['DESC', '<'] : ['ASC', '>']
  const from = () => `${table} AS ${row} ${joins} WHERE ${filters.conditions}`
  const found = list.ways && (await findByWays(client, row, from(), list.ways, filters))
  // Told with the first page only: the others are of the same list.
  const total = after ? {} : (found?.total ?? (await countUpTo(client, countedMax, from(), filters.values)))
  if (after && !isOfType[type](after.value)) filters.where('false')
  else if (after)
    filters.where(`(${by}, ${row}.id) ${than} (${filters.add(after.value, type)}, ${filters.add(after.id, 'int8')})`)
  const end = `ORDER BY 2 ${direction}, 1 ${direction} LIMIT ${limit + 1}`
  // A row that several ways find is found once, because UNION leaves out what is equal.
  const pages = (found?.ways ?? ['true']).map(
    (way) => `(SELECT ${row}.id, ${by} AS place FROM ${from()} AND ${way} ${end})`,
  )
  const text = `SELECT ${item(filters)} AS item, page.place::text AS place, page.id
      FROM (SELECT * FROM (${pages.join(' UNION ')}) AS found ${end}) AS page
      JOIN ${table} AS ${row} ON ${row}.id = page.id ORDER BY page.place ${direction}, page.id ${direction}`
  const { rows } = await client.query<{ item: Item; place: string; id: string }>(text, [...filters.values])
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const next_cursor = last ? cursorOf({ value: last.place, id: Number(last.id) }) : null
  return { items: shown.map((one) => one.item), next_cursor, ...total }
}

/**
 * What a page is found by, and how many items there are. Rows of a way that finds few are looked up by their ids,
 * because walking along the order would pass by most of a million others.
 */
async function findByWays(client: Client, row: string, from: string, ways: readonly string[], filters: ListFilters) {
  const ids = ways.map((way) => `ARRAY(SELECT ${row}.id FROM ${from} AND ${way} LIMIT ${countedMax + 1})`)
  const { rows } = await client.query<string[][]>({
    text: `SELECT ${ids.join(', ')}`,
    values: [...filters.values],
    rowMode: 'array',
  })
  const found = rows[0]!
  const all = [...new Set(found.flat())]
  // The way itself stays beside the ids, because PostgreSQL wants to know the types of all parameters.
  const among = (few: readonly string[], way: string) => `${row}.id = ANY(${filters.add(few, 'int8[]')}) AND (${way})`
  const isCounted = all.length <= countedMax
  return {
    total: { total: Math.min(all.length, countedMax), has_more_than_total: !isCounted },
    ways: isCounted
      ? [among(all, ways.join(' OR '))]
      : ways.map((way, at) => (found[at]!.length > countedMax ? way : among(found[at]!, way))),
  }
}

/** The parameters of such a list besides its filters. */
export const sortedParameters = <const Name extends string>(names: readonly Name[]) => ({
  sort: {
    doc: 'With - before it the other way round',
    schema: choice(names.flatMap((name) => [name, `-${name}`] as const)),
  },
  limit: atMost(limitMax),
  cursor: { doc: '`next_cursor` of the page before', schema: cursor },
})

/** The documented answers of such a list. */
export const sortedAnswers = (item: TSchema) =>
  answers(
    'One page',
    {
      items: Type.Array(item),
      next_cursor: nullable(schemas.text),
      total: Type.Optional(Type.Integer({ description: 'Not counted to the end, and on the first page only' })),
      has_more_than_total: Type.Optional(schemas.boolean),
    },
    { 400: 'A parameter is wrong' },
  )
