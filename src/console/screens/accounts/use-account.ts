import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask, type Item } from '../../api/client.ts'
import { outdatedByAction } from '../subscriber/use-subscriber.ts'

export const accountsEndpoint = 'GET /admin/Abonents/accounts_json/'
const endpoint = 'GET /admin/Abonents/accounts_get/{id}/'

export type Account = Item<typeof accountsEndpoint>
export type AccountCard = Answer<typeof endpoint>
export type Client = AccountCard['clients'][number]

/** What a change of an account makes untrue. */
export const outdatedByAccount = [
  endpoint,
  accountsEndpoint,
  'GET /admin/Abonents/accounts_services/{id}/',
  'GET /admin/Abonents/accounts_payments_summary/{id}/',
  'GET /admin/Abonents/accounts_bank_ops/{id}/',
  ...outdatedByAction,
] as const

/** The account of the address; in the forms beside its card it is there already. */
export function useAccount(): AccountCard {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  return useSuspenseQuery({
    queryKey: [endpoint, { path: { id } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id: Number(id) }, signal }),
  }).data
}

export const addressOfAccount = (id: number): string => `/money/accounts/${id}/`
