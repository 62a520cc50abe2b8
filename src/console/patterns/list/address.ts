import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type Filters = Readonly<Record<string, string | undefined>>

/** What becomes of some filters, or how that follows from what they are when it is done. */
export type FilterChange = Filters | ((now: Filters) => Filters)

/**
 * The filters of a list as the address has them: they survive a reload, go into a bookmark, and Back undoes them. The
 * address may be ahead of what is shown, so a change that builds on it is a function.
 */
export function useAddressFilters(): readonly [
  Filters,
  (change: FilterChange, options?: { readonly replaces?: boolean }) => void,
] {
  const search = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  const change = useCallback(
    (change: FilterChange, { replaces = false } = {}) => {
      const next = (now: Filters) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) })
      // What `replaces` the address before keeps Back from leading to half a word, or to a period not yet filled in.
      void navigate({ to: '.', search: next as never, replace: replaces, resetScroll: false })
    },
    [navigate],
  )
  return [search, change]
}

/** The change that takes away the filters that the address has of these. */
export const clearedFilters = (names: readonly string[], address: Filters): Filters =>
  Object.fromEntries(names.filter((name) => address[name]).map((name) => [name, undefined]))

/** An address as links take it: the path, and the filters behind it. */
export function linkOf(address: string): { readonly to: string; readonly search: never } {
  const [to = '/', search = ''] = address.split('?')
  return { to, search: Object.fromEntries(new URLSearchParams(search)) as never }
}
