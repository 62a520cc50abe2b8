import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/use-endpoint.ts'

export type PlaceKind = 'city' | 'street' | 'house'
export type Place = { readonly id: number; readonly name: string }

/** More are found by typing more of the name. */
const listedMax = 50
const endpoint = 'GET /admin/dictionary/homes/'

/** The places of a kind under one above, by the beginnings of words. */
export function usePlaces(kind: PlaceKind, parent: number | null, typed: string): readonly Place[] | undefined {
  const asksNothing = kind !== 'city' && parent === null
  const { data } = useQuery({
    queryKey: [endpoint, kind, parent, typed],
    enabled: !asksNothing,
    queryFn: async ({ signal }) => {
      const within = { ...(parent !== null && { parent }), ...(typed !== '' && { q: typed }) }
      const { items } = await ask(endpoint, { query: { kind, limit: listedMax, ...within }, signal })
      return items.map(({ id, name }): Place => ({ id, name }))
    },
  })
  return data
}

const addition = 'POST /admin/dictionary/homes_crud/'

/** Adds a place that the dictionary does not have yet. */
export function useNewPlace() {
  const queries = useQueryClient()
  const { mutateAsync } = useMutation({
    mutationKey: [addition],
    mutationFn: async (place: { readonly kind: PlaceKind; readonly name: string; readonly parent: number | null }) => {
      const made = await ask(addition, { body: place })
      await forget(queries, [endpoint])
      return { id: Number(made.id), name: String(made.name) } satisfies Place
    },
  })
  return (kind: PlaceKind, name: string, parent: number | null): Promise<Place> => mutateAsync({ kind, name, parent })
}

/** Whether a place is being added, which is not part of the form yet. */
export const useIsAdding = (): boolean => useIsMutating({ mutationKey: [addition] }) > 0
