/** Captures made by hand, so that a mistake of the reader cannot hide in its own test. */
import { parseAddress } from '../../../src/network/radius/wire/address.ts'

export type FrameOptions = {
  readonly link?: number
  readonly isBigEndian?: boolean
  readonly isNanosecond?: boolean
  readonly tags?: readonly number[]
  /** The fragment field of IPv4. */
  readonly fragment?: number
  /** Extension headers of IPv6: next headers, of eight octets each. */
  readonly extensions?: readonly Buffer[]
}

export type Hop = { readonly from: string; readonly to: string; readonly ports: readonly [number, number] }

const word16 = (value: number) => Buffer.from([value >> 8, value & 255])
const addressOf = (text: string) => {
  const bytes = Buffer.from(parseAddress(text)!)
  return text.includes(':') ? bytes : bytes.subarray(12)
}

function udp([from, to]: Hop['ports'], payload: Buffer): Buffer {
  return Buffer.concat([word16(from), word16(to), word16(8 + payload.length), word16(0), payload])
}

function ip(hop: Hop, payload: Buffer, { fragment = 0, extensions = [] }: FrameOptions): Buffer {
  const inner = udp(hop.ports, payload)
  const ends = [addressOf(hop.from), addressOf(hop.to)]
  if (hop.from.includes(':')) {
    const all = Buffer.concat([...extensions, inner])
    const next = extensions.length > 0 ? (extensions[0]![7]! === 0xfe ? 44 : 0) : 17
    return Buffer.concat([Buffer.from([0x60, 0, 0, 0]), word16(all.length), Buffer.from([next, 64]), ...ends, all])
  }
  const length = word16(20 + inner.length)
  const head = [Buffer.from([0x45, 0]), length, word16(1), word16(fragment), Buffer.from([64, 17, 0, 0])]
  return Buffer.concat([...head, ...ends, inner])
}

/** An IP packet as a device of the link type has it. */
export function frame(hop: Hop, payload: Buffer, options: FrameOptions = {}): Buffer {
  const { link = 101, tags = [] } = options
  const packet = ip(hop, payload, options)
  const type = hop.from.includes(':') ? 0x86dd : 0x0800
  const types = [...tags.map(() => 0x8100), type]
  const behind = tags.map((tag, index) => Buffer.concat([word16(tag), word16(types[index + 1]!)]))
  const first = word16(types[0]!)
  const heads: Record<number, readonly Buffer[]> = {
    0: [Buffer.from([2, 0, 0, 0])],
    1: [Buffer.alloc(12, 0xaa), first],
    113: [Buffer.alloc(14, 0xaa), first],
    276: [first, Buffer.alloc(18, 0xaa)],
  }
  return Buffer.concat([...(heads[link] ?? []), ...behind, packet])
}

/** A pcap file. Frames are a second apart, or at the times given; `cut` leaves so many octets of each. */
export function capture(
  frames: readonly Buffer[],
  options: FrameOptions & { readonly times?: readonly number[]; readonly cut?: number } = {},
): Buffer {
  const { link = 101, isBigEndian = false, isNanosecond = false, times = [], cut = Number.POSITIVE_INFINITY } = options
  const words = (...list: number[]) => {
    const bytes = Buffer.alloc(list.length * 4)
    for (const [index, value] of list.entries())
      isBigEndian ? bytes.writeUInt32BE(value, index * 4) : bytes.writeUInt32LE(value, index * 4)
    return bytes
  }
  const version = isBigEndian ? Buffer.from([0, 2, 0, 4]) : Buffer.from([2, 0, 4, 0])
  const magic = isNanosecond ? 0xa1b23c4d : 0xa1b2c3d4
  const head = [words(magic), version, words(0, 0, 65_535, link)]
  // Five milliseconds of the second.
  const part = isNanosecond ? 5_000_000 : 5_000
  const records = frames.flatMap((bytes, index) => {
    const taken = bytes.subarray(0, cut)
    return [words(times[index] ?? 1_000 + index, part, taken.length, bytes.length), taken]
  })
  return Buffer.concat([...head, ...records])
}

export async function* inChunks(bytes: Buffer, size = bytes.length || 1): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
