import { refusalCodes } from '../../../domain/access.ts'
import { normalMac } from '../../../domain/mac.ts'
import type { AuthEntry, AuthVerdict } from '../worker/auth-entries.ts'

/** A row of the log before it has an id. */
export type AuthRow = {
  readonly atMs: number
  readonly accepted: boolean
  readonly reason: string | null
  /** The login; null in a row that counts the answers to many logins. */
  readonly login: string | null
  readonly subscriberId: number | null
  readonly organizationId: number | null
  /** The NAS; null in a row that counts the answers to many NAS. */
  readonly nasId: number | null
  /** As domain/mac.ts spells it, or else the Calling-Station-Id as it was sent. */
  readonly mac: string | null
  readonly port: string | null
  readonly count: number
}

/** Whether an answer was an accept, be it into the walled garden only. */
const reasonOf = (verdict: AuthVerdict): string | null =>
  verdict === 'accept' ? null : verdict === 'garden' ? verdict : refusalCodes[verdict]

export const isAccept = (verdict: AuthVerdict): boolean => verdict === 'accept' || verdict === 'garden'

export function authRow({ verdict, nasId, who }: AuthEntry, atMs: number, count: number): AuthRow {
  const station = storable(who?.station ?? null)
  return {
    atMs,
    accepted: isAccept(verdict),
    reason: reasonOf(verdict),
    login: who && storable(who.login),
    subscriberId: who?.subscriberId ?? null,
    organizationId: who?.organizationId ?? null,
    nasId,
    mac: station && (normalMac(station) ?? station),
    port: storable(who?.port ?? null),
    count,
  }
}

/** PostgreSQL does not accept NUL in text. */
const storable = <T extends string | null>(text: T): T => (text?.includes('\0') ? text.replaceAll('\0', '') : text) as T
