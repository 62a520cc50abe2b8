import type { AccountingBatch } from './messages.ts'
import { datagramWord, datagramWords } from '../udp/udp-port.ts'
import { headerBytes, type PacketView } from '../wire/packet.ts'

/** The maximum of requests in work; beyond it the NAS has to repeat. */
export const pendingMax = 50_000

/**
 * The low bits of a token are the slot of its request; the rest is a generation, which distinguishes uses of the slot.
 */
const slotBits = 16
const generationMask = 0x7fff
const free = -1
/** The words of a slot: its token, the nasSlot of the NAS, then the source as in the description of a datagram. */
const tokenAt = datagramWord.offset
const nasSlotAt = datagramWord.length
/** A slot has room for the request's header and the answer; a longer answer (Proxy-State) is stored separately. */
const slotBytes = 96
const answerBytesMax = slotBytes - headerBytes
const slotsFirst = 1024
const bytesFirst = 1 << 16

/** An accounting request that waited; valid until the next one is taken. */
export type Waited = {
  nasSlot: number
  /** The destination of the answer is described from source[sourceAt] on. */
  source: Int32Array
  sourceAt: number
  /** The request's header begins at bytes[at]. */
  bytes: Buffer
  at: number
  answer: Buffer
  answerLength: number
}

/**
 * Collects accounting requests into batches and remembers where to send the answers. Nothing is allocated per
 * request; the memory grows with the largest number that ever waited.
 */
export class PendingAccounting {
  #words = new Int32Array(slotsFirst * datagramWords).fill(free)
  #bytes = Buffer.alloc(slotsFirst * slotBytes)
  #lengths = new Uint16Array(slotsFirst)
  readonly #long = new Map<number, Buffer>()
  #slots = slotsFirst
  readonly #freed: number[] = []
  #used = 0
  #size = 0
  #generation = 0
  readonly #tokens: number[] = []
  readonly #nasIds: number[] = []
  readonly #sources: number[] = []
  readonly #arrivals: number[] = []
  readonly #ends: number[] = []
  #packets = new Uint8Array(bytesFirst)
  #packetsEnd = 0
  readonly #waited: Waited = {
    nasSlot: 0,
    source: this.#words,
    sourceAt: 0,
    bytes: this.#bytes,
    at: 0,
    answer: this.#bytes,
    answerLength: 0,
  }

  /** Requests not yet answered. */
  get size(): number {
    return this.#size
  }

  /** Requests not yet taken by takeBatch. */
  get collected(): number {
    return this.#tokens.length
  }

  /** The source is described from source[sourceAt] on; the answer is answer[0..answerLength), which is copied. */
  add(
    nasId: number,
    nasSlot: number,
    packet: PacketView,
    arrivedMs: number,
    source: Int32Array,
    sourceAt: number,
    answer: Buffer,
    answerLength: number,
  ): void {
    const slot = this.#freed.pop() ?? this.#freshSlot()
    this.#generation = (this.#generation + 1) & generationMask
    const token = (this.#generation << slotBits) | slot
    const words = this.#words
    const first = slot * datagramWords
    words[first + tokenAt] = token
    words[first + nasSlotAt] = nasSlot
    for (let word = datagramWord.port; word < datagramWords; word++) words[first + word] = source[sourceAt + word]!
    const at = slot * slotBytes
    const bytes = this.#bytes
    for (let index = 0; index < headerBytes; index++) bytes[at + index] = packet.bytes[packet.start + index]!
    this.#lengths[slot] = answerLength
    if (answerLength > answerBytesMax) this.#long.set(slot, Buffer.from(answer.subarray(0, answerLength)))
    else for (let index = 0; index < answerLength; index++) bytes[at + headerBytes + index] = answer[index]!
    this.#size++
    this.#collect(packet)
    this.#tokens.push(token)
    this.#nasIds.push(nasId)
    const address = sourceAt + datagramWord.address
    this.#sources.push(source[address]!, source[address + 1]!, source[address + 2]!, source[address + 3]!)
    this.#arrivals.push(arrivedMs)
    this.#ends.push(this.#packetsEnd)
  }

  takeBatch(): AccountingBatch {
    const batch: AccountingBatch = {
      tokens: Int32Array.from(this.#tokens),
      nasIds: Int32Array.from(this.#nasIds),
      sources: Int32Array.from(this.#sources),
      arrivedMs: Float64Array.from(this.#arrivals),
      ends: Int32Array.from(this.#ends),
      packets: this.#packets.slice(0, this.#packetsEnd),
    }
    this.#tokens.length = 0
    this.#nasIds.length = 0
    this.#sources.length = 0
    this.#arrivals.length = 0
    this.#ends.length = 0
    this.#packetsEnd = 0
    return batch
  }

  /** Removes and returns a request that waited; null for an unknown token. */
  take(token: number): Waited | null {
    const slot = token & ((1 << slotBits) - 1)
    if (slot >= this.#used || this.#words[slot * datagramWords + tokenAt] !== token) return null
    this.#words[slot * datagramWords + tokenAt] = free
    this.#freed.push(slot)
    this.#size--
    const waited = this.#waited
    const long = this.#long.get(slot)
    if (long) this.#long.delete(slot)
    waited.nasSlot = this.#words[slot * datagramWords + nasSlotAt]!
    waited.source = this.#words
    waited.sourceAt = slot * datagramWords
    waited.bytes = this.#bytes
    waited.at = slot * slotBytes
    waited.answerLength = this.#lengths[slot]!
    waited.answer = long ?? this.#bytes.subarray(waited.at + headerBytes, waited.at + slotBytes)
    return waited
  }

  #freshSlot(): number {
    if (this.#used === this.#slots) {
      const words = new Int32Array(this.#slots * 2 * datagramWords).fill(free)
      const bytes = Buffer.alloc(this.#slots * 2 * slotBytes)
      const lengths = new Uint16Array(this.#slots * 2)
      words.set(this.#words)
      bytes.set(this.#bytes)
      lengths.set(this.#lengths)
      this.#words = words
      this.#bytes = bytes
      this.#lengths = lengths
      this.#slots *= 2
    }
    return this.#used++
  }

  /** Appends a packet without its padding to the bytes of the batch. */
  #collect(packet: PacketView): void {
    const { bytes, start, length } = packet
    while (this.#packetsEnd + length > this.#packets.length) {
      const wider = new Uint8Array(this.#packets.length * 2)
      wider.set(this.#packets)
      this.#packets = wider
    }
    this.#packets.set(bytes.subarray(start, start + length), this.#packetsEnd)
    this.#packetsEnd += length
  }
}
