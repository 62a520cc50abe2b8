import type { ClientParts } from '../../billing/clients/parts.ts'
import type { PasswordParts } from '../../billing/clients/password.ts'
import type { PhoneSessions } from '../../billing/clients/phone-sessions.ts'
import type { PortalSessions } from '../../billing/clients/portal-sessions.ts'
import type { OptOutLinks } from '../../billing/messages/mailing/opt-out.ts'
import type { WrittenRows } from '../../platform/storage/changes.ts'
import type { PersistenceScope } from '../../platform/storage/transactions.ts'
import type { Payments } from '../../billing/payments/payments.ts'

/** What the handlers of the portal depend on. */
export type PortalParts = ClientParts &
  PersistenceScope &
  Omit<PasswordParts, 'portal' | 'phones' | 'changed'> & {
    /** Reports rows that were written; resolves when RADIUS and the actors have read them. */
    readonly changed: (rows: WrittenRows) => Promise<void>
    readonly portal: PortalSessions
    readonly phones: Pick<PhoneSessions, 'endOthers'>
    readonly payments: Pick<Payments, 'startPayment' | 'orders'>
    /**
     * The origin of TOLLGATE_PUBLIC_URL, which is accepted as our own besides that of the Host header; null when unset.
     */
    readonly publicOrigin: string | null
    readonly optOutLinks: Pick<OptOutLinks, 'subscriberOf'>
    readonly isReadOnly: () => boolean
  }
