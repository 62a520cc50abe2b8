import type { AccessRecord } from '../../access/record.ts'
import { type AttributeKey, isOfTunnel, keyBits, readKey } from '../wire/attribute-key.ts'
import type { PacketWriter } from '../wire/writer.ts'

/** Encoded attributes in a row, of which those are left out that a login or its tariff replaces. */
export type AttributeBlock = {
  readonly bytes: Uint8Array
  readonly keys: readonly AttributeKey[]
  /** Where each attribute ends in `bytes`. */
  readonly ends: readonly number[]
  /** keyBits of the keys: hardly any answer has to compare the keys one by one. */
  readonly bits: number
  readonly hasTunnel: boolean
}

export function blockOf(attributes: readonly { key: AttributeKey; bytes: Uint8Array }[]): AttributeBlock {
  const keys = attributes.map(({ key }) => key)
  const ends: number[] = []
  for (const { bytes } of attributes) ends.push((ends.at(-1) ?? 0) + bytes.length)
  const bytes = Buffer.concat(attributes.map((attribute) => attribute.bytes))
  return { bytes, keys, ends, bits: keyBits(keys), hasTunnel: keys.some(isOfTunnel) }
}

/** Writes the attributes that the replies of the login and its tariff do not replace. */
export function writeBlock(writer: PacketWriter, block: AttributeBlock, record: AccessRecord): void {
  const { bytes, keys, ends } = block
  if (bytes.length === 0) return
  if ((block.bits & record.replacedBits) === 0) {
    writer.encoded(bytes)
    return
  }
  for (let index = 0; index < keys.length; index++) {
    if (!record.replaces(keys[index]!)) writer.encoded(bytes, index === 0 ? 0 : ends[index - 1]!, ends[index])
  }
}

/** Whether something of the replies may have to give way to the garden; hardly ever it has. */
export const mayMeetReply = (garden: AttributeBlock, record: AccessRecord): boolean =>
  garden.hasTunnel || (garden.bits & record.replacedBits) !== 0

/**
 * Writes the replies of the login and its tariff into an Access-Accept to the walled garden: what they would have in
 * place of an attribute of the garden, or of its tunnel, is left out, because nothing replaces the garden.
 */
export function writeReplyInGarden(writer: PacketWriter, garden: AttributeBlock, record: AccessRecord): void {
  const { bytes, userReplyAt, tariffReplyEnd } = record
  for (let at = userReplyAt; at < tariffReplyEnd; at += bytes[at + 1]!) {
    const key = readKey(bytes, at)
    const givesWay = (garden.hasTunnel && isOfTunnel(key)) || (garden.keys.includes(key) && record.replaces(key))
    if (!givesWay) writer.encoded(bytes, at, at + bytes[at + 1]!)
  }
}

/**
 * The attributes of the block as they are in force for the login: for those that its replies replace, what stands there
 * instead. This is what a CoA-Request changes a session to.
 */
export function attributesInForce(block: AttributeBlock, record: AccessRecord): Uint8Array {
  if ((block.bits & record.replacedBits) === 0) return block.bytes
  const parts: Uint8Array[] = []
  for (const [index, key] of block.keys.entries()) {
    if (!record.replaces(key)) parts.push(block.bytes.subarray(block.ends[index - 1] ?? 0, block.ends[index]))
  }
  const { bytes, userReplyAt, tariffReplyEnd } = record
  for (let at = userReplyAt; at < tariffReplyEnd; at += bytes[at + 1]!) {
    const key = readKey(bytes, at)
    if (block.keys.includes(key) && record.replaces(key)) parts.push(bytes.slice(at, at + bytes[at + 1]!))
  }
  return Buffer.concat(parts)
}
