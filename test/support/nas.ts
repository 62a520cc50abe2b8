import { createHash, createHmac } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { nasId } from '../../src/domain/ids.ts'
import type { NasEntry, NasType } from '../../src/domain/nas.ts'
import { parseAddress } from '../../src/network/radius/wire/address.ts'
import type { AccountingBatch } from '../../src/network/radius/worker/messages.ts'

/** A received Disconnect- or CoA-Request, read with no code of ours. */
export type CoaSeen = {
  code: number
  identifier: number
  /** The address it came from. */
  from: string
  bytes: Buffer
  at: number
  /** Message-Authenticator and Request Authenticator are right. */
  authentic: boolean
  attributes: { type: number; value: Buffer }[]
  text(type: number): string | null
  integer(type: number): number | null
}

export type NasAnswer = 'ack' | 'silence' | 'forged' | { nak: number | null }

/** A NAS on an address of its own in 127.0.0.0/8 that answers CoA as it is told and makes accounting packets. */
export class FakeNas {
  readonly entry: NasEntry
  readonly seen: CoaSeen[] = []
  answer: (request: CoaSeen) => NasAnswer
  readonly #socket: Socket
  #watchers: (() => void)[] = []

  private constructor(socket: Socket, entry: NasEntry, answer: (request: CoaSeen) => NasAnswer) {
    this.#socket = socket
    this.entry = entry
    this.answer = answer
    socket.on('message', (bytes, from) => this.#take(bytes, from.port, from.address))
  }

  static async start(
    options: { id?: number; ip?: string; type?: NasType; answer?: (request: CoaSeen) => NasAnswer } = {},
  ): Promise<FakeNas> {
    const { id = 1, ip = '127.0.0.1', type = 'generic', answer = () => 'ack' as const } = options
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    socket.bind(0, ip)
    await once(socket, 'listening')
    const entry: NasEntry = {
      id: nasId(id),
      name: `nas-${id}`,
      ip,
      secret: `secret of ${id}`,
      type,
      coaPort: socket.address().port,
      enabled: true,
      requireMessageAuthenticator: 'no',
      limitProxyState: 'no',
    }
    return new FakeNas(socket, entry, answer)
  }

  /** Resolves when so many requests have come. */
  async received(count: number): Promise<readonly CoaSeen[]> {
    while (this.seen.length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve))
    return this.seen
  }

  /** One Accounting-Request, signed. */
  accounting(attributes: readonly Attribute[], identifier = 1): Buffer {
    return accountingRequest(this.entry.secret, attributes, identifier)
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()))
  }

  #take(bytes: Buffer, port: number, address: string): void {
    const request = readRequest(bytes, this.entry.secret, address)
    this.seen.push(request)
    const answer = this.answer(request)
    if (answer !== 'silence') {
      const secret = answer === 'forged' ? 'another secret' : this.entry.secret
      const isNak = typeof answer === 'object'
      const cause = isNak && answer.nak !== null ? attribute(101, uint32(answer.nak)) : Buffer.alloc(0)
      this.#socket.send(signedAnswer(bytes, request.code + (isNak ? 2 : 1), cause, secret), port, address)
    }
    for (const watcher of this.#watchers.splice(0)) watcher()
  }
}

export type Attribute = [type: number, value: string | number | Buffer]

/** RFC 2866 section 3: the authenticator is MD5 over the packet with zeros in its place, and the secret. */
export function accountingRequest(secret: string, attributes: readonly Attribute[], identifier = 1): Buffer {
  const body = Buffer.concat(
    attributes.map(([type, value]) =>
      attribute(
        type,
        typeof value === 'number' ? uint32(value) : typeof value === 'string' ? Buffer.from(value) : value,
      ),
    ),
  )
  const packet = Buffer.concat([Buffer.from([4, identifier, 0, 0]), Buffer.alloc(16), body])
  packet.writeUInt16BE(packet.length, 2)
  createHash('md5').update(packet).update(secret).digest().copy(packet, 4)
  return packet
}

/** 127.0.0.1 as a datagram describes it. */
export const loopback = [0, 0, -0x10000, 0x0100007f] as const

/** What a port hands over: packets one behind another, by default as soon as they have arrived. */
export function batchOf(
  packets: readonly { nas: number; packet: Buffer; source?: string }[],
  arrivedMs = Number.POSITIVE_INFINITY,
): AccountingBatch {
  let end = 0
  return {
    tokens: Int32Array.from(packets.keys()),
    nasIds: Int32Array.from(packets, ({ nas }) => nas),
    sources: Int32Array.from(
      packets.flatMap(({ source }) => (source ? [...new Int32Array(parseAddress(source)!.buffer)] : loopback)),
    ),
    arrivedMs: new Float64Array(packets.length).fill(arrivedMs),
    ends: Int32Array.from(packets, ({ packet }) => {
      end += packet.length
      return end
    }),
    packets: Buffer.concat(packets.map(({ packet }) => packet)),
  }
}

export const ip = (text: string): Buffer => Buffer.from(text.split('.').map(Number))

const uint32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4)
  octets.writeUInt32BE(value)
  return octets
}

const attribute = (type: number, value: Buffer): Buffer => Buffer.concat([Buffer.from([type, value.length + 2]), value])

function readRequest(bytes: Buffer, secret: string, from: string): CoaSeen {
  const attributes: { type: number; value: Buffer }[] = []
  let macAt = -1
  for (let at = 20; at < bytes.length; at += bytes[at + 1]!) {
    if (bytes[at] === 80) macAt = at + 2
    attributes.push({ type: bytes[at]!, value: bytes.subarray(at + 2, at + bytes[at + 1]!) })
  }
  const find = (type: number) => attributes.find((one) => one.type === type)?.value ?? null
  return {
    code: bytes[0]!,
    from,
    identifier: bytes[1]!,
    bytes,
    at: performance.now(),
    authentic: isAuthentic(bytes, macAt, secret),
    attributes,
    text: (type) => find(type)?.toString() ?? null,
    integer: (type) => find(type)?.readUInt32BE() ?? null,
  }
}

function isAuthentic(bytes: Buffer, macAt: number, secret: string): boolean {
  const zeroed = Buffer.from(bytes)
  zeroed.fill(0, 4, 20)
  if (!createHash('md5').update(zeroed).update(secret).digest().equals(bytes.subarray(4, 20))) return false
  zeroed.fill(0, macAt, macAt + 16)
  return createHmac('md5', secret)
    .update(zeroed)
    .digest()
    .equals(bytes.subarray(macAt, macAt + 16))
}

function signedAnswer(request: Buffer, code: number, body: Buffer, secret: string): Buffer {
  const packet = Buffer.concat([Buffer.from([code, request[1]!, 0, 20 + body.length]), request.subarray(4, 20), body])
  createHash('md5').update(packet).update(secret).digest().copy(packet, 4)
  return packet
}
