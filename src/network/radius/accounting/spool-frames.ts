import { nasId } from '../../../domain/ids.ts'
import { readAccountingRecord } from './accounting-record.ts'
import { unnamedNas } from './nas-identity.ts'
import type { SessionEnding, SessionEntry } from './session-changes.ts'

/** The first octet of a frame is its kind. */
const packetFrame = 1
const endingFrame = 2
/** The kind, the time of arrival in milliseconds as a double, the NAS id. */
const packetHeaderBytes = 13

export function framePacket(nas: number, receivedAtMs: number, packet: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(packetHeaderBytes + packet.length)
  frame[0] = packetFrame
  frame.writeDoubleLE(receivedAtMs, 1)
  frame.writeUInt32LE(nas, 9)
  frame.set(packet, packetHeaderBytes)
  return frame
}

export const frameEnding = (ending: SessionEnding): Buffer =>
  Buffer.concat([Buffer.from([endingFrame]), Buffer.from(JSON.stringify(ending))])

/** Null for a frame of an unknown kind, as another version may have written it. */
export function readFrame(frame: Buffer): SessionEntry | null {
  if (frame[0] === packetFrame && frame.length >= packetHeaderBytes) {
    const record = readAccountingRecord(
      frame.subarray(packetHeaderBytes),
      nasId(frame.readUInt32LE(9)),
      frame.readDoubleLE(1),
    )
    return { kind: 'packet', record }
  }
  if (frame[0] === endingFrame) {
    const ending = JSON.parse(frame.toString('utf8', 1)) as SessionEnding
    // An older version wrote no identity.
    ending.nasIdentity ??= unnamedNas
    return { kind: 'ending', ending }
  }
  return null
}
