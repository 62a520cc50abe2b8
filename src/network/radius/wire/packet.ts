import { formatIpv4, formatIpv6 } from './address.ts'

/** RFC 2865 section 3: code, identifier, length, authenticator. */
export const headerBytes = 20
export const packetBytesMax = 4096
/** RFC 2865 section 5: the length field of an attribute is one byte and counts its type and itself. */
export const valueBytesMax = 253
/** Type, length, and four bytes of vendor number before the vendor's own attributes. */
const vendorHeaderBytes = 6

/** RFC 2865 section 4, RFC 2866 section 4, RFC 5176 section 2.3, RFC 5997 section 2. */
export const codes = {
  accessRequest: 1,
  accessAccept: 2,
  accessReject: 3,
  accountingRequest: 4,
  accountingResponse: 5,
  accessChallenge: 11,
  statusServer: 12,
  disconnectRequest: 40,
  disconnectAck: 41,
  disconnectNak: 42,
  coaRequest: 43,
  coaAck: 44,
  coaNak: 45,
} as const

/** Why a datagram is not a RADIUS packet; also a metric label. Such datagrams are dropped without an answer. */
export const packetFaults = [
  'shorterThanHeader',
  'lengthBelowHeader',
  'lengthAboveMaximum',
  'shorterThanLength',
  'attributeTruncated',
  'attributeTooShort',
  'attributeOverrun',
  'messageAuthenticatorMalformed',
] as const
export type PacketFault = (typeof packetFaults)[number]

const vendorSpecific = 26
const messageAuthenticator = 80
const noBytes = Buffer.alloc(0)

/**
 * A view of one received packet. Nothing is copied, so it is valid as long as the underlying bytes are. One instance is
 * meant to be reset for packet after packet.
 *
 * Offsets count from the beginning of `bytes`. An attribute at offset `a` has its type in bytes[a], its length in
 * bytes[a + 1], and its value from a + 2 up to, not including, a + bytes[a + 1].
 */
export class PacketView {
  /** The buffer the packet lies in; more may lie before and after it. */
  bytes: Buffer = noBytes
  /** Where the packet begins. */
  start = 0
  /** The value of its length field; padding after it is not part of the packet. */
  length = 0
  code = 0
  identifier = 0
  /**
   * Digests that were computed for this packet together with others. At `precomputedAt` is its expected
   * Message-Authenticator, followed by the mask of the first block of a User-Password or, for accounting, the expected
   * Request Authenticator. Null when each is computed on demand.
   */
  precomputed: Uint8Array | null = null
  precomputedAt = 0
  /** The number of the secret they were computed with. */
  precomputedKey = -1
  /** Distance from the start to the first attribute of each type; zero when there is none. */
  readonly #first = new Uint16Array(256)

