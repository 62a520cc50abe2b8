import { givesSpeed, speedOf } from '../../billing/moving-in/speeds.ts'
import { parseIpv4 } from '../../network/radius/wire/address.ts'
import { type AttributeText, attributeTexts, masked } from '../../network/radius/wire/attribute-text.ts'
import { encodeReplyItem } from '../../network/radius/wire/dictionary.ts'
import { headerBytes } from '../../network/radius/wire/packet.ts'
import type { Told, WrittenAttribute } from './exchange.ts'

/** What a difference is about, and what either server says of it; null: nothing. */
export type AttributeDifference = { readonly name: string; readonly there: string | null; readonly here: string | null }

/** The pool that an address is given out of; null: none. */
export type PoolOf = (address: number) => number | null

/** What belongs to one exchange, or to a proxy on the way, and tells nothing of the session. */
const ofExchange: ReadonlySet<string> = new Set([
  'Message-Authenticator',
  'Class',
  'State',
  'Proxy-State',
  'EAP-Message',
  'EAP-Key-Name',
  'MS-CHAP-Error',
  'MS-CHAP2-Success',
  'MS-CHAP-MPPE-Keys',
  'MS-MPPE-Send-Key',
  'MS-MPPE-Recv-Key',
  'MS-MPPE-Encryption-Policy',
  // The dictionaries of FreeRADIUS 3 have either name.
  'MS-MPPE-Encryption-Type',
  'MS-MPPE-Encryption-Types',
  // What rlm_detail writes beside the attributes.
  'Packet-Type',
  'Timestamp',
  'Packet-Src-IP-Address',
  'Packet-Dst-IP-Address',
  'Packet-Src-IPv6-Address',
  'Packet-Dst-IPv6-Address',
  'Packet-Src-Port',
  'Packet-Dst-Port',
])

const framedIpAddress = 'Framed-IP-Address'
/** Tollgate sends it in every answer. */
const interim = 'Acct-Interim-Interval'
/** RFC 2865 section 5.8: the user or the NAS chooses. */
const chosenByNas: ReadonlySet<string> = new Set(['255.255.255.255', '255.255.255.254'])
const secretName = /passw|secret|key/i

/** The attributes of an answer of the other server, by the names and in the spelling of the dictionary here. */
export function attributesOf(told: Told): AttributeText[] {
  if (told.kind === 'packet') return attributeTexts(told.packet.packet, headerBytes)
  return told.attributes.filter(({ name }) => !ofExchange.has(name)).flatMap(spelledHere)
}

function spelledHere({ name, value }: WrittenAttribute): AttributeText[] {
  const encoded = encodeReplyItem({ name, value })
  if (!('fault' in encoded)) return attributeTexts(encoded.bytes)
  return [{ name, value: secretName.test(name) ? masked : value }]
}

/** Where two Access-Accepts give a session something else. */
export function attributeDifferences(
  there: readonly AttributeText[],
  here: readonly AttributeText[],
  poolOf: PoolOf,
): AttributeDifference[] {
  const [ours, theirs] = [valuesOf(here), valuesOf(there)]
  if (!theirs.has(interim)) ours.delete(interim)
  if (areOfOnePool(theirs.get(framedIpAddress), ours.get(framedIpAddress), poolOf)) {
    theirs.delete(framedIpAddress)
    ours.delete(framedIpAddress)
  }
  const differences = speedDifference(theirs, ours)
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const [value, own] = [shown(theirs.get(name)), shown(ours.get(name))]
    if (value !== own) differences.push({ name, there: value, here: own })
  }
  return differences
}

type Values = Map<string, string[]>

function valuesOf(list: readonly AttributeText[]): Values {
  const values: Values = new Map()
  for (const { name, value } of list) {
    if (ofExchange.has(name) || (name === framedIpAddress && chosenByNas.has(value))) continue
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

/** Of a pool any address is as good as any other. */
function areOfOnePool(theirs: readonly string[] = [], ours: readonly string[] = [], poolOf: PoolOf): boolean {
  const [there, here] = [parseIpv4(theirs[0] ?? ''), parseIpv4(ours[0] ?? '')]
  if (there === null || here === null || theirs.length > 1) return false
  const pool = poolOf(here)
  return pool !== null && poolOf(there) === pool
}

/**
 * A speed is one and the same in whatever attributes and units; where both give one, these attributes are done with.
 */
function speedDifference(theirs: Values, ours: Values): AttributeDifference[] {
  const [there, here] = [speedIn(theirs), speedIn(ours)]
  if (there === null || here === null) return []
  for (const values of [theirs, ours])
    for (const line of linesOf(values)) if (givesSpeed(line)) values.delete(line.name)
  return there === here ? [] : [{ name: 'speed', there, here }]
}

const linesOf = (values: Values) => [...values].flatMap(([name, list]) => list.map((value) => ({ name, value })))

function speedIn(values: Values): string | null {
  const speed = speedOf(linesOf(values))
  return speed && `${speed.downKbit / 1000} Mbit/s down, ${speed.upKbit / 1000} Mbit/s up`
}

const shown = (values: readonly string[] | undefined): string | null => values?.toSorted().join(', ') ?? null
