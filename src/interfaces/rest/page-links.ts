import type { Page } from '../../platform/records/paging.ts'

type Links = { readonly next: string | null; readonly previous: string | null }

/**
 * `next` and `previous` as Django REST framework writes them: absolute, with all parameters of the request sorted by
 * name.
 */
export function pageLinks(url: string, query: URLSearchParams, { limit, offset }: Page, count: number): Links {
  const link = (to: number | null) => {
    const parameters = new URLSearchParams(query)
    parameters.set('limit', String(limit))
    if (to === null) parameters.delete('offset')
    else parameters.set('offset', String(to))
    parameters.sort()
    return `${url}?${parameters}`
  }
  return {
    next: offset + limit >= count ? null : link(offset + limit),
    previous: offset <= 0 ? null : link(offset - limit <= 0 ? null : offset - limit),
  }
}
