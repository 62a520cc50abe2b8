import { mix } from '../../access/station.ts'
import { datagramWord } from '../udp/udp-port.ts'

/** How long a retransmission gets the same bytes again (RFC 5080 section 2.2.2). */
const replyLifetimeMs = 10_000
/** A retransmission of accounting that is still being stored is dropped, but only for this long. */
const workLifetimeMs = 30_000

const ways = 4
/** The words of an entry: port and identifier, source, four words of the authenticator, time, length. */
const entryWords = 8
const inWork = -1

/**
 * The source address that is described from words[at] on, in one number: IPv4 addresses differ in it, IPv6 ones nearly
 * always. Two that do not would share an answer only for the same port, identifier and Request Authenticator.
 */
export function sourceOf(words: Int32Array, at: number): number {
  const from = at + datagramWord.address
  return words[from + 3]! ^ mix(words[from + 2]! ^ mix(words[from + 1]! ^ mix(words[from]!)))
}

/**
 * Remembers answers by source address (sourceOf), source port, identifier and Request Authenticator. The
 * memory is fixed: when a bucket is full, its oldest entry is replaced, and the bytes of the answers are in a ring that
 * overwrites its oldest. Nothing is allocated. It is shared memory, though no other thread has it, because V8 looks
 * through its whole heap more often where much other memory hangs on it.
 */
export class Replies {
  /** The bytes of the answer last found or stored are bytes[at..at + length). */
  readonly bytes: Buffer
  at = 0
  length = 0
  readonly #entries: Int32Array
  /** By entry: the position of its bytes in the stream of all answers. They are gone when the ring has passed them. */
  readonly #positions: Float64Array
  readonly #bucketMask: number
  #head = 0

  constructor(entriesCount = 1 << 16, ringBytes = 1 << 24) {
    this.#entries = new Int32Array(new SharedArrayBuffer(entriesCount * entryWords * 4))
    this.#positions = new Float64Array(new SharedArrayBuffer(entriesCount * 8))
    this.#bucketMask = entriesCount / ways - 1
    this.bytes = Buffer.from(new SharedArrayBuffer(ringBytes))
  }

  /**
   * What is known of the request that begins at datagram[start]. For `answered`, `at` and `length` describe its answer.
   */
  find(
    source: number,
    port: number,
    datagram: Uint8Array,
    start: number,
    nowMs: number,
  ): 'new' | 'answered' | 'inWork' {
    const entry = this.#find(source, port, datagram, start)
    if (entry < 0) return 'new'
    const words = this.#entries
    const ageMs = (nowMs - words[entry * entryWords + 6]!) | 0
    const length = words[entry * entryWords + 7]!
    if (length === inWork) return ageMs < workLifetimeMs ? 'inWork' : 'new'
    const position = this.#positions[entry]!
    if (ageMs >= replyLifetimeMs || length === 0 || this.#head - position > this.bytes.length) return 'new'
    this.at = position % this.bytes.length
    this.length = length
    return 'answered'
  }

  /** Marks the request as being in work. */
  begin(source: number, port: number, datagram: Uint8Array, start: number, nowMs: number): void {
    this.#entries[this.#claimEntry(source, port, datagram, start, nowMs) * entryWords + 7] = inWork
  }

  /** Forgets a request that was dropped, so that its repetition counts as new. */
  forget(source: number, port: number, datagram: Uint8Array, start: number): void {
    const entry = this.#find(source, port, datagram, start)
    if (entry >= 0) this.#entries[entry * entryWords + 7] = 0
  }

  /** Stores answer[0..length) for the request; `at` and `length` then describe the copy. */
  store(
    source: number,
    port: number,
    datagram: Uint8Array,
    start: number,
    nowMs: number,
    answer: Buffer,
    length: number,
  ): void {
    const entry = this.#claimEntry(source, port, datagram, start, nowMs)
    const ring = this.bytes
    // An answer is contiguous, so what is too short for it at the end of the ring is skipped.
    const left = ring.length - (this.#head % ring.length)
    if (left < length) this.#head += left
    const at = this.#head % ring.length
    answer.copy(ring, at, 0, length)
    this.#positions[entry] = this.#head
    this.#entries[entry * entryWords + 7] = length
    this.#head += length
    this.at = at
    this.length = length
  }

  #find(source: number, port: number, datagram: Uint8Array, start: number): number {
    const name = (port << 8) | datagram[start + 1]!
    const first = (keyHash(source, name) & this.#bucketMask) * ways
    const words = this.#entries
    for (let entry = first; entry < first + ways; entry++) {
      const base = entry * entryWords
      if (words[base] !== name || words[base + 1] !== source) continue
      for (let part = 0; part < 4; part++)
        if (words[base + 2 + part] !== word(datagram, start + 4 + part * 4)) return -1
      return entry
    }
    return -1
  }

  /**
   * Returns the entry of this port and identifier, whatever request it held, because the NAS has reused the identifier;
   * otherwise the oldest entry of the bucket.
   */
  #claimEntry(source: number, port: number, datagram: Uint8Array, start: number, nowMs: number): number {
    const name = (port << 8) | datagram[start + 1]!
    const first = (keyHash(source, name) & this.#bucketMask) * ways
    const words = this.#entries
    let chosen = first
    let oldest = -1
    for (let entry = first; entry < first + ways; entry++) {
      const base = entry * entryWords
      if (words[base] === name && words[base + 1] === source) {
        chosen = entry
        break
      }
      const age = words[base + 1] === 0 ? 0x7fffffff : (nowMs - words[base + 6]!) | 0
      if (age <= oldest) continue
      oldest = age
      chosen = entry
    }
    const base = chosen * entryWords
    words[base] = name
    words[base + 1] = source
    for (let part = 0; part < 4; part++) words[base + 2 + part] = word(datagram, start + 4 + part * 4)
    words[base + 6] = nowMs | 0
    return chosen
  }
}

const keyHash = (source: number, name: number) => mix(Math.imul(source, 0x9e3779b1) ^ name)

const word = (bytes: Uint8Array, at: number) =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
