import type { VisibleOrganizations } from '../staff/visible-organizations.ts'
import type { Client } from '../storage/sql.ts'
import { recordValues } from './diff.ts'
import { escapedForLike } from './filters.ts'
import { type Model, quoted } from './model.ts'
import type { StoredRecord } from './reads.ts'
import { recordSql } from './record-sql.ts'
import { visibleRows } from './rows.ts'

/** A page of a list that is looked through for a text. All of it is SQL over the row `this`. */
type Search = {
  /** Empty: all records. */
  readonly text: string
  /** The text of a record that is looked through. */
  readonly searched: string
  /** ORDER BY; the key follows. */
  readonly order: string
  /** No two records have the same place in the order, so that it is all that a page is found by. */
  readonly isOrderUnique?: boolean | undefined
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

/** The records of the page, and how many the whole list has. */
export async function searchRecords(
  client: Client,
  model: Model,
  { text, searched, order: by, isOrderUnique = false, page, perPage }: Search,
  visible: VisibleOrganizations,
): Promise<{ items: StoredRecord[]; total: number }> {
  const key = isOrderUnique ? by : `this.${quoted(model.key)}`
  const order = isOrderUnique ? by : `${by}, ${key}`
  // LIKE, because an index on parts of texts serves it.
  const pattern = `%${escapedForLike(text)}%`
  const from = `FROM ${model.table} AS this WHERE ${visibleRows(model, 'this', '$1')}
    AND ($2::text = '%%' OR lower(${searched}) LIKE lower($2::text))`
  const { rows } = await client.query<{ record: string }>(
    // The page is found by its keys, so that records before it are not made.
    `SELECT ${recordSql(model, 'this', null)} AS record FROM ${model.table} AS this
        JOIN (SELECT ${key} AS key ${from} ORDER BY ${order} LIMIT $3 OFFSET $4) AS page ON page.key = ${key}
      ORDER BY ${order}`,
    [visible, pattern, perPage, (page - 1) * perPage],
  )
  const items = rows.map(({ record }) => recordValues(record))
  // A page that is not full says by itself how many there are.
  if (items.length < perPage && (page === 1 || items.length > 0))
    return { items, total: (page - 1) * perPage + items.length }
  const counted = await client.query<{ total: number }>(`SELECT count(*)::int4 AS total ${from}`, [visible, pattern])
  return { items, total: counted.rows[0]!.total }
}
