import { writeFileSync } from 'node:fs'

export type Endpoint = { ip: string; port: number }

const rawIp = 101
const headerBytes = 20 + 8

/** A port of the system's choice may be among the thirty by which Wireshark takes any UDP for a traceroute. */
const isOfTraceroute = (port: number): boolean => port > 33_434 && port <= 33_464
const clearOfTraceroute = 1_000

/**
 * A capture in pcap's format of datagrams that the test itself has seen, so that it needs no right to listen on a
 * device. The IPv4 and UDP headers are made up; checksums are left out, as UDP allows.
 */
export class Capture {
  readonly #parts: Buffer[] = [fileHeader()]
  count = 0

  add(from: Endpoint, to: Endpoint, datagram: Uint8Array): void {
    const length = headerBytes + datagram.length
    const record = Buffer.alloc(16 + headerBytes)
    // A millisecond after the one before.
    record.writeUInt32LE(Math.floor(this.count / 1000), 0)
    record.writeUInt32LE((this.count % 1000) * 1000, 4)
    record.writeUInt32LE(length, 8)
    record.writeUInt32LE(length, 12)
    const packet = record.subarray(16)
    packet.writeUInt8(0x45, 0)
    packet.writeUInt16BE(length, 2)
    // Time to live, and the number of UDP.
    packet.set([64, 17], 8)
    packet.set(from.ip.split('.').map(Number), 12)
    packet.set(to.ip.split('.').map(Number), 16)
    packet.writeUInt16BE(portOf(from), 20)
    packet.writeUInt16BE(portOf(to), 22)
    packet.writeUInt16BE(8 + datagram.length, 24)
    this.#parts.push(record, Buffer.from(datagram))
    this.count++
  }

  save(path: string): void {
    writeFileSync(path, Buffer.concat(this.#parts))
  }
}

const portOf = ({ port }: Endpoint): number => (isOfTraceroute(port) ? port - clearOfTraceroute : port)

function fileHeader(): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65_535, 16)
  header.writeUInt32LE(rawIp, 20)
  return header
}
