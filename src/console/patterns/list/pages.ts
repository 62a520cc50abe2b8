import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { ask, type Endpoint, type Item, type Sent } from '../../api/client.ts'

/** Endpoints that answer with a page of items and say where the next one begins. */
export type ListEndpoint = Extract<Endpoint, `GET ${string}`>

/** A cursor is a text, and at two older endpoints several fields. */
export type Cursor = string | Readonly<Record<string, string | number>> | null

export type Page<Row> = {
  readonly items: readonly Row[]
  readonly next_cursor?: Cursor
  /** Of lists whose pages have numbers. */
  readonly has_more?: boolean
  readonly total?: number
  readonly has_more_than_total?: boolean
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export const readPage = <D extends ListEndpoint>(endpoint: D, asked: Asked, cursor: Cursor, signal?: AbortSignal) => {
  const next: Query = cursor === null ? {} : typeof cursor === 'string' ? { cursor } : cursor
  const sent = { ...asked, query: { ...asked.query, ...next }, ...(signal && { signal }) }
  return (ask as (endpoint: D, sent: object) => Promise<unknown>)(endpoint, sent) as Promise<Page<Item<D>>>
}

export type Asked = { readonly path?: Readonly<Record<string, string | number>>; readonly query: Query }

const changingMs = 4_000

/** Where the page after so many begins; null: there is none. */
export const afterPages = ({ next_cursor, has_more }: Page<unknown>, pages: number): Cursor =>
  next_cursor ?? (has_more === true ? { page: pages + 1 } : null)

const pagesOf = <D extends ListEndpoint>(endpoint: D, asked: Asked) =>
  infiniteQueryOptions({
    queryKey: [endpoint, 'list', asked],
    queryFn: ({ pageParam, signal }) => readPage(endpoint, asked, pageParam, signal),
    initialPageParam: null as Cursor,
    getNextPageParam: (last, pages) => afterPages(last, pages.length),
  })

/**
 * What a list asks of its endpoint: filters and sort are the server's work. While `changes` says so of the rows, they
 * are asked for again every few seconds.
 */
export function usePages<D extends ListEndpoint>(endpoint: D, asked: Asked, changes?: (row: Item<D>) => boolean) {
  const query = useInfiniteQuery({
    ...pagesOf(endpoint, asked),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      changes !== undefined && data?.pages.some(({ items }) => items.some(changes)) ? changingMs : false,
  })
  const first = query.data?.pages[0]
  return {
    query,
    rows: query.data?.pages.flatMap(({ items }) => items) ?? [],
    total: first?.total ?? null,
    hasMoreThanTotal: first?.has_more_than_total ?? false,
  }
}

export type Growing = Pick<UseInfiniteQueryResult, 'isFetching' | 'fetchNextPage' | 'refetch'>

/**
 * Asks for the next page. That gives up an answer that is on its way, perhaps because of an event, so everything is
 * asked for again behind it.
 */
export async function growByPage({ isFetching, fetchNextPage, refetch }: Growing): Promise<void> {
  await fetchNextPage()
  if (isFetching) await refetch({ cancelRefetch: false })
}

/** The first page of a list, which asks for it by itself. */
export const useFirstPage = <D extends ListEndpoint>(endpoint: D, asked: Asked) =>
  useInfiniteQuery({ ...pagesOf(endpoint, asked), enabled: false }).data?.pages[0]

/** Checked where a screen names its endpoint: what the list adds is known to it. */
export type QueryOf<D extends Endpoint> = NonNullable<Sent<D>['query']>
