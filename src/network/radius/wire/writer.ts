import { attributes } from './attribute-types.ts'
import { zeroAuthenticator } from './authenticator.ts'
import { addMd5, beginMd5, digestBytes, endMd5 } from './md5.ts'
import { codes, headerBytes, type PacketView, packetBytesMax, valueBytesMax } from './packet.ts'
import type { SharedSecret } from './shared-secret.ts'

/**
 * Writes one packet after another into the same buffer, without allocating.
 *
 * begin → (messageAuthenticator) → attributes → one of the finish methods → `packet` or `copy()`.
 *
 * An attribute that is too long or no longer fits into 4096 bytes is refused: the method returns false, nothing of it
 * is written, and `refused` counts it. The packet stays valid without it, and the caller decides whether to send it.
 */
export class PacketWriter {
  /** Bytes written since begin. */
  length = 0
  /** Attributes refused since begin. */
  refused = 0
  /**
   * Whether answers are signed later, many at once. Until then they hold the Request Authenticator in the place of
   * their own and zeros for the Message-Authenticator.
   */
  signsLater = false
  /** Offset of the sixteen bytes of the Message-Authenticator, or zero. */
  messageAuthenticatorAt = 0
  readonly bytes: Buffer = Buffer.alloc(packetBytesMax)
  readonly #scratch = new Uint8Array(digestBytes)

  /** The finished packet, a view that lasts until the next begin. */
  get packet(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  /** A copy of the finished packet, for a socket that sends later and for the cache of answers. */
  copy(): Buffer {
    const copied = Buffer.allocUnsafe(this.length)
    this.bytes.copy(copied, 0, 0, this.length)
    return copied
  }

  /**
   * `authenticator`: the random Request Authenticator of an Access-Request or Status-Server; the others are computed.
   */
  begin(code: number, identifier: number, authenticator: Uint8Array = zeroAuthenticator): void {
    this.bytes[0] = code
    this.bytes[1] = identifier
    for (let i = 0; i < digestBytes; i++) this.bytes[4 + i] = authenticator[i]!
    this.length = headerBytes
    this.refused = 0
    this.messageAuthenticatorAt = 0
  }

  /**
   * Reserves the Message-Authenticator as the first attribute, where an answer forged by Blast-RADIUS cannot have it.
   */
  messageAuthenticator(): void {
    if (this.length !== headerBytes) throw new Error('The Message-Authenticator is the first attribute of its packet.')
    const at = this.#open(attributes.messageAuthenticator, digestBytes)
    for (let i = 0; i < digestBytes; i++) this.bytes[at + i] = 0
    this.messageAuthenticatorAt = at
  }

  /** The value is value[from..to). */
  octets(type: number, value: Uint8Array, from = 0, to: number = value.length): boolean {
    const at = this.#open(type, to - from)
    if (at === 0) return false
    copyBytes(value, from, to, this.bytes, at)
    return true
  }

  /** UTF-8. Empty text is refused: RFC 2865 section 5 wants the attribute left out. */
  text(type: number, text: string): boolean {
    const size = Buffer.byteLength(text)
    if (size === 0) return this.#refuse()
    const at = this.#open(type, size)
    if (at === 0) return false
    this.bytes.write(text, at, size, 'utf8')
    return true
  }

  /** 0..2^32-1; seconds since 1970 for the attributes of type date. */
  integer(type: number, value: number): boolean {
    const at = this.#open(type, 4)
    if (at === 0) return false
    this.bytes.writeUInt32BE(value, at)
    return true
  }

  /** The 32 bits of the address. */
  ipv4(type: number, address: number): boolean {
    return this.integer(type, address >>> 0)
  }

  /**
   * RFC 3162 section 2.3: as many bytes as the prefix has, the bits after it zero. `address` has 16 bytes from `from`
   * on. RangeError when bits is not 0..128.
   */
  ipv6Prefix(type: number, address: Uint8Array, bits: number, from = 0): boolean {
    if (!(bits >= 0 && bits <= 128)) throw new RangeError(`A prefix has 0 to 128 bits, not ${bits}.`)
    const size = Math.ceil(bits / 8)
    const at = this.#open(type, 2 + size)
    if (at === 0) return false
    this.bytes[at] = 0
    this.bytes[at + 1] = bits
    copyBytes(address, from, from + size, this.bytes, at + 2)
    if (bits & 7) this.bytes[at + 1 + size]! &= 0xff << (8 - (bits & 7))
    return true
  }

  /** One attribute of a vendor in a Vendor-Specific of its own (RFC 2865 section 5.26); at most 247 bytes. */
  vendorOctets(vendor: number, type: number, value: Uint8Array, from = 0, to: number = value.length): boolean {
    const at = this.#openVendor(vendor, type, to - from)
    if (at === 0) return false
    copyBytes(value, from, to, this.bytes, at)
    return true
  }

  vendorInteger(vendor: number, type: number, value: number): boolean {
    const at = this.#openVendor(vendor, type, 4)
    if (at === 0) return false
    this.bytes.writeUInt32BE(value, at)
    return true
  }

  /**
   * attributeBytes[from..to): whole attributes as encodeReplyAttribute makes them; all or, when they do not fit or are
   * no attributes, none.
   */
  encoded(attributeBytes: Uint8Array, from = 0, to: number = attributeBytes.length): boolean {
    if (this.length + to - from > packetBytesMax || !areAttributes(attributeBytes, from, to)) return this.#refuse()
    copyBytes(attributeBytes, from, to, this.bytes, this.length)
    this.length += to - from
    return true
  }

  /** Every Proxy-State of the request, unchanged and in order (RFC 2865 section 5.33). False when one was refused. */
  proxyStates(request: PacketView): boolean {
    let all = true
    let at = request.offsetOf(attributes.proxyState)
    while (at !== -1) {
      const { bytes } = request
      all = this.octets(attributes.proxyState, bytes, at + 2, at + bytes[at + 1]!) && all
      at = request.offsetAfter(attributes.proxyState, at)
    }
    return all
  }

  /** Signs an answer with the Request Authenticator, 16 bytes from `at` on (RFC 2865 section 3). Returns the length. */
  finishResponse(secret: SharedSecret, requestAuthenticator: Uint8Array, at = 0): number {
    for (let i = 0; i < digestBytes; i++) this.bytes[4 + i] = requestAuthenticator[at + i]!
    this.#sealLength()
    if (this.signsLater) return this.length
    this.#seal(secret)
    this.#sign(secret)
    return this.length
  }

  /** Signs the answer to a request whose view is still valid. */
  finishResponseTo(request: PacketView, secret: SharedSecret): number {
    return this.finishResponse(secret, request.bytes, request.start + 4)
  }

  /**
   * Signs a request by its code: Access-Request and Status-Server keep the authenticator given to begin; Accounting-,
   * Disconnect- and CoA-Request get theirs computed over zeros (RFC 2866 section 3, RFC 5176 section 2.3).
   */
  finishRequest(secret: SharedSecret): number {
    this.#sealLength()
    switch (this.bytes[0]) {
      case codes.accessRequest:
      case codes.statusServer:
        this.#seal(secret)
        break
      case codes.accountingRequest:
      case codes.disconnectRequest:
      case codes.coaRequest:
        this.bytes.fill(0, 4, headerBytes)
        this.#seal(secret)
        this.#sign(secret)
        break
      default:
        throw new TypeError(`Code ${this.bytes[0]} is not a request.`)
    }
    return this.length
  }

  #sealLength(): void {
    this.bytes[2] = this.length >> 8
    this.bytes[3] = this.length & 255
  }

