import type { NasId } from './ids.ts'
import { RealmList } from './realms.ts'

/** The makes of NAS whose attributes are known. */
export type NasType = 'mikrotik' | 'cisco' | 'juniper' | 'huawei' | 'accel' | 'generic'
export const nasTypes = [
  'mikrotik',
  'cisco',
  'juniper',
  'huawei',
  'accel',
  'generic',
] as const satisfies readonly NasType[]
/** yes, no, or auto: learned from the first valid request of the NAS, as FreeRADIUS 3.2.5 does. */
export type Tristate = 'yes' | 'no' | 'auto'

/** A NAS as the RADIUS code uses it. The secret is in plain text, here and in memory only. */
export type NasEntry = {
  id: NasId
  name: string
  /** IPv4 or IPv6 text; the only source address that is answered. */
  ip: string
  secret: string
  type: NasType
  coaPort: number
  enabled: boolean
  requireMessageAuthenticator: Tristate
  limitProxyState: Tristate
  /** What `auto` has been resolved to; null until the first valid request. */
  learnedMessageAuthenticator?: boolean | null
  learnedProxyState?: boolean | null
  /** Whether it sends Interim-Updates, so that a silent session is lost. */
  interims?: Tristate
  learnedInterims?: boolean | null
  /** How long a session is believed of which a NAS without Interim-Updates reports nothing. */
  sessionHoursMax?: number
  /** A list as RealmList reads it, in place of RADIUS_REALMS; empty where that setting applies. */
  realms?: string
}

/**
 * How a NAS names itself in its packets: NAS-IP-Address, NAS-IPv6-Address and NAS-Identifier as it sends them, null
 * where it sends none. Several NAS behind one proxy have the same NAS record, and only this tells them apart.
 */
export type NasIdentity = {
  readonly ipAddress: string | null
  readonly ipv6Address: string | null
  readonly identifier: string | null
}

/** The realms of the NAS itself; null where RADIUS_REALMS applies. */
export const ownRealms = ({ realms = '' }: Pick<NasEntry, 'realms'>): RealmList | null =>
  realms === '' ? null : RealmList.parse(realms)
