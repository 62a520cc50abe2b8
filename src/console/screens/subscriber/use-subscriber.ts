import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { useFollowing } from '../../live/use-following.ts'

const endpoint = 'GET /admin/Abonents/subscribers/{id}/'

export type Card = Answer<typeof endpoint>

/** What a change of this subscriber makes untrue. */
export const outdatedByAction = [
  endpoint,
  'GET /admin/Abonents/why/{id}/',
  'GET /admin/Abonents/subscribers/',
  'GET /admin/Abonents/finops_json/',
  'GET /admin/reports/PayLog/',
  'GET /admin/Abonents/services/{id}/',
  'GET /admin/Abonents/tariff/{id}/',
  'GET /admin/Abonents/service_offer/{id}/',
  'GET /admin/Abonents/log/{id}/',
] as const

/** The subscriber of the address. The card's head has waited for it, so in its tabs it is there. */
export function useSubscriber(): Card {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  return useSuspenseQuery({
    queryKey: [endpoint, { path: { id } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id: Number(id) }, signal }),
  }).data
}

/** The card follows what happens to its subscriber. */
export const useFollowed = (id: number): void => useFollowing([`abonent:${id}`], outdatedByAction, 1_000)
