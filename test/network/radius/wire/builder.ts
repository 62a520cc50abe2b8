/** A second, slow way to make packets, on node:crypto, so that a mistake of the codec cannot hide in its own test. */
import { createHash, createHmac } from 'node:crypto'

/** Bytes of hexadecimal text with any white space. */
export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s+/g, ''), 'hex')

export type Tlv = readonly [type: number, value: Buffer | string]

const attribute = ([type, value]: Tlv): Buffer => {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value
  return Buffer.concat([Buffer.of(type, bytes.length + 2), bytes])
}

export const integer = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export const vendorSpecific = (vendor: number, ...inner: Tlv[]): Tlv => [
  26,
  Buffer.concat([integer(vendor), ...inner.map(attribute)]),
]

export const build = (code: number, identifier: number, authenticator: Buffer, list: readonly Tlv[]): Buffer => {
  const attributes = Buffer.concat(list.map(attribute))
  const length = 20 + attributes.length
  return Buffer.concat([Buffer.of(code, identifier, length >> 8, length & 255), authenticator, attributes])
}

/** Where the value of the Message-Authenticator of the packet is. */
const messageAuthenticatorAt = (packet: Buffer): number => {
  let at = 20
  while (packet[at] !== 80) at += packet[at + 1]!
  return at + 2
}

/** Fills the Message-Authenticator, over the packet with `authenticator` in its header. */
export const sealed = (packet: Buffer, authenticator: Buffer, secret: string): Buffer => {
  const at = messageAuthenticatorAt(packet)
  const input = Buffer.from(packet)
  authenticator.copy(input, 4)
  input.fill(0, at, at + 16)
  const result = Buffer.from(packet)
  createHmac('md5', secret).update(input).digest().copy(result, at)
  return result
}

/** Fills the authenticator field with MD5 over the packet, `authenticator` in its place, and the secret. */
export const signed = (packet: Buffer, authenticator: Buffer, secret: string): Buffer => {
  const result = Buffer.from(packet)
  const input = Buffer.concat([packet.subarray(0, 4), authenticator, packet.subarray(20), Buffer.from(secret)])
  createHash('md5').update(input).digest().copy(result, 4)
  return result
}

export const zeros = (count: number): Buffer => Buffer.alloc(count)

/** The chain of RFC 2865 section 5.2, undone. */
export function revealPassword(hidden: Buffer, authenticator: Buffer, secret: string): Buffer {
  const blocks: Buffer[] = []
  for (let at = 0, before = authenticator; at < hidden.length; at += 16) {
    const mask = createHash('md5').update(secret).update(before).digest()
    before = hidden.subarray(at, at + 16)
    blocks.push(Buffer.from(before.map((byte, index) => byte ^ mask[index]!)))
  }
  return Buffer.concat(blocks)
}

/** The chain of RFC 2548 section 2.4.2, undone. */
export function revealKey(value: Buffer, authenticator: Buffer, secretText: string): Buffer {
  const clear: number[] = []
  let before: Buffer = Buffer.concat([authenticator, value.subarray(0, 2)])
  for (let at = 2; at < value.length; at += 16) {
    const mask = createHash('md5').update(secretText).update(before).digest()
    for (let i = 0; i < 16; i++) clear.push(value[at + i]! ^ mask[i]!)
    before = value.subarray(at, at + 16)
  }
  return Buffer.from(clear.slice(1, 1 + clear[0]!))
}
