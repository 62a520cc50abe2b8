import type { ClientParts } from '../../clients/parts.ts'
import type { PasswordParts } from '../../clients/password.ts'
import type { PhoneSessions } from '../../clients/phone-sessions.ts'
import type { PortalSessions } from '../../clients/portal-sessions.ts'
import type { Payments } from '../../payments/payments.ts'

/** What the client's pages stand on. */
export type PortalParts = ClientParts &
  Omit<PasswordParts, 'portal' | 'phones'> & {
    readonly portal: PortalSessions
    readonly phones: Pick<PhoneSessions, 'endOthers'>
    readonly payments: Pick<Payments, 'startPayment' | 'orders'>
    /** TOLLGATE_PUBLIC_URL's origin, ours besides the Host as sent; null when unset. */
    readonly publicOrigin: string | null
    readonly isReadOnly: () => boolean
  }
