import { useCallback } from 'react'
import { useMe } from '../../api/me.tsx'

/** The names of organizations by their ids, of those that the user sees. */
export function useOrganizationNames(): (ids: readonly number[]) => string {
  const { organizations } = useMe()
  return useCallback(
    (ids) => ids.map((id) => organizations.find((one) => one.id === id)?.name ?? String(id)).join(', '),
    [organizations],
  )
}
