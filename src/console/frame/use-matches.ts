import { useSyncExternalStore } from 'react'

/** Whether the screen is of a kind, also when that changes while it is shown. */
export const useMatches = (query: string): boolean =>
  useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
