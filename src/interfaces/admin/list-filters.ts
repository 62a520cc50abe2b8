import { readId } from '../../domain/ids.ts'
import { readDate, readMoment } from '../../domain/iso-dates.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusal } from '../../platform/http/errors.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../platform/staff/visible-records.ts'
import { Parameters } from '../../platform/storage/parameters.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { pageReply, readPage } from './paging.ts'

/** The filters of a list as SQL: conditions and the values in them. Forms send empty parameters, which do not count. */
export class ListFilters extends Parameters {
  readonly #conditions: string[] = []
  readonly #query: URLSearchParams

  constructor(query: URLSearchParams = new URLSearchParams()) {
    super()
    this.#query = query
  }

  /** The sent text, trimmed; empty when there is none. */
  sent(name: string): string {
    return this.#query.get(name)?.trim() ?? ''
  }

  where(condition: string): void {
    this.#conditions.push(condition)
  }

  /** An id that `column` must have, where the parameter was sent. What is wrong with it, or null. */
  whereId(name: string, column: string): string | null {
    if (!this.sent(name)) return null
    const id = readId(this.sent(name))
    if (id === null) return `${name}: It must be an id.`
    this.where(`${column} = ${this.add(id, 'int8')}`)
    return null
  }

  /**
   * `date_from` and `date_to`, both of them included; days are those of the session's time zone, which is TIME_ZONE.
   * What is wrong with them, or null.
   */
  wherePeriod(column: string): string | null {
    for (const [name, sign] of [
      ['date_from', '>='],
      ['date_to', '<='],
    ] as const) {
      const text = this.sent(name)
      if (!text) continue
      const moment = readMoment(text)
      if (moment === null) return `${name}: It must be an ISO 8601 date or datetime.`
      // A date_to without a time includes the whole day.
      if (name === 'date_to' && readDate(text)) this.where(`${column} < (${this.place(text)}::date + 1)::timestamptz`)
      else this.where(`${column} ${sign} ${this.add(moment, 'timestamptz')}`)
    }
    return null
  }

  /** All conditions together. */
  get conditions(): string {
    return this.#conditions.length > 0 ? this.#conditions.join(' AND ') : 'true'
  }
}

/** A list of the web admin in SQL. */
export type FilteredList = {
  /** The expression for one item, as JSON. */
  readonly item: string
  /** The tables. */
  readonly from: string
  readonly order: string
  /** The column with the organization that decides who sees an item. */
  readonly organization: string
  /** Adds the conditions that were sent. What is wrong with them, or null. */
  readonly narrow: (filters: ListFilters) => string | null
}

const perPageUsual = 50

/** Answers one page of a list and how long the whole list is. */
export async function answerList(scope: TransactionScope, call: Call, list: FilteredList): Promise<Reply> {
  const page = readPage(call.query, perPageUsual)
  if ('refused' in page) return page.refused
  const filters = new ListFilters(call.query)
  const wrong = list.narrow(filters)
  if (wrong !== null) return refusal('admin', 400, wrong)
  filters.where(visibleSql(list.organization, filters.place(visibleTo(call))))
  const { conditions, values } = filters
  const from = `${list.from} WHERE ${conditions}`
  return await reading(scope, async (client) => {
    const counted = await client.query<{ total: number }>(`SELECT count(*)::int4 AS total FROM ${from}`, values)
    const { rows } = await client.query<{ item: unknown }>(
      `SELECT ${list.item} AS item FROM ${from} ORDER BY ${list.order} LIMIT ${page.perPage} OFFSET ${page.offset}`,
      values,
    )
    const items = rows.map(({ item }) => item)
    return pageReply(items, counted.rows[0]!.total, page)
  })
}

/** For the documentation of a list that takes a period. */
export const periodParameters = {
  date_from: { doc: 'A date of TIME_ZONE or a datetime' },
  date_to: { doc: 'A datetime, or a date, which is included as a whole' },
} as const
