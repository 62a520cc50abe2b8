import type { ClientParts } from '../../billing/clients/parts.ts'
import type { PhoneSessions } from '../../billing/clients/phone-sessions.ts'
import type { PortalSessions } from '../../billing/clients/portal-sessions.ts'
import type { PushDevices } from '../../billing/messages/push-devices.ts'
import type { Payments } from '../../billing/payments/payments.ts'
import type { Author } from '../../domain/author.ts'
import type { Language } from '../../domain/language.ts'
import type { Call } from '../../platform/http/call.ts'
import type { ClientUser } from '../../platform/http/client-user.ts'
import type { Log } from '../../platform/log.ts'
import type { WrittenRows } from '../../platform/storage/changes.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { PasswordCheck } from '../../platform/passwords/login-passwords.ts'
import type { PasswordTries } from '../../platform/passwords/tries.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'

/** A request and the language of its answer. */
export type Asked = { readonly call: Call; readonly language: Language }

/** A request of a client who is signed in. */
export type PhoneCall = Asked & { readonly client: ClientUser; readonly author: Author }

/** What the handlers of the mobile API depend on. */
export type MobileParts = Omit<ClientParts, 'pool'> & {
  readonly pool: Database['pool']
  readonly database: Pick<Database, 'pool' | 'manager'>
  readonly timeZone: () => string
  readonly secrets: Pick<Secrets, 'open' | 'seal'>
  readonly isPassword: PasswordCheck
  /** Limits guesses at passwords. */
  readonly tries: PasswordTries
  readonly log: Log
  readonly phones: PhoneSessions
  readonly portal: PortalSessions
  readonly payments: Pick<Payments, 'startPayment'>
  readonly devices: Pick<PushDevices, 'register' | 'forget'>
  /** Whether a push provider is configured. */
  readonly hasPush: () => boolean
  /** Reports rows that were written; resolves when RADIUS and the actors have read them. */
  readonly changed: (rows: WrittenRows) => Promise<void>
  readonly isReadOnly: () => boolean
  readonly publicUrl: () => string
  readonly version: string
}
