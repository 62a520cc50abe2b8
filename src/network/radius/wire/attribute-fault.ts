/** What a fault is about. `has` is how many octets a value has, `names` what would be right. */
type About = {
  readonly attribute: string
  readonly value?: string
  readonly most?: number
  readonly has?: number
  readonly names?: string
}

const sentences = {
  unknown: ({ attribute }: About) =>
    `There is no RADIUS attribute "${attribute}" in the dictionary; write Vendor-<number>-Attr-<number> for one it does not know.`,
  untagged: ({ attribute }: About) => `${attribute} takes no tag.`,
  tag: ({ attribute, most }: About) => `The tag of ${attribute} is a number from 0 to ${most}.`,
  place: ({ attribute, value, names }: About) => `${attribute}: ${value} is no place; there are ${names}.`,
  own: ({ attribute }: About) => `${attribute} is written by the program itself.`,
  encrypted: ({ attribute }: About) => `${attribute} is encrypted and has no place in a template.`,
  repeated: ({ attribute }: About) => `${attribute} stands once in an answer, and this template has it twice.`,
  container: ({ attribute }: About) => `${attribute} holds other attributes; name one of those.`,
  hidden: ({ attribute }: About) => `${attribute} is encrypted for each packet and cannot be configured.`,
  protocol: ({ attribute }: About) => `${attribute} belongs to the protocol and cannot be configured.`,
  empty: ({ attribute }: About) => `${attribute} needs a value.`,
  length: ({ attribute, most, has }: About) => `${attribute} holds ${most} bytes, and this value has ${has}.`,
  tooLong: ({ attribute, most, has }: About) => `${attribute} holds at most ${most} bytes, and this value has ${has}.`,
  tooLongToEncrypt: ({ attribute }: About) => `${attribute} is too long to be encrypted.`,
  octets: ({ attribute, value }: About) => `${attribute} needs pairs of hexadecimal digits after 0x, not "${value}".`,
  integer: ({ attribute, most, names, value }: About) =>
    `${attribute} needs a whole number from 0 to ${most}${names ? ` or one of its names (${names})` : ''}, not "${value}".`,
  integer64: ({ attribute, value }: About) => `${attribute} needs a whole number of at most 64 bits, not "${value}".`,
  signed: ({ attribute, value }: About) =>
    `${attribute} needs a whole number from -2147483648 to 2147483647, not "${value}".`,
  date: ({ attribute, value }: About) =>
    `${attribute} needs a moment like 2030-01-31T12:00:00Z or seconds since 1970, not "${value}".`,
  ipv4: ({ attribute, value }: About) => `${attribute} needs an IPv4 address, not "${value}".`,
  ipv6: ({ attribute, value }: About) => `${attribute} needs an IPv6 address, not "${value}".`,
  ipv4Prefix: ({ attribute, value }: About) =>
    `${attribute} needs an IPv4 prefix like 10.0.0.0/24 with nothing behind it, not "${value}".`,
  ipv6Prefix: ({ attribute, value }: About) =>
    `${attribute} needs an IPv6 prefix like 2001:db8:1::/48 with nothing behind it, not "${value}".`,
  interfaceId: ({ attribute, value }: About) => `${attribute} needs four groups like 0:0:0:1, not "${value}".`,
  ether: ({ attribute, value }: About) => `${attribute} needs a MAC address like 00:1a:2b:3c:4d:5e, not "${value}".`,
} as const

export type FaultCode = keyof typeof sentences
export const faultCodes = Object.keys(sentences) as readonly FaultCode[]

/** What is wrong with an attribute as an operator has written it: a sentence, and what a screen makes its own of. */
export type AttributeFault = { readonly fault: string; readonly code: FaultCode; readonly about: About }

export const faultOf = (code: FaultCode, about: About): AttributeFault => ({
  fault: sentences[code](about),
  code,
  about,
})

/** Why a value cannot be written, before the name of its attribute is known. */
export type ValueFault = { readonly code: FaultCode; readonly about: Omit<About, 'attribute'> }

export const wrong = (code: FaultCode, about: ValueFault['about'] = {}): ValueFault => ({ code, about })

export const isWrong = (encoded: Uint8Array | ValueFault): encoded is ValueFault => !(encoded instanceof Uint8Array)
