import { useParams } from '@tanstack/react-router'
import { outdatedByAction, useSubscriber, type Card } from '../use-subscriber.ts'

export type Login = Card['subscriber']['logins'][number]

/** What a change of a login makes untrue. */
export const outdatedByLogin = [
  ...outdatedByAction,
  'GET /admin/radius/pools/',
  'GET /admin/radius/pools/{id}/free/',
  'GET /admin/radius/pools/conflicts/',
] as const

type Named = {
  /** Among those of the subscriber; undefined: it is gone, or a new one is meant. */
  readonly login: Login | undefined
  readonly isNew: boolean
  readonly abonent: number
  /** The tab that the form stands beside. */
  readonly backTo: string
}

/** The login that the address names. */
export function useLogin(): Named {
  const { login: asked } = useParams({ strict: false }) as { readonly login?: string }
  const { id, logins } = useSubscriber().subscriber
  return {
    login: logins.find((one) => String(one.id) === asked),
    isNew: asked === undefined,
    abonent: id,
    backTo: `/subscribers/${id}/connection/`,
  }
}