  /**
   * Parses the datagram in bytes[from..to). After a fault the view is empty.
   * RFC 2865 section 3; RFC 3579 section 3.2 for the one Message-Authenticator of 16 bytes.
   */
  reset(datagram: Uint8Array, from = 0, to: number = datagram.length): PacketFault | null {
    this.#first.fill(0)
    this.bytes = noBytes
    this.start = 0
    this.length = 0
    this.code = 0
    this.identifier = 0
    this.precomputed = null
    if (to - from < headerBytes) return 'shorterThanHeader'
    const length = (datagram[from + 2]! << 8) | datagram[from + 3]!
    if (length < headerBytes) return 'lengthBelowHeader'
    if (length > packetBytesMax) return 'lengthAboveMaximum'
    if (length > to - from) return 'shorterThanLength'
    const fault = this.#walk(datagram, from, from + length)
    if (fault !== null) {
      this.#first.fill(0)
      return fault
    }
    this.bytes =
      datagram instanceof Buffer ? datagram : Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength)
    this.start = from
    this.length = length
    this.code = datagram[from]!
    this.identifier = datagram[from + 1]!
    return null
  }

  #walk(datagram: Uint8Array, start: number, end: number): PacketFault | null {
    const first = this.#first
    let at = start + headerBytes
    while (at < end) {
      if (at + 1 === end) return 'attributeTruncated'
      const type = datagram[at]!
      const length = datagram[at + 1]!
      if (length < 2) return 'attributeTooShort'
      if (at + length > end) return 'attributeOverrun'
      if (type === messageAuthenticator && (length !== 18 || first[type] !== 0)) return 'messageAuthenticatorMalformed'
      if (first[type] === 0) first[type] = at - start
      at += length
    }
    return null
  }

  /** Offset behind the last byte of the packet. */
  get end(): number {
    return this.start + this.length
  }

  /** The 16 bytes of the authenticator field, a view. */
  get authenticator(): Buffer {
    return this.bytes.subarray(this.start + 4, this.start + headerBytes)
  }

  /** The whole packet without padding, a view. */
  get packet(): Buffer {
    return this.bytes.subarray(this.start, this.start + this.length)
  }

  has(type: number): boolean {
    return this.#first[type] !== 0
  }

  /** Offset of the first attribute of the type, or -1. */
  offsetOf(type: number): number {
    const first = this.#first[type]!
    return first === 0 ? -1 : this.start + first
  }

  /** Offset of the next attribute of the type after the attribute at `offset`, or -1. */
  offsetAfter(type: number, offset: number): number {
    const end = this.end
    for (let at = offset + this.bytes[offset + 1]!; at < end; at += this.bytes[at + 1]!) {
      if (this.bytes[at] === type) return at
    }
    return -1
  }

  /** The value of the first attribute of the type, a view; empty for an attribute without a value. */
  find(type: number): Buffer | null {
    return this.#value(this.offsetOf(type))
  }

  /** The values of all attributes of the type in their order, as views. */
  findAll(type: number): Buffer[] {
    const found: Buffer[] = []
    for (let at = this.offsetOf(type); at !== -1; at = this.offsetAfter(type, at)) found.push(this.#value(at)!)
    return found
  }

  /** Decoded as UTF-8. Invalid bytes become U+FFFD, so that the text equals none of our names. */
  text(type: number): string | null {
    const at = this.offsetOf(type)
    return at === -1 ? null : this.bytes.toString('utf8', at + 2, at + this.bytes[at + 1]!)
  }

  /** 0..2^32-1; null when absent or not four bytes long. */
  integer(type: number): number | null {
    const at = this.offsetOf(type)
    return at === -1 || this.bytes[at + 1] !== 6 ? null : uint32(this.bytes, at + 2)
  }

  /** Dotted; null when absent or not four bytes long. */
  ipv4(type: number): string | null {
    const address = this.integer(type)
    return address === null ? null : formatIpv4(address)
  }

  /** The 16-byte addresses of RFC 3162 and RFC 6911 in the form of RFC 5952. */
  ipv6(type: number): string | null {
    const value = this.find(type)
    return value?.length === 16 ? formatIpv6(value) : null
  }

  /**
   * RFC 3162 section 2.3 and RFC 4818: `2001:db8::/32`. Null when absent, longer than 128 bits, or shorter than its own
   * prefix; bits after the prefix must be zero and are cleared.
   */
  ipv6Prefix(type: number): string | null {
    const value = this.find(type)
    if (value === null || value.length < 2 || value.length > 18) return null
    const bits = value[1]!
    if (bits > 128 || value.length - 2 < Math.ceil(bits / 8)) return null
    const address = new Uint8Array(16)
    for (let bit = 0; bit < bits; bit++) address[bit >> 3]! |= value[2 + (bit >> 3)]! & (0x80 >> (bit & 7))
    return `${formatIpv6(address)}/${bits}`
  }

  /**
   * Offset of a vendor's own attribute (RFC 2865 section 5.26: vendor type and length of one byte each), or -1. It is
   * read like an attribute. A Vendor-Specific with malformed contents is searched as far as they are well-formed.
   */
  vendorOffset(vendor: number, type: number): number {
    for (let at = this.offsetOf(vendorSpecific); at !== -1; at = this.offsetAfter(vendorSpecific, at)) {
      const found = this.#findInside(at, vendor, type)
      if (found !== -1) return found
    }
    return -1
  }

  vendor(vendor: number, type: number): Buffer | null {
    return this.#value(this.vendorOffset(vendor, type))
  }

  #findInside(at: number, vendor: number, type: number): number {
    const bytes = this.bytes
    const end = at + bytes[at + 1]!
    if (end - at < vendorHeaderBytes || uint32(bytes, at + 2) !== vendor) return -1
    for (let inner = at + vendorHeaderBytes; inner + 2 <= end; inner += bytes[inner + 1]!) {
      const length = bytes[inner + 1]!
      if (length < 2 || inner + length > end) return -1
      if (bytes[inner] === type) return inner
    }
    return -1
  }

  #value(at: number): Buffer | null {
    return at === -1 ? null : this.bytes.subarray(at + 2, at + this.bytes[at + 1]!)
  }
}

/** Decodes into a new view; the hot path resets one view instead. */
export function decodePacket(datagram: Uint8Array): { packet: PacketView } | { fault: PacketFault } {
  const packet = new PacketView()
  const fault = packet.reset(datagram)
  return fault === null ? { packet } : { fault }
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}
