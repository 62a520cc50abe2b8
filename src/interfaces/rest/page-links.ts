import type { Page } from '../../platform/records/paging.ts'

type Links = { readonly next: string | null; readonly previous: string | null }

/**
 * `next` and `previous` as Django REST framework writes them: absolute, with all parameters of the request sorted by
 * name.
 */
export function pageLinks(url: string, query: URLSearchParams, { limit, offset }: Page, count: number): Links {
  const link = (to: number | null) => {
    const parameters = new Map<string, string[]>()
    for (const name of query.keys()) parameters.set(name, query.getAll(name))
    parameters.set('limit', [String(limit)])
    if (to === null) parameters.delete('offset')
    else parameters.set('offset', [String(to)])
    const names = [...parameters.keys()].sort()
    const pairs = names.flatMap((name) => parameters.get(name)!.map((value): [string, string] => [name, value]))
    return `${url}?${new URLSearchParams(pairs)}`
  }
  return {
    next: offset + limit >= count ? null : link(offset + limit),
    previous: offset <= 0 ? null : link(offset - limit <= 0 ? null : offset - limit),
  }
}