  /** Computes the Message-Authenticator, if one was reserved. */
  #seal(secret: SharedSecret): void {
    const at = this.messageAuthenticatorAt
    if (at === 0) return
    secret.hmac.begin()
    addMd5(this.bytes, 0, this.length)
    secret.hmac.end(this.#scratch, 0)
    copyBytes(this.#scratch, 0, digestBytes, this.bytes, at)
  }

  /** Replaces the authenticator field by the digest over the packet and the secret. */
  #sign(secret: SharedSecret): void {
    beginMd5()
    addMd5(this.bytes, 0, this.length)
    addMd5(secret.bytes, 0, secret.bytes.length)
    endMd5(this.bytes, 4)
  }

  /** Writes the head of an attribute and returns where its value begins, or 0 after a refusal. */
  #open(type: number, size: number): number {
    const at = this.length
    if (size > valueBytesMax || at + 2 + size > packetBytesMax) {
      this.#refuse()
      return 0
    }
    this.bytes[at] = type
    this.bytes[at + 1] = 2 + size
    this.length = at + 2 + size
    return at + 2
  }

  #openVendor(vendor: number, type: number, size: number): number {
    const at = this.#open(attributes.vendorSpecific, 4 + 2 + size)
    if (at === 0) return 0
    this.bytes.writeUInt32BE(vendor, at)
    this.bytes[at + 4] = type
    this.bytes[at + 5] = 2 + size
    return at + 6
  }

  #refuse(): false {
    this.refused++
    return false
  }
}

/** Copies source[from..to). For the few bytes of an attribute a loop is quicker than making a view for `set`. */
function copyBytes(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number): void {
  for (let i = from, j = at; i < to; i++, j++) target[j] = source[i]!
}

function areAttributes(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at + 2 <= to && bytes[at + 1]! >= 2) at += bytes[at + 1]!
  return at === to
}
