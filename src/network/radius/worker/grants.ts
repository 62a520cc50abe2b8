import { type Grant, shorterLimit } from '../../../domain/access.ts'
import type { NasType } from '../../../domain/nas.ts'
import type { AccessRecord } from '../../access/record.ts'
import type { RadiusSettings } from './messages.ts'
import { attributes, mikrotik, vendors } from '../wire/attribute-types.ts'
import type { PacketWriter } from '../wire/writer.ts'
import { writeBlock } from './attribute-block.ts'
import { speedAttributes } from './speed.ts'

/** The minimum of Acct-Interim-Interval in seconds (contract section 6). */
const interimSecondsMin = 5
const sessionSecondsMax = 0xffff_ffff

/** What an Access-Accept carries (contract section 6). `address` is the Framed-IP-Address as 32 bits, -1 for none. */
export function writeGrant(
  writer: PacketWriter,
  record: AccessRecord,
  grant: Grant,
  address: number,
  nasType: NasType,
  settings: RadiusSettings,
): void {
  if (address >= 0) writer.ipv4(attributes.framedIpAddress, address)
  if (record.hasIpv6Prefix) writePrefix(writer, attributes.framedIpv6Prefix, record.bytes, record.ipv6PrefixAt)
  if (record.hasDelegatedIpv6Prefix) {
    writePrefix(writer, attributes.delegatedIpv6Prefix, record.bytes, record.delegatedIpv6PrefixAt)
  }
  writeSessionTimeout(writer, grant.sessionSeconds, record.sessionSecondsMax)
  if (!record.replaces(attributes.acctInterimInterval)) {
    writer.integer(attributes.acctInterimInterval, Math.max(settings.interimSeconds, interimSecondsMin))
  }
  const listIsSpeedAttribute = nasType === 'accel' && grant.walledGarden
  if (!listIsSpeedAttribute) writeBlock(writer, speedAttributes(nasType, record.downKbit, record.upKbit), record)
  if (grant.walledGarden && settings.walledGardenList !== '') writeList(writer, nasType, settings.walledGardenList)
  writeEncodedPart(writer, record.bytes, record.userReplyAt, record.tariffReplyAt)
  writeEncodedPart(writer, record.bytes, record.tariffReplyAt, record.tariffReplyEnd)
}

function writeList(writer: PacketWriter, nasType: NasType, list: string): void {
  if (nasType === 'mikrotik') writer.vendorText(vendors.mikrotik, mikrotik.addressList, list)
  else writer.text(attributes.filterId, list)
}

/** The record holds a prefix as RFC 3162 sends it, always with 16 octets of address. */
function writePrefix(writer: PacketWriter, type: number, bytes: Uint8Array, at: number): void {
  writer.ipv6Prefix(type, bytes, bytes[at + 1]!, at + 2)
}

/**
 * A session never outlives its access, so of the time that is left and the time that radius_reply allows the shorter
 * one counts; 0 is no limit.
 */
function writeSessionTimeout(writer: PacketWriter, accessSeconds: number, replySeconds: number): void {
  const seconds = shorterLimit(accessSeconds, replySeconds)
  if (seconds > 0) writer.integer(attributes.sessionTimeout, Math.min(seconds, sessionSecondsMax))
}

function writeEncodedPart(writer: PacketWriter, bytes: Uint8Array, from: number, to: number): void {
  if (to > from) writer.encoded(bytes, from, to)
}
