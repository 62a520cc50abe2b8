import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Answer, ask } from '../api/client.ts'

export type Group = Answer<'GET /admin/search/'>['groups'][number]

const waitMs = 120
/** So many of each kind; a list has the others. */
export const perKind = 5

/** What the search box shows of the server. */
export type Found = {
  readonly groups: readonly Group[]
  /** What is shown is not yet of what is typed. */
  readonly isPending: boolean
  readonly hasFailed: boolean
}

/**
 * Asks as one types: after a moment without a key, and a question that is no longer shown is aborted. Until the answer
 * comes the one before it stays, so that nothing flashes.
 */
export function useFound(typed: string): Found {
  const text = typed.trim()
  const [q] = useDebouncedValue(text, waitMs)
  const { data, isError, isPlaceholderData, isFetching } = useQuery({
    queryKey: ['GET /admin/search/', q],
    queryFn: ({ signal }) => ask('GET /admin/search/', { query: { q, limit: perKind }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    gcTime: 30_000,
    retry: false,
  })
  if (text === '') return { groups: [], isPending: false, hasFailed: false }
  const isOfAnother = q !== text || isPlaceholderData
  return {
    groups: data?.groups ?? [],
    isPending: isOfAnother || (isFetching && data === undefined),
    hasFailed: isError && !isOfAnother,
  }
}
