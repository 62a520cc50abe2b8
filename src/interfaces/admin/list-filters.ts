import type { PoolClient } from 'pg'
import { readDate, readMoment } from '../../domain/iso-dates.ts'

/**
 * What a list is narrowed by: conditions of SQL and the values they speak of. Empty parameters are left out, as forms
 * send them.
 */
export class ListFilters {
  readonly conditions: string[] = []
  readonly values: unknown[] = []
  readonly #query: URLSearchParams

  constructor(query: URLSearchParams) {
    this.#query = query
  }

  /** The sent text without its margins; empty when there is none. */
  sent(name: string): string {
    return this.#query.get(name)?.trim() ?? ''
  }

  /** The placeholder of a value. */
  at(value: unknown): `$${number}` {
    return `$${this.values.push(value)}`
  }

  add(condition: string): void {
    this.conditions.push(condition)
  }

  /** `date_from` and `date_to`, both of them included. What is wrong with them, or null. */
  addPeriod(column: string): string | null {
    for (const [name, sign] of [
      ['date_from', '>='],
      ['date_to', '<='],
    ] as const) {
      const text = this.sent(name)
      if (!text) continue
      const moment = readMoment(text)
      if (moment === null) return `${name}: It must be an ISO 8601 date or datetime.`
      // A bare date_to is the end of that day.
      if (name === 'date_to' && readDate(text)) this.add(`${column} < ${this.at(text)}::date + interval '1 day'`)
      else this.add(`${column} ${sign} ${this.at(moment)}::timestamptz`)
    }
    return null
  }

  get where(): string {
    return this.conditions.join(' AND ')
  }
}

export type Page = { readonly page: number; readonly perPage: number }
export type Listed = { readonly items: unknown[]; readonly total: number; readonly has_more: boolean }

/**
 * One page of a list and how long the whole is. `item` is an SQL expression, `from` all from the tables to the
 * conditions.
 */
export async function readListed(
  client: Pick<PoolClient, 'query'>,
  { item, from, order, values }: { item: string; from: string; order: string; values: readonly unknown[] },
  { page, perPage }: Page,
): Promise<Listed> {
  const counted = await client.query<{ total: number }>(`SELECT count(*)::int4 AS total FROM ${from}`, [...values])
  const total = counted.rows[0]!.total
  const { rows } = await client.query<{ item: unknown }>(
    `SELECT ${item} AS item FROM ${from} ORDER BY ${order} LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
    [...values],
  )
  return { items: rows.map((row) => row.item), total, has_more: page * perPage < total }
}

/** For the documentation of a list that takes a period. */
export const periodParameters = {
  date_from: { doc: 'A date or a datetime' },
  date_to: { doc: 'A datetime, or a date with all of its day' },
} as const
