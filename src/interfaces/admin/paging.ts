import Type, { type TSchema } from 'typebox'
import type { Reply } from '../../platform/http/call.ts'
import { count } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { ParameterDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { readQuery } from './body.ts'
import { answers } from './doors.ts'

const perPageDefault = 100
const perPageMax = 1000
/** Far beyond what anybody turns pages to; the database must not be asked to skip more. */
const pageMax = 100_000

/** One page of a list. `page` counts from 1, `offset` is the number of items before it. */
export type Page = { readonly page: number; readonly perPage: number; readonly offset: number }

/** `page` and `per_page` of a list. A wrong number is answered with 400; a `per_page` that is too large is reduced. */
export function readPage(query: URLSearchParams, perPageUsual = perPageDefault): Page | { refused: Reply } {
  const read = readQuery(pageParameters, query)
  if ('refused' in read) return read
  const { page = 1, per_page: asked = perPageUsual } = read.values
  const perPage = Math.min(asked, perPageMax)
  return { page, perPage, offset: (page - 1) * perPage }
}

/** `totals=0`: the caller asks for sums apart, and wants the page as soon as it is found. */
export const asksNoTotals = (query: URLSearchParams): boolean => query.get('totals') === '0'

/** One page of a list of `total` items. */
export const pageReply = (items: readonly unknown[], total: number, { perPage, offset }: Page): Reply =>
  json({ ok: true, items, total, has_more: offset + perPage < total })

/** The documented answers of `pageReply`. */
export const pageAnswers = (item: TSchema) =>
  answers(
    'One page',
    { items: Type.Array(item), total: schemas.integer, has_more: schemas.boolean },
    { 400: 'A parameter is wrong' },
  )

/** The documented answers of a page of a long list, whose items are not counted to the end. */
export const longPageAnswers = (item: TSchema) =>
  answers(
    'One page',
    {
      items: Type.Array(item),
      total: Type.Integer({ description: 'Not counted to the end' }),
      has_more_than_total: schemas.boolean,
      has_more: schemas.boolean,
    },
    { 400: 'A parameter is wrong' },
  )

/** How many items a page may have. More than `most` is cut and not refused. */
export const atMost = (most: number) => ({ doc: `At most ${most}; more is cut`, schema: count() })

export const pageParameters = {
  page: { doc: 'From 1', schema: count(pageMax) },
  per_page: atMost(perPageMax),
} as const satisfies Readonly<Record<string, ParameterDoc>>
