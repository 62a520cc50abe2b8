import { useEndpoint } from '../../api/use-endpoint.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'

export const homesEndpoint = 'GET /admin/dictionary/homes/'
export const homeEndpoint = 'GET /admin/dictionary/homes_crud/{id}/'
export const addressesPath = '/dictionaries/addresses/'
export type PlaceKind = 'city' | 'street' | 'house'
export type Node = {
  readonly id: number
  readonly name: string
  readonly kind: PlaceKind
  readonly parent: number | null
}

/** In the parameter `in`: all cities, where a provider of one city finds its streets at once. */
export const cities = '0'

/** The address of what lies in a place. */
export const insideOf = (id: number): string => `${addressesPath}?in=${id}`

/** A node of the address tree by its id; undefined: it is not known yet, or there is none. */
export function useNode(id: number | null): Node | undefined {
  const { data, error } = useEndpoint(homeEndpoint, { path: { id: id ?? 0 } }, { isEnabled: id !== null })
  if (error && !data) throw error
  return id === null ? undefined : (data as Node | undefined)
}

/** The place whose streets or houses are shown: that of the address, else the only city there is. */
export function useShownNode(): { readonly isKnown: boolean; readonly node: Node | undefined } {
  const [{ in: asked }] = useAddressFilters()
  const first = useEndpoint(homesEndpoint, { query: { kind: 'city', limit: 2 } }, { isEnabled: asked === undefined })
  const found = first.data?.items ?? []
  const only = found.length === 1 ? found[0]!.id : null
  const id = asked === undefined ? only : asked === cities ? null : Number(asked)
  const node = useNode(id)
  const isAsked = asked !== undefined || first.data !== undefined
  return { isKnown: isAsked && (id === null || node !== undefined), node }
}
