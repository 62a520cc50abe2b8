import { useDeferredValue, useMemo } from 'react'
import type { Filters } from './address.ts'

/** What a list asks of its endpoint, by the filters of the address. */
export function useAsked(
  address: Filters,
  names: readonly string[],
  path: Readonly<Record<string, string | number>> | undefined,
  fixed: object | undefined,
) {
  const chosen = ['sort', ...names].map((name) => [name, address[name]] as const)
  const key = JSON.stringify([chosen, path, fixed])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of it
  const asked = useMemo(
    () => ({
      ...(path && { path }),
      query: { ...(fixed as Filters), ...Object.fromEntries(chosen.filter(([, value]) => value !== undefined)) },
    }),
    [key],
  )
  // While somebody types, the rows that are there stay; the newest question is the one that is answered.
  return useDeferredValue(asked)
}
