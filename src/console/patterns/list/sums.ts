import type { Answer } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useAddressFilters } from './address.ts'
import { useAsked } from './asked.ts'
import { type ListEndpoint, useFirstPage } from './pages.ts'

/** Endpoints of lists that have sums of all that they find. */
type SumsEndpoint = { [D in ListEndpoint]: Answer<D> extends { readonly kpi?: unknown } ? D : never }[ListEndpoint]
type Sums<D extends SumsEndpoint> = Answer<D>['kpi']

/** What such a list has in `fixed`: its first page comes as soon as it is found, with the sums or without them. */
export const sumsApart = { totals: '0' } as const

/**
 * The sums of all that a list with `sumsApart` finds. Where its first page had to find all of it, it has the sums, and
 * nothing is looked for a second time; otherwise they are asked for behind it.
 */
export function useSums<D extends SumsEndpoint>(endpoint: D, filters: readonly string[]): Sums<D> | undefined {
  const [address] = useAddressFilters()
  const asked = useAsked(address, filters, undefined, sumsApart)
  const first = useFirstPage(endpoint, asked) as Summed<D> | undefined
  const { totals: _, sort: __, ...found } = asked.query
  const isApart = first !== undefined && first.kpi === undefined
  const { data } = useEndpoint(endpoint, { query: { ...found, per_page: 1 } } as never, { isEnabled: isApart })
  return first?.kpi ?? (data as Summed<D> | undefined)?.kpi
}

type Summed<D extends SumsEndpoint> = { readonly kpi?: Sums<D> }
