import type { LoginId, SubscriberId } from '../../domain/ids.ts'

/** A client who is signed in, as doors see it. */
export type ClientUser = {
  readonly subscriberId: SubscriberId
  readonly loginId: LoginId
  /** The portal's session (hash of its key) or the phone's (uuid). */
  readonly session: string
}

/** A session of the portal; the key itself is known to the browser alone. */
export type PortalSession = { readonly client: ClientUser; readonly csrfToken: string }

/** The cookie that carries the key of a portal session. */
export const portalCookie = 'lksession'
