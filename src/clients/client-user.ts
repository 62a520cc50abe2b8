import type { LoginId, SubscriberId } from '../domain/ids.ts'

/** A client who is signed in, as doors see it. */
export type ClientUser = {
  readonly subscriberId: SubscriberId
  readonly loginId: LoginId
  /** The portal's session (hash of its key) or the phone's (uuid). */
  readonly session: string
}
