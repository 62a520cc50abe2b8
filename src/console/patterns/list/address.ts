import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type Filters = Readonly<Record<string, string | undefined>>

/** The filters of a list as the address has them: they survive a reload, go into a bookmark, and Back undoes them. */
export function useAddressFilters(): readonly [
  Filters,
  (change: Filters, options?: { readonly isTyping?: boolean }) => void,
] {
  const search = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  const change = useCallback(
    (change: Filters, { isTyping = false } = {}) => {
      const next = (before: Filters) => ({ ...before, ...change })
      // What is being typed takes the place of the address before, so that Back does not go letter by letter.
      void navigate({ to: '.', search: next as never, replace: isTyping, resetScroll: false })
    },
    [navigate],
  )
  return [search, change]
}

/** The change that takes away the filters that the address has of these. */
export const clearedFilters = (names: readonly string[], address: Filters): Filters =>
  Object.fromEntries(names.filter((name) => address[name]).map((name) => [name, undefined]))

/** The address of a row as links take it: the path, and the filters behind it. */
export function linkOf(address: string): { readonly to: string; readonly search: never } {
  const [to = '/', search = ''] = address.split('?')
  return { to, search: Object.fromEntries(new URLSearchParams(search)) as never }
}
