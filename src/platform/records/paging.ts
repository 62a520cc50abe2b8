/** The page a list asks for. */
export type Page = { readonly limit: number; readonly offset: number }

export const limitDefault = 100
export const limitMax = 1000
/** PostgreSQL takes any int8; beyond this a page is empty anyway. */
const offsetMax = Number.MAX_SAFE_INTEGER

/** As DRF's LimitOffsetPagination: what is not a positive limit or an offset counts as not sent, too much is cut. */
export function readPage(query: URLSearchParams): Page {
  const limit = wholeNumber(query.getAll('limit').at(-1))
  const offset = wholeNumber(query.getAll('offset').at(-1))
  return {
    limit: limit === null || limit === 0 ? limitDefault : Math.min(limit, limitMax),
    offset: Math.min(offset ?? 0, offsetMax),
  }
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\s*\+?\d+\s*$/.test(text) ? Number(text) : null
