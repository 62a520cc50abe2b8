import type { ClientParts } from '../../billing/clients/parts.ts'
import type { PasswordParts } from '../../billing/clients/password.ts'
import type { PhoneSessions } from '../../billing/clients/phone-sessions.ts'
import type { PortalSessions } from '../../billing/clients/portal-sessions.ts'
import type { Payments } from '../../billing/payments/payments.ts'

/** What the client's pages need. */
export type PortalParts = ClientParts &
  Omit<PasswordParts, 'portal' | 'phones'> & {
    readonly portal: PortalSessions
    readonly phones: Pick<PhoneSessions, 'endOthers'>
    readonly payments: Pick<Payments, 'startPayment' | 'orders'>
    /** TOLLGATE_PUBLIC_URL's origin, ours besides the Host as sent; null when unset. */
    readonly publicOrigin: string | null
    readonly isReadOnly: () => boolean
  }
