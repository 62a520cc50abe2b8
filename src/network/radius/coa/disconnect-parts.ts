import type { Pool } from 'pg'
import type { Reach } from '../../../domain/account.ts'
import type { EffectResult, OrderedEffect, VlanChange } from '../../../domain/effects.ts'
import type { Events } from '../../../domain/events.ts'
import type { LoginId, OrganizationId, SubscriberId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Accounting } from '../accounting/accounting.ts'
import type { SessionTable } from '../accounting/session-table.ts'
import type { CoaLimits } from './coa-limits.ts'
import type { SpeedChange } from './coa-rules.ts'

/** What Disconnects needs of the program. */
export type DisconnectParts = {
  pool: Pool
  events: Events
  sessions: SessionTable
  accounting: Pick<Accounting, 'endSession' | 'nasIdentity'>
  nas: () => readonly NasEntry[]
  /** How this NAS is told the present speed and VLAN of the login. */
  speedAttributes: (nas: NasEntry, login: string, vlan?: VlanChange) => SpeedChange
  /** Resolves when `speedAttributes` follows the last commit of the subscriber. */
  readSpeed: (subscriber: SubscriberId) => Promise<void>
  /** How many sessions the login may have under RADIUS_SIMULTANEOUS=replace; null when no session is to be replaced. */
  replaceBeyond: (login: string) => number | null
  /** The access that the login would get now; null when it is unknown. */
  reachOf: (login: LoginId, now: Date) => Reach | null
  /** The present name of a login. */
  loginOf: (login: LoginId) => string | null
  organizationOf: (login: string) => OrganizationId | null
  /** Writes the effect to the outbox, which survives a restart and carries it out through `handlers`. */
  order: (effect: OrderedEffect) => Promise<EffectResult | null>
  /** The local address of the sockets. */
  host: string
  clock: Clock
  log: Log
  limits?: CoaLimits
}
