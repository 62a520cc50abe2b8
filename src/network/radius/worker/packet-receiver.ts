import {
  type Digester,
  datagramWord,
  datagramWords,
  digestKinds,
  type UdpListener,
  type UdpPort,
} from '../udp/udp-port.ts'
import { attributes } from '../wire/attribute-types.ts'
import { codes, PacketView } from '../wire/packet.ts'
import { PacketWriter } from '../wire/writer.ts'
import { type CountedResult, type DropFault, type RadiusPort, unknownNasSlot, type WorkerCounters } from './counters.ts'
import type { NasNotices } from './nas-notices.ts'
import { looksLikeRadius, type NasSigns } from './nas-signs.ts'
import type { NasTable } from './nas-table.ts'
import { Replies, sourceOf } from './replies.ts'
import type { KnownNas } from './signature-rules.ts'

/** What a receiver needs. `nas` is called for every batch, because the table may have changed. */
export type ReceiverParts = {
  counters: WorkerCounters
  signs: NasSigns
  nas: () => NasTable
  notices: NasNotices
  /** The time of day, in milliseconds since 1970. */
  dayTimeMs: () => number
  /** Called with an error of ours while serving one request; the other requests go on. */
  failed: (error: unknown) => void
}

/**
 * Receives what arrives on one port: finds the NAS, checks that the datagram is a packet, and answers retransmissions.
 * A batch is handled completely before the next one, so the same views and one writer serve all batches.
 */
export abstract class PacketReceiver implements UdpListener {
  /** The answers of this port only, because the same source port and identifier may be in use on the other one. */
  readonly replies: Replies
  protected packet = new PacketView()
  protected readonly writer = new PacketWriter()
  protected readonly notices: NasNotices
  readonly #port: RadiusPort
  readonly #parts: ReceiverParts
  readonly #requestCode: number
  /** For each datagram of the batch: its view, its NAS and its fault. */
  readonly #views: PacketView[] = [this.packet]
  readonly #sources: (KnownNas | null)[] = [null]
  readonly #faults: (DropFault | null)[] = [null]

  constructor(port: RadiusPort, parts: ReceiverParts, replies = new Replies()) {
    this.#port = port
    this.#parts = parts
    this.notices = parts.notices
    this.replies = replies
    this.#requestCode = port === 'auth' ? codes.accessRequest : codes.accountingRequest
  }

  datagrams(udp: UdpPort, count: number): void {
    const nowMs = performance.now()
    const { counters, dayTimeMs } = this.#parts
    const atMs = dayTimeMs()
    this.#parse(udp, count, this.#parts.nas())
    this.begin()
    for (let index = 0; index < count; index++) {
      const nas = this.#sources[index]!
      const nasSlot = nas === null ? unknownNasSlot : nas.record.nasSlot
      this.#see(udp, index, nas, atMs)
      try {
        const counted = this.#faults[index] ?? this.#serve(udp, index, nas!, nowMs)
        if (counted) counters.add(this.#port, nasSlot, counted)
      } catch (error) {
        this.fail(error)
      }
    }
    udp.flush()
    this.end(udp, nowMs)
  }

  notSent(count: number): void {
    this.#parts.counters.add(this.#port, unknownNasSlot, 'notSent', count)
  }

  /** Handles a request that was not seen before; null when the result is not known yet. */
  protected abstract take(udp: UdpPort, at: number, nas: KnownNas, nowMs: number): CountedResult | DropFault | null
  protected begin(): void {}
  protected end(_udp: UdpPort, _beganMs: number): void {}

  /** Counts and reports an error of ours while serving one request. */
  protected fail(error: unknown): void {
    this.#parts.counters.add(this.#port, unknownNasSlot, 'failure')
    this.#parts.failed(error)
  }

  /**
   * Remembers what the writer holds as the answer to the packet, and sends it with the batch to where source[at] says.
   */
  protected answer(udp: UdpPort, source: Int32Array, at: number, nas: KnownNas, nowMs: number): void {
    const { packet, replies, writer } = this
    const port = source[at + datagramWord.port]!
    replies.store(sourceOf(source, at), port, packet.bytes, packet.start, nowMs, writer.bytes, writer.length)
    this.notices.asked(nas, source, at)
    const key = writer.signsLater ? nas.key : -1
    udp.queue(replies.at, replies.length, source, at, key, writer.messageAuthenticatorAt)
  }

  /** Parses the whole batch before any of it is answered, so that its digests are computed together. */
  #parse(udp: UdpPort, count: number, table: NasTable): void {
    const { received, bytes, digester } = udp
    while (this.#views.length < count) this.#views.push(new PacketView())
    for (let index = 0; index < count; index++) {
      const at = index * datagramWords
      const place = table.find(received, at)
      const from = received[at + datagramWord.offset]!
      const packet = this.#views[index]!
      const fault = place && this.#faultOf(packet, bytes, from, from + received[at + datagramWord.length]!)
      const nas = place === null ? null : fault === null ? table.choose(place, packet) : place.plain
      this.#sources[index] = nas
      this.#faults[index] = fault ?? (nas === null ? 'unknownNas' : null)
      if (nas !== null && fault === null && digester !== null && nas.key >= 0) requestDigests(packet, nas.key, digester)
    }
    if (digester === null) return
    digester.keys = table.keys
    digester.run()
  }

  #see({ bytes, received }: UdpPort, index: number, nas: KnownNas | null, atMs: number): void {
    const { signs } = this.#parts
    if (nas !== null) signs.heard(nas.record.nasSlot, atMs)
    else if (looksLikeRadius(bytes, received, index, this.#requestCode))
      signs.stranger(received, index * datagramWords, atMs)
  }

  #faultOf(packet: PacketView, bytes: Buffer, from: number, to: number): DropFault | null {
    const fault = packet.reset(bytes, from, to)
    if (fault !== null) return fault
    return packet.code === this.#requestCode || packet.code === codes.statusServer ? null : 'wrongCode'
  }

  #serve(udp: UdpPort, index: number, nas: KnownNas, nowMs: number): CountedResult | DropFault | null {
    const at = index * datagramWords
    const packet = this.#views[index]!
    const { replies } = this
    const { received } = udp
    const port = received[at + datagramWord.port]!
    const known = replies.find(sourceOf(received, at), port, packet.bytes, packet.start, nowMs)
    if (known === 'new') {
      this.packet = packet
      // An earlier request of the batch may have been the first that is signed with the other secret.
      if (packet.precomputedKey !== nas.key) packet.precomputed = null
      return this.take(udp, at, nas, nowMs)
    }
    if (known === 'inWork') return 'inWork'
    udp.queue(replies.at, replies.length, received, at)
    return 'repeated'
  }
}

/** Requests the digests that checking the request will need. */
function requestDigests(packet: PacketView, key: number, digester: Digester): void {
  const signature = packet.offsetOf(attributes.messageAuthenticator)
  const kind =
    packet.code === codes.accountingRequest
      ? digestKinds.requestAuthenticator
      : packet.has(attributes.userPassword)
        ? digestKinds.passwordMask
        : digestKinds.none
  if (signature === -1 && kind === digestKinds.none) return
  const signatureAt = signature === -1 ? 0 : signature + 2 - packet.start
  packet.precomputed = digester.results
  packet.precomputedKey = key
  packet.precomputedAt = digester.add(packet.start, packet.length, key, signatureAt, kind)
}
