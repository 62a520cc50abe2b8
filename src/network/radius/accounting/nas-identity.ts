import type { NasIdentity } from '../../../domain/nas.ts'

/** A packet without any of the three attributes, or a session that an older version stored. */
export const unnamedNas: NasIdentity = { ipAddress: null, ipv6Address: null, identifier: null }

/** Enough for every NAS of a large provider; one that sends ever new names costs memory up to here only. */
const sharedMax = 16_384
/** One object for all sessions of a NAS, by its three attributes. */
const shared = new Map<string, NasIdentity>()

/** The identity with these attributes. Sessions of one NAS share it, so two are mostly compared as objects. */
export function nasIdentity(
  ipAddress: string | null,
  ipv6Address: string | null,
  identifier: string | null,
): NasIdentity {
  if (ipAddress === null && ipv6Address === null && identifier === null) return unnamedNas
  const key = `${ipAddress}\n${ipv6Address}\n${identifier}`
  const known = shared.get(key)
  if (known) return known
  const identity = { ipAddress, ipv6Address, identifier }
  // Sessions keep what they have; identities that are equal compare as equal.
  if (shared.size === sharedMax) shared.clear()
  shared.set(key, identity)
  return identity
}

/**
 * Whether two packets name the same NAS: the first attribute that both carry decides, in the order NAS-IP-Address,
 * NAS-IPv6-Address, NAS-Identifier. Null when they have none in common.
 */
function compared(a: NasIdentity, b: NasIdentity): boolean | null {
  if (a.ipAddress !== null && b.ipAddress !== null) return a.ipAddress === b.ipAddress
  if (a.ipv6Address !== null && b.ipv6Address !== null) return a.ipv6Address === b.ipv6Address
  if (a.identifier !== null && b.identifier !== null) return a.identifier === b.identifier
  return null
}

export const isUnnamed = ({ ipAddress, ipv6Address, identifier }: NasIdentity): boolean =>
  ipAddress === null && ipv6Address === null && identifier === null

/** Whether both are certainly the same NAS. Behind a proxy an Accounting-On ends only sessions for which this holds. */
export const isSameNas = (a: NasIdentity, b: NasIdentity): boolean =>
  a === b || (compared(a, b) ?? (isUnnamed(a) && isUnnamed(b)))

/**
 * Whether nothing says that these are two NAS. A session whose packets carried no attribute belongs to whoever sends
 * its name first, and has the attributes of that packet from then on.
 */
export const mayBeSameNas = (a: NasIdentity, b: NasIdentity): boolean =>
  a === b || (compared(a, b) ?? (isUnnamed(a) || isUnnamed(b)))

/** What is known after a later packet, whose attributes count where it has them; `known` itself when nothing is new. */
export function mergedNas(known: NasIdentity, later: NasIdentity): NasIdentity {
  if (later === known) return known
  const ipAddress = later.ipAddress ?? known.ipAddress
  const ipv6Address = later.ipv6Address ?? known.ipv6Address
  const identifier = later.identifier ?? known.identifier
  const isKnown = ipAddress === known.ipAddress && ipv6Address === known.ipv6Address && identifier === known.identifier
  return isKnown ? known : nasIdentity(ipAddress, ipv6Address, identifier)
}

/** The attribute that decides, for keys of maps; empty where there is none. */
export const nameOfNas = ({ ipAddress, ipv6Address, identifier }: NasIdentity): string =>
  ipAddress ?? ipv6Address ?? identifier ?? ''

/** The columns of RADIUS_SESSIONS with the three attributes. */
const columns = ['nas_ip_address', 'nas_ipv6_address', 'nas_identifier'] as const

/** The comparisons above in SQL, for two rows with these columns. */
const sqlOf = (a: string, b: string, otherwise: 'AND' | 'OR'): string => {
  const unnamed = (row: string) => `num_nonnulls(${columns.map((column) => `${row}.${column}`).join(', ')}) = 0`
  const equal = columns.map((column) => `${a}.${column} = ${b}.${column}`).join(', ')
  return `coalesce(${equal}, ${unnamed(a)} ${otherwise} ${unnamed(b)})`
}

export const isSameNasSql = (a: string, b: string): string => sqlOf(a, b, 'AND')
export const mayBeSameNasSql = (a: string, b: string): string => sqlOf(a, b, 'OR')
