import { codes, PacketView } from '../../network/radius/wire/packet.ts'
import { type Datagram, datagramOf, type Endpoint } from './datagrams.ts'
import type { Exchange, Seen } from './exchange.ts'
import { readFrames } from './pcap.ts'

/** A NAS repeats and a server answers within this time; then an identifier is taken to be another request's. */
const exchangeMs = 60_000

type Asked = {
  readonly atMs: number
  readonly source: Uint8Array
  readonly authenticator: Buffer
  /** Null once it was answered; then only its repetitions are still looked for. */
  packet: PacketView | null
}

/**
 * The exchanges of a capture, each when its answer came, or without one when there is none after a minute. A request
 * is known by addresses, ports and identifier, and a repetition of it by its Request Authenticator.
 */
export async function* capturedExchanges(
  chunks: AsyncIterable<Buffer>,
  port: number,
  seen: Seen,
): AsyncGenerator<Exchange> {
  const asked = new Map<string, Asked>()
  for await (const frame of readFrames(chunks)) {
    const datagram = datagramOf(frame)
    if (datagram === null || (datagram.from.port !== port && datagram.to.port !== port)) continue
    yield* expired(asked, frame.atMs)
    const packet = packetOf(datagram, seen)
    if (packet === null) continue
    const exchange = taken(asked, { packet, datagram, atMs: frame.atMs }, seen)
    if (exchange) yield exchange
  }
  for (const one of asked.values()) yield* unanswered(one)
}

function packetOf({ payload, fault }: Datagram, seen: Seen): PacketView | null {
  // It is kept until the answer comes, and the chunk that it lies in is not.
  const packet = new PacketView()
  if (fault !== null) seen.leave(fault)
  else if (packet.reset(Buffer.from(payload)) !== null) seen.leave('notRadius')
  else return packet
  return null
}

type Arrival = { readonly packet: PacketView; readonly datagram: Datagram; readonly atMs: number }

/** The exchange that a packet brings to an end: its own with the answer, or one whose identifier it takes over. */
function taken(asked: Map<string, Asked>, { packet, datagram, atMs }: Arrival, seen: Seen): Exchange | null {
  const { from, to } = datagram
  if (packet.code === codes.accessRequest) {
    const key = keyOf(from, to, packet)
    const before = asked.get(key)
    if (before?.authenticator.equals(packet.authenticator)) {
      seen.repeated++
      return null
    }
    // The map is in the order of time.
    asked.delete(key)
    asked.set(key, { atMs, source: from.address, authenticator: Buffer.from(packet.authenticator), packet })
    return before?.packet ? exchangeOf(before, before.packet, null) : null
  }
  if (!isAnswer(packet.code)) {
    seen.others++
    return null
  }
  const request = asked.get(keyOf(to, from, packet))
  if (!request) seen.leave('replyAlone')
  else if (request.packet === null) seen.repeated++
  else {
    const exchange = exchangeOf(request, request.packet, packet)
    request.packet = null
    return exchange
  }
  return null
}

function* expired(asked: Map<string, Asked>, nowMs: number): Generator<Exchange> {
  for (const [key, one] of asked) {
    if (Math.abs(nowMs - one.atMs) <= exchangeMs) return
    asked.delete(key)
    yield* unanswered(one)
  }
}

function* unanswered(one: Asked): Generator<Exchange> {
  if (one.packet !== null) yield exchangeOf(one, one.packet, null)
}

const exchangeOf = ({ atMs, source }: Asked, packet: PacketView, reply: PacketView | null): Exchange => ({
  atMs,
  source,
  request: { kind: 'packet', packet },
  reply: reply && { kind: 'packet', packet: reply },
  isByOrder: false,
})

const isAnswer = (code: number): boolean =>
  code === codes.accessAccept || code === codes.accessReject || code === codes.accessChallenge

const keyOf = (nas: Endpoint, server: Endpoint, { identifier }: PacketView): string =>
  `${Buffer.from(nas.address).toString('latin1')}${Buffer.from(server.address).toString('latin1')}${nas.port} ${server.port} ${identifier}`
