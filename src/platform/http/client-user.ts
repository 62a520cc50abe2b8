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

/**
 * The cookie that carries the key of a portal session. Under TLS, the prefix makes browsers refuse the cookie from any
 * other host of the domain and without Secure (RFC 6265bis section 4.1.3).
 */
export const portalCookie = ({ secure }: { readonly secure: boolean }): string =>
  secure ? '__Host-lksession' : 'lksession'
