import type { LoginId, SubscriberId } from '../../domain/ids.ts'

/** A client who is signed in. */
export type ClientUser = {
  readonly subscriberId: SubscriberId
  readonly loginId: LoginId
  /** The id of the session: the hash of its key at the portal, a UUID on a phone. */
  readonly session: string
}

/** A session of the portal. Only the browser knows its key. */
export type PortalSession = { readonly client: ClientUser; readonly csrfToken: string }

/** The cookie that carries the key of a portal session. */
export const portalCookie = 'lksession'
