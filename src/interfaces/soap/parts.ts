import type { Pool } from 'pg'
import type { Accounts } from '../../billing/accounts/messages.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PasswordTries } from '../../platform/passwords/tries.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { SignInAudit } from '../../platform/staff/sign-in-audit.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { SoapSessions } from './sessions.ts'

/** What the SOAP services depend on. */
export type SoapParts = {
  readonly pool: Pool
  readonly accounts: Pick<Accounts, 'ask'>
  readonly secrets: Pick<Secrets, 'open'>
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Clock
  readonly log: Log
  readonly sessions: SoapSessions
  readonly audit: SignInAudit
  /** Limits get_user_hash. */
  readonly tries: PasswordTries
}
