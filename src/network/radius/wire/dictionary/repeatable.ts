import type { KnownAttribute } from './entry.ts'

/**
 * The attributes of an Access-Accept of which the tables of the RFCs allow several ("0+"): RFC 2865 section 5.44, 2868
 * section 4, 2869 section 5.19, 3162 section 3, 4675 section 3, 4818 section 4, 4849 section 4 and 6911 section 4.
 */
const repeatableTypes: ReadonlySet<number> = new Set([
  11, 13, 14, 18, 22, 25, 26, 33, 38, 56, 58, 64, 65, 66, 67, 69, 77, 78, 79, 81, 82, 83, 90, 91, 92, 97, 98, 99, 123,
  168, 169, 170, 171, 172,
])

/** Attributes of vendors whose value is a text or octets and of which an answer carries one. */
const singleTexts: ReadonlySet<string> = new Set([
  'Mikrotik-Group',
  'Mikrotik-Rate-Limit',
  'Mikrotik-Realm',
  'Mikrotik-Mark-Id',
  'Mikrotik-Delegated-IPv6-Pool',
  'Mikrotik-DHCP-Option-Set',
  'Cisco-Sub-QoS-Pol-In',
  'Cisco-Sub-QoS-Pol-Out',
  'ERX-Virtual-Router-Name',
  'ERX-Address-Pool-Name',
  'ERX-Ingress-Policy-Name',
  'ERX-Egress-Policy-Name',
  'ERX-Qos-Profile-Name',
  'ERX-IPv6-Ingress-Policy-Name',
  'ERX-IPv6-Egress-Policy-Name',
  'ERX-IPv6-NdRa-Pool-Name',
  'ERX-IPv6-Delegated-Pool-Name',
  'Huawei-Qos-Profile-Name',
  'Huawei-Policy-Name',
  'Huawei-Domain-Name',
  'WISPr-Redirection-URL',
  'WISPr-Session-Terminate-Time',
])

const manyKinds: ReadonlySet<string> = new Set(['text', 'octets', 'taggedText', 'taggedInteger'])

/**
 * Whether an answer may carry an attribute more than once. Dictionaries do not say it of the attributes of vendors:
 * numbers and addresses are taken to stand once, texts and octets to be repeatable unless they are listed here.
 */
export const isRepeatable = ({ vendor, type, name, kind }: KnownAttribute): boolean =>
  vendor === null ? repeatableTypes.has(type) : manyKinds.has(kind) && !singleTexts.has(name)
