import { nasId } from '../../../domain/ids.ts'
import { formatAddress, parseAddress } from '../wire/address.ts'
import { readAccountingRecord } from './accounting-record.ts'
import { unnamedNas } from './nas-identity.ts'
import type { SessionEnding, SessionEntry } from './session-changes.ts'

/** The first octet of a frame is its kind. */
/** A packet as an older version wrote it, without its source. */
const sourcelessFrame = 1
const endingFrame = 2
const packetFrame = 3
/** The kind, the time of arrival in milliseconds as a double, the NAS id. */
const headerBytes = 13
const addressBytes = 16

/** `nasIp` is the source address of the packet. */
export function framePacket(nas: number, receivedAtMs: number, nasIp: string, packet: Uint8Array): Buffer {
  const frame = Buffer.alloc(headerBytes + addressBytes + packet.length)
  frame[0] = packetFrame
  frame.writeDoubleLE(receivedAtMs, 1)
  frame.writeUInt32LE(nas, 9)
  frame.set(parseAddress(nasIp) ?? [], headerBytes)
  frame.set(packet, headerBytes + addressBytes)
  return frame
}

export const frameEnding = (ending: SessionEnding): Buffer =>
  Buffer.concat([Buffer.from([endingFrame]), Buffer.from(JSON.stringify(ending))])

/** Null for a frame of an unknown kind, as another version may have written it. */
export function readFrame(frame: Buffer): SessionEntry | null {
  const hasSource = frame[0] === packetFrame
  const packetAt = hasSource ? headerBytes + addressBytes : headerBytes
  if ((hasSource || frame[0] === sourcelessFrame) && frame.length >= packetAt) {
    const nasIp = hasSource ? formatAddress(frame.subarray(headerBytes, packetAt)) : null
    const record = readAccountingRecord(
      frame.subarray(packetAt),
      nasId(frame.readUInt32LE(9)),
      frame.readDoubleLE(1),
      nasIp,
    )
    return { kind: 'packet', record }
  }
  if (frame[0] === endingFrame) {
    const ending = JSON.parse(frame.toString('utf8', 1)) as SessionEnding
    // Older versions wrote no identity, and ended sessions whatever was heard.
    ending.nasIdentity ??= unnamedNas
    ending.silentSinceMs ??= null
    return { kind: 'ending', ending }
  }
  return null
}
