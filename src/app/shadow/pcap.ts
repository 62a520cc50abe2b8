import { ByteStream } from './byte-stream.ts'
import { type Frame, isKnownLink } from './datagrams.ts'
import { SourceFault } from './exchange.ts'

const fileHeaderBytes = 24
const recordHeaderBytes = 16
/** The most that tcpdump takes of a packet (MAXIMUM_SNAPLEN). */
const frameBytesMax = 262_144
/** The upper bits of the link type tell of checksums at the end of frames. */
const linkMask = 0xffff

/** The order of octets and the parts of a second, by the first four octets of a file read as little-endian. */
const magics: ReadonlyMap<number, { readonly isLittle: boolean; readonly perMs: number }> = new Map([
  [0xa1b2c3d4, { isLittle: true, perMs: 1_000 }],
  [0xd4c3b2a1, { isLittle: false, perMs: 1_000 }],
  [0xa1b23c4d, { isLittle: true, perMs: 1_000_000 }],
  [0x4d3cb2a1, { isLittle: false, perMs: 1_000_000 }],
])
const pcapng = 0x0a0d0d0a
const gzip = 0x8b1f

/** The frames of a file of tcpdump (draft-ietf-opsawg-pcap). Rejects with SourceFault where it is none. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const stream = new ByteStream(chunks)
  const head = await stream.take(fileHeaderBytes)
  if (head === null) {
    if (stream.rest === 0) return
    throw new SourceFault('This is no capture: it is shorter than the header of a pcap file.')
  }
  const { isLittle, perMs } = formOf(head.readUInt32LE(0))
  const word = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const link = word(head, 20) & linkMask
  if (!isKnownLink(link))
    throw new SourceFault(`The capture is of a device of link type ${link}; Ethernet, Linux cooked and IP are read.`)
  for (let number = 1; ; number++) {
    const record = await stream.take(recordHeaderBytes)
    // A capture that was stopped may end within a packet.
    if (record === null) return
    const [atMs, length] = [word(record, 0) * 1000 + Math.floor(word(record, 4) / perMs), word(record, 8)]
    const isWhole = length >= word(record, 12)
    if (length > frameBytesMax)
      throw new SourceFault(
        `The capture is damaged: packet ${number} cannot have ${length} octets. What came before it counts.`,
      )
    const bytes = await stream.take(length)
    if (bytes === null) return
    yield { atMs, link, bytes, isWhole }
  }
}

function formOf(magic: number) {
  const form = magics.get(magic)
  if (form) return form
  if (magic === pcapng)
    throw new SourceFault(
      'This is a pcapng file, as Wireshark writes it. `editcap -F pcap <file> capture.pcap` makes a pcap file of it; `dumpcap -P` and tcpdump write one.',
    )
  if ((magic & 0xffff) === gzip)
    throw new SourceFault('This file is compressed: `zcat <file> | tollgate shadow pcap -` reads it.')
  throw new SourceFault('This is no capture: a pcap file, as `tcpdump -w` writes it, begins otherwise.')
}
