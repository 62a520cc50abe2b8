import { useSuspenseQuery } from '@tanstack/react-query'
import type { Right } from '../../domain/staff-user.ts'
import { type Answer, ask } from './client.ts'

export type Me = Answer<'GET /admin/me/'>

/** The start asks it before anything is drawn, because everything waits for it. */
export const meAsked = { queryKey: ['GET /admin/me/', {}], queryFn: () => ask('GET /admin/me/'), staleTime: 60_000 }

/** Who is signed in, and the settings that everything is shown by. It is there before the first screen is. */
export const useMe = (): Me => useSuspenseQuery(meAsked).data

/** Whether the user has a right. What is not allowed is not shown; the endpoints refuse it all the same. */
export function useMay(): (right: Right) => boolean {
  const { rights } = useMe().user
  return (right) => rights.includes(right)
}

/** Whether the user may have what needs rights, and perhaps to see all organizations. */
export function useMayHave(): (needed: {
  readonly right?: Right | readonly Right[]
  readonly isShared?: true
}) => boolean {
  const { rights, all_organizations } = useMe().user
  return ({ right = [], isShared = false }) =>
    [right].flat().every((one) => rights.includes(one)) && (all_organizations || !isShared)
}

/** Whether the user may change what all organizations share: tariffs, switches, NAS. */
export function useMayChangeShared(): boolean {
  return useMayHave()({ right: 'change', isShared: true })
}
