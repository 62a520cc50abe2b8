import type { Answer } from '../../api/client.ts'
import { useDoor } from '../../api/use-door.ts'
import { useAddressFilters } from './address.ts'
import { useAsked } from './asked.ts'
import { type ListDoor, useFirstPage } from './pages.ts'

/** Doors of lists that have sums of all that they find. */
type SumsDoor = { [D in ListDoor]: Answer<D> extends { readonly kpi?: unknown } ? D : never }[ListDoor]
type Sums<D extends SumsDoor> = Answer<D>['kpi']

/** What such a list has in `fixed`: its first page comes as soon as it is found, with the sums or without them. */
export const sumsApart = { totals: '0' } as const

/**
 * The sums of all that a list with `sumsApart` finds. Where its first page had to find all of it, it has the sums, and
 * nothing is looked for a second time; otherwise they are asked for behind it.
 */
export function useSums<D extends SumsDoor>(door: D, filters: readonly string[]): Sums<D> | undefined {
  const [address] = useAddressFilters()
  const asked = useAsked(address, filters, undefined, sumsApart)
  const first = useFirstPage(door, asked) as Summed<D> | undefined
  const { totals: _, sort: __, ...found } = asked.query
  const isApart = first !== undefined && first.kpi === undefined
  const { data } = useDoor(door, { query: { ...found, per_page: 1 } } as never, isApart)
  return first?.kpi ?? (data as Summed<D> | undefined)?.kpi
}

type Summed<D extends SumsDoor> = { readonly kpi?: Sums<D> }
