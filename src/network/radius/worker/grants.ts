import { type Grant, shorterLimit } from '../../../domain/access.ts'
import type { AccessRecord } from '../../access/record.ts'
import type { RadiusSettings } from './messages.ts'
import { attributes } from '../wire/attribute-types.ts'
import type { PacketWriter } from '../wire/writer.ts'
import { mayMeetReply, writeBlock, writeReplyInGarden } from './attribute-block.ts'
import type { TemplateBlocks } from './template-blocks.ts'

/** The minimum of Acct-Interim-Interval in seconds (contract section 6). */
const interimSecondsMin = 5
const sessionSecondsMax = 0xffff_ffff

/** What an Access-Accept carries (contract section 6). `address` is the Framed-IP-Address as 32 bits, -1 for none. */
export function writeGrant(
  writer: PacketWriter,
  record: AccessRecord,
  grant: Grant,
  address: number,
  template: TemplateBlocks,
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
  const { downKbit, upKbit, vlan } = record
  const list = settings.walledGardenList
  const accept = grant.walledGarden ? 'acceptInGarden' : 'accept'
  writeBlock(writer, template.block(accept, downKbit, upKbit, list, vlan), record)
  if (grant.walledGarden) {
    const garden = template.block('garden', downKbit, upKbit, list, vlan)
    if (garden.bytes.length > 0) writer.encoded(garden.bytes)
    if (mayMeetReply(garden, record)) {
      writeReplyInGarden(writer, garden, record)
      return
    }
  }
  writeEncodedPart(writer, record.bytes, record.userReplyAt, record.tariffReplyAt)
  writeEncodedPart(writer, record.bytes, record.tariffReplyAt, record.tariffReplyEnd)
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
