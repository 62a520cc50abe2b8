import Type from 'typebox'
import type { Reply } from '../../platform/http/call.ts'
import { refusal } from '../../platform/http/errors.ts'
import type { ParameterDoc } from '../../platform/http/route-doc.ts'

const perPageDefault = 100
const perPageMax = 1000
/** Far beyond what anybody turns pages to; the database must not be asked to skip more. */
const pageMax = 100_000

/** `page` from 1 and `per_page` of a list; a number that cannot be one is 400, too many a page are cut. */
export function readPage(
  query: URLSearchParams,
  perPageUsual = perPageDefault,
): { page: number; perPage: number } | { refused: Reply } {
  const page = readCount(query.get('page'), 1)
  const perPage = readCount(query.get('per_page'), perPageUsual)
  if (page === null || page > pageMax)
    return { refused: refusal('admin', 400, `page: It must be from 1 to ${pageMax}.`) }
  if (perPage === null) return { refused: refusal('admin', 400, 'per_page: It must be a whole number from 1.') }
  return { page, perPage: Math.min(perPage, perPageMax) }
}

export const pageParameters = {
  page: { doc: 'From 1', schema: Type.Integer({ minimum: 1, maximum: pageMax }) },
  per_page: { doc: `At most ${perPageMax}; more is cut`, schema: Type.Integer({ minimum: 1 }) },
} as const satisfies Readonly<Record<string, ParameterDoc>>

function readCount(text: string | null, usual: number): number | null {
  if (text === null || text === '') return usual
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null
}
