import { nasId } from '../../../domain/ids.ts'
import { formatAddress, parseAddress } from '../wire/address.ts'
import { type AccountingRecord, readAccountingRecord } from './accounting-record.ts'
import { unnamedNas } from './nas-identity.ts'
import type { SessionEnding, SessionEntry } from './session-changes.ts'

/** The first octet of a frame is its kind. */
/** Packets as older versions wrote them: without their source, and without the offered address. */
const sourcelessFrame = 1
const endingFrame = 2
const offerlessFrame = 3
const packetFrame = 4
/** The kind, the time of arrival in milliseconds as a double, the NAS id. */
const headerBytes = 13
const addressBytes = 16
/** Where the packet itself begins. */
const packetAt: Readonly<Record<number, number>> = {
  [sourcelessFrame]: headerBytes,
  [offerlessFrame]: headerBytes + addressBytes,
  [packetFrame]: headerBytes + 2 * addressBytes,
}

type FramedRecord = Pick<AccountingRecord, 'nasId' | 'receivedAtMs' | 'nasIp' | 'offeredIp'>

/** A frame with the packet of a record, and with what memory knows of it and may not know any more later. */
export function framePacket({ nasId: nas, receivedAtMs, nasIp, offeredIp }: FramedRecord, packet: Uint8Array): Buffer {
  const at = packetAt[packetFrame]!
  const frame = Buffer.alloc(at + packet.length)
  frame[0] = packetFrame
  frame.writeDoubleLE(receivedAtMs, 1)
  frame.writeUInt32LE(nas, 9)
  putAddress(frame, headerBytes, nasIp)
  putAddress(frame, headerBytes + addressBytes, offeredIp ?? null)
  frame.set(packet, at)
  return frame
}

/** Writes an address into a frame; null is written as zeros. */
function putAddress(frame: Buffer, at: number, address: string | null): void {
  const bytes = address === null ? null : parseAddress(address)
  if (bytes !== null) frame.set(bytes, at)
}

function addressAt(frame: Buffer, at: number): string | null {
  const bytes = frame.subarray(at, at + addressBytes)
  return bytes.every((octet) => octet === 0) ? null : formatAddress(bytes)
}

export const frameEnding = (ending: SessionEnding): Buffer =>
  Buffer.concat([Buffer.from([endingFrame]), Buffer.from(JSON.stringify(ending))])

/** Null for a frame of an unknown kind, as another version may have written it. */
export function readFrame(frame: Buffer): SessionEntry | null {
  const kind = frame[0]!
  const at = packetAt[kind]
  if (at !== undefined && frame.length >= at) {
    const nasIp = kind === sourcelessFrame ? null : addressAt(frame, headerBytes)
    const record = readAccountingRecord(frame.subarray(at), nasId(frame.readUInt32LE(9)), frame.readDoubleLE(1), nasIp)
    if (kind === packetFrame) record.offeredIp = addressAt(frame, headerBytes + addressBytes)
    return { kind: 'packet', record }
  }
  if (kind === endingFrame) {
    const ending = JSON.parse(frame.toString('utf8', 1)) as SessionEnding
    // Older versions wrote no identity, and ended sessions whatever was heard.
    ending.nasIdentity ??= unnamedNas
    ending.silentSinceMs ??= null
    return { kind: 'ending', ending }
  }
  return null
}
