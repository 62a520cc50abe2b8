import { LRUCache } from 'lru-cache'
import type { NasType } from '../../../domain/nas.ts'
import { attributes, cisco, huawei, mikrotik, vendors, wispr } from '../wire/attribute-types.ts'
import { headerBytes } from '../wire/packet.ts'
import { PacketWriter } from '../wire/writer.ts'
import { type AttributeBlock, blockOf, emptyBlock } from './attribute-block.ts'

/** ERX-Cos-Parameter-Type (26-4874-108): `T02` is the shaping rate towards the subscriber. */
const erxCosParameterType = 108
const maxBits = 0xffff_ffff

/**
 * The speed of a tariff in the attributes of the NAS's vendor, encoded for an Access-Accept or a CoA-Request; empty
 * when the tariff has no limit. Speeds are in kbit/s from the subscriber's point of view.
 */
export function speedAttributes(type: NasType, downKbit: number, upKbit: number): AttributeBlock {
  if (downKbit <= 0 && upKbit <= 0) return emptyBlock
  const known = remembered[type]
  const key = downKbit * 0x400_0000 + upKbit
  let encoded = known.get(key)
  if (encoded) return encoded
  writer.begin(0, 0)
  // Without an upload speed both directions have the same one.
  writers[type](downKbit || upKbit, upKbit || downKbit)
  encoded = blockOf(Uint8Array.from(writer.packet.subarray(headerBytes)))
  known.set(key, encoded)
  return encoded
}

const writer = new PacketWriter()
/** There are few tariffs, so this many encoded speeds suffice. */
const rememberedMax = 1000

const writers: Record<NasType, (downKbit: number, upKbit: number) => void> = {
  /** The router's view: what it receives from the client first. */
  mikrotik: (down, up) => writer.vendorText(vendors.mikrotik, mikrotik.rateLimit, `${rate(up)}/${rate(down)}`),
  cisco(down, up) {
    writer.vendorText(vendors.cisco, cisco.avPair, `lcp:interface-config#1=${rateLimit('input', up)}`)
    writer.vendorText(vendors.cisco, cisco.avPair, `lcp:interface-config#2=${rateLimit('output', down)}`)
  },
  huawei(down, up) {
    writer.vendorInteger(vendors.huawei, huawei.inputAverageRate, bits(up))
    writer.vendorInteger(vendors.huawei, huawei.outputAverageRate, bits(down))
  },
  juniper: (down) => writer.vendorText(vendors.erx, erxCosParameterType, `T02 ${down}k`),
  /** accel-ppp's shaper reads Filter-Id as download/upload in kbit/s. */
  accel: (down, up) => writer.text(attributes.filterId, `${down}/${up}`),
  generic(down, up) {
    writer.vendorInteger(vendors.wispr, wispr.bandwidthMaxUp, bits(up))
    writer.vendorInteger(vendors.wispr, wispr.bandwidthMaxDown, bits(down))
  },
}

const ofType = () => new LRUCache<number, AttributeBlock>({ max: rememberedMax })

const remembered: Record<NasType, LRUCache<number, AttributeBlock>> = {
  mikrotik: ofType(),
  cisco: ofType(),
  huawei: ofType(),
  juniper: ofType(),
  accel: ofType(),
  generic: ofType(),
}

const rate = (kbit: number) => (kbit % 1000 === 0 ? `${kbit / 1000}M` : `${kbit}k`)
const bits = (kbit: number) => Math.min(maxBits, kbit * 1000)

/** Committed access rate: bits a second, then bursts of 1.5 and 3 seconds' worth of bytes, as Cisco advises. */
function rateLimit(direction: 'input' | 'output', kbit: number): string {
  const burst = Math.ceil((kbit * 1000 * 1.5) / 8)
  return `rate-limit ${direction} ${kbit * 1000} ${burst} ${burst * 2} conform-action transmit exceed-action drop`
}
