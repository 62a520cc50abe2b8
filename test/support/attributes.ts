import { encodeReplyItem } from '../../src/network/radius/wire/dictionary.ts'
import type { PacketView } from '../../src/network/radius/wire/packet.ts'

/** Every attribute of a packet, in its order. */
export function* attributesOf({ bytes, start, end }: PacketView): Generator<{ type: number; value: Buffer }> {
  for (let at = start + 20; at < end; at += bytes[at + 1]!)
    yield { type: bytes[at]!, value: bytes.subarray(at + 2, at + bytes[at + 1]!) }
}

export const vendorText = (packet: PacketView, vendor: number, type: number): string | null =>
  packet.vendor(vendor, type)?.toString() ?? null

/** An attribute as radius_reply names it, with its head; or the sentence that refuses it. */
export function encodeReplyAttribute(name: string, value: string | number): Buffer | { fault: string } {
  const item = encodeReplyItem({ name, value })
  return 'fault' in item ? item : item.bytes
}
