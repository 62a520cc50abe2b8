import type { NasId } from './ids.ts'
import { RealmList } from './realms.ts'

/** The makes of NAS whose attributes are known. */
export const nasTypes = ['mikrotik', 'cisco', 'juniper', 'huawei', 'accel', 'generic'] as const
export type NasType = (typeof nasTypes)[number]
/** yes, no, or auto: learned from the first valid request of the NAS, as FreeRADIUS 3.2.5 does. */
type Tristate = 'yes' | 'no' | 'auto'

/** One attribute of a template; its value may have places such as `{down_kbit}`. */
export type TemplateLine = { name: string; value: string | number }

/** How a NAS is told the speed of a login and its walled garden. */
export type AnswerTemplate = {
  /** The attributes of every Access-Accept. */
  readonly accept: readonly TemplateLine[]
  /** Those of a CoA-Request after a change of the tariff; where there are none, the session is disconnected instead. */
  readonly coa: readonly TemplateLine[]
  /** Those that an Access-Accept into the walled garden has beside those of `accept`. */
  readonly garden: readonly TemplateLine[]
}

/** A NAS as the RADIUS code uses it. The secret is in plain text, here and in memory only. */
export type NasEntry = {
  id: NasId
  name: string
  /** IPv4 or IPv6 text; the only source address that is answered. Null when the record is of a network. */
  ip: string | null
  /** CIDR; every source address in it is answered. A longer prefix and a single address come first. */
  network?: string | null
  /** The NAS-Identifier of its packets; a record without one is of all other packets from the same place. */
  identifier?: string | null
  secret: string
  /** During a change of the secret: accepted as well. */
  secretNext?: string | null
  /** When each secret was last proved, milliseconds since 1970. */
  secretSeenAtMs?: number | null
  secretNextSeenAtMs?: number | null
  type: NasType
  /** Where Disconnect and CoA go when it is not where its packets come from. */
  coaIp?: string | null
  coaPort: number
  /** Our own address that Disconnect and CoA leave from; null: `askedIp`. */
  coaSource?: string | null
  /** Our own address that the NAS asked last; null while it is unknown. */
  askedIp?: string | null
  enabled: boolean
  requireMessageAuthenticator: Tristate
  limitProxyState: Tristate
  /** How it is told speeds and the walled garden; left out: in the way of its type. */
  template?: AnswerTemplate
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

/** Whether a NAS whose secret is being changed has last proved the next one. */
export const isNextProvedLast = ({ secretNext, secretSeenAtMs, secretNextSeenAtMs }: NasEntry): boolean =>
  Boolean(secretNext) && (secretNextSeenAtMs ?? 0) > (secretSeenAtMs ?? 0)

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

/** IEEE 802.1Q: 0 and 4095 are reserved. */
export const vlanRange = { min: 1, max: 4094 } as const

/** How many live sessions a login may have at one time. */
export const simultaneousUseRange = { min: 1, max: 1000 } as const
