import type { ClientParts } from '../../clients/parts.ts'
import type { PhoneSessions } from '../../clients/phone-sessions.ts'
import type { PortalSessions } from '../../clients/portal-sessions.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { SignInThrottle } from '../../http/throttle.ts'
import type { Log } from '../../log.ts'
import type { Payments } from '../../payments/payments.ts'
import type { Database } from '../../storage/database.ts'
import type { Secrets } from '../../storage/secrets.ts'
import type { Changed } from '../rest-v2/face.ts'

/** Devices that take pushes. */
export type Devices = {
  register(subscriber: SubscriberId, token: string, platform: 'android' | 'ios' | 'web'): Promise<void>
  forget(subscriber: SubscriberId, token: string): Promise<boolean>
}

/** What the doors of the application stand on. */
export type MobileParts = Omit<ClientParts, 'pool'> & {
  readonly pool: Database['pool']
  readonly database: Pick<Database, 'pool'>
  readonly timeZone: () => string
  readonly secrets: Pick<Secrets, 'open' | 'seal'>
  /** Of guesses at passwords; shared with the portal. */
  readonly throttle: SignInThrottle
  readonly log: Log
  readonly phones: PhoneSessions
  readonly portal: PortalSessions
  readonly payments: Pick<Payments, 'startPayment'>
  readonly devices: Devices
  /** Somebody sends pushes. */
  readonly hasPush: () => boolean
  /** Resolves when RADIUS and the actors have seen rows that were written. */
  readonly changed: (change: Changed) => Promise<void>
  readonly isReadOnly: () => boolean
  readonly publicUrl: () => string
  readonly version: string
}
