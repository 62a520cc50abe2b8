import { randomBytes } from 'node:crypto'
import { type RefusalReason, refusalReasons } from '../../../domain/access.ts'
import { mix } from '../../access/station.ts'
import type { AccessRecord } from '../../access/record.ts'
import { attributes } from '../wire/attribute-types.ts'
import type { PacketView } from '../wire/packet.ts'

/** What an answer to an Access-Request was: accepted, accepted into the walled garden, or why it was rejected. */
export type AuthVerdict = 'accept' | 'garden' | RefusalReason
const verdicts: readonly AuthVerdict[] = ['accept', 'garden', ...refusalReasons]
const numberOf = Object.fromEntries(verdicts.map((verdict, number) => [verdict, number])) as Record<AuthVerdict, number>

/** Answers that had all of this in common, since the last flush of one worker. */
export type AuthEntry = {
  readonly verdict: AuthVerdict
  readonly nasId: number
  readonly count: number
  /** Milliseconds since 1970. */
  readonly firstMs: number
  readonly lastMs: number
  /** Null: they had different logins, of which there were too many to tell them apart. */
  readonly who: {
    readonly login: string
    readonly station: string | null
    readonly port: string | null
    readonly subscriberId: number | null
    readonly organizationId: number | null
  } | null
  /** The same for entries with the same verdict, NAS, login and station, and for no others. */
  readonly key: string
}

/**
 * How an entry lies in memory, from a multiple of eight bytes on. What tells entries apart stands together, so that it
 * is compared as bytes: from `verdict` to the end of the station. The texts follow each other: login, station, port.
 */
const word = { bytes: 0, count: 1, portBytes: 2, first64: 4, last64: 6, subscriber64: 8, organization64: 10 } as const
const keyWord = { verdict: 12, textBytes: 13, nas64: 14 } as const
const headWords = 16
const headBytes = headWords * 4
const keyAt = keyWord.verdict * 4
const noId = -1
/** Marks an entry of many logins, in the high half of the word of the verdict. */
const manyLogins = 1 << 16

const bufferBytes = 128 * 1024
/** The room that is kept free for entries of many logins, each of which has a head only. */
const reservedBytes = 32 * 1024
/** Behind them there is room for one more entry as long as can be, which is only looked at. */
const candidateBytes = 1024
const slotCount = 4096
/** Somebody who guesses how logins are spread over the slots must not make a search longer than this. */
const probesMax = 16

/**
 * Notes answers to Access-Requests in memory of a fixed size without making objects or texts: equal ones are counted,
 * and when there is no more room for further logins, they are counted by NAS and verdict. `take` empties it.
 */
export class AuthEntries {
  readonly #bytes = new Uint8Array(bufferBytes + candidateBytes)
  readonly #words = new Int32Array(this.#bytes.buffer)
  readonly #floats = new Float64Array(this.#bytes.buffer)
  /** Where an entry begins, in words, and one more; 0 for a free slot. */
  readonly #slots = new Int32Array(slotCount)
  readonly #seed = randomBytes(4).readInt32LE()
  #end = 0
  #left = 0

  /** `record` is the login's, where it is known. */
  add(verdict: AuthVerdict, packet: PacketView, nasId: number, record: AccessRecord | null, atMs: number): void {
    const { bytes } = packet
    const loginAt = packet.offsetOf(attributes.userName)
    const stationAt = packet.offsetOf(attributes.callingStationId)
    const loginBytes = loginAt === -1 ? 0 : bytes[loginAt + 1]! - 2
    const stationBytes = stationAt === -1 ? 0 : bytes[stationAt + 1]! - 2
    // The candidate is written behind the last entry, compared there, and kept when it is new.
    const first = this.#end >> 2
    const textAt = this.#end + headBytes
    const words = this.#words
    words[first + keyWord.verdict] = numberOf[verdict]
    words[first + keyWord.textBytes] = loginBytes | (stationBytes << 8)
    this.#floats[(first + keyWord.nas64) >> 1] = nasId
    let hash = this.#seed ^ Math.imul(nasId, 0x9e3779b1) ^ numberOf[verdict]
    hash = copyHashed(bytes, loginAt + 2, this.#bytes, textAt, loginBytes, hash)
    hash = copyHashed(bytes, stationAt + 2, this.#bytes, textAt + loginBytes, stationBytes, hash)
    const slot = this.#slotOf(mix(hash), first, keyBytesOf(loginBytes + stationBytes))
    const textEnd = textAt + loginBytes + stationBytes
    if (slot !== none && this.#slots[slot] !== 0) this.#repeat(this.#slots[slot]! - 1, atMs)
    else if (slot === none || textEnd + portBytesMax > bufferBytes - reservedBytes)
      this.#addToMany(numberOf[verdict], nasId, atMs)
    else {
      const portBytes = copyPort(packet, this.#bytes, textEnd)
      words[first + word.portBytes] = portBytes
      this.#keep(slot, first, textEnd + portBytes, atMs)
      this.#floats[(first + word.subscriber64) >> 1] = record?.subscriberId ?? noId
      this.#floats[(first + word.organization64) >> 1] = record?.organizationId ?? noId
    }
  }

  /** What was noted since the last call, as `readAuthEntries` reads it; null when there is nothing. */
  take(): { readonly entries: Uint8Array<ArrayBuffer>; readonly left: number } | null {
    if (this.#end === 0 && this.#left === 0) return null
    const taken = { entries: this.#bytes.slice(0, this.#end), left: this.#left }
    this.#slots.fill(0)
    this.#end = 0
    this.#left = 0
    return taken
  }

  #addToMany(verdict: number, nasId: number, atMs: number): void {
    const first = this.#end >> 2
    if (this.#end + headBytes > bufferBytes) {
      this.#left++
      return
    }
    this.#words[first + keyWord.verdict] = verdict | manyLogins
    this.#words[first + keyWord.textBytes] = 0
    this.#floats[(first + keyWord.nas64) >> 1] = nasId
    const hash = mix(this.#seed ^ Math.imul(nasId, 0x9e3779b1) ^ verdict ^ manyLogins)
    const slot = this.#slotOf(hash, first, keyBytesOf(0))
    if (slot === none) this.#left++
    else if (this.#slots[slot] !== 0) this.#repeat(this.#slots[slot]! - 1, atMs)
    else {
      this.#words[first + word.portBytes] = 0
      this.#keep(slot, first, this.#end + headBytes, atMs)
      this.#floats[(first + word.subscriber64) >> 1] = noId
      this.#floats[(first + word.organization64) >> 1] = noId
    }
  }

  #keep(slot: number, first: number, end: number, atMs: number): void {
    this.#slots[slot] = first + 1
    this.#words[first + word.bytes] = end - first * 4
    this.#words[first + word.count] = 1
    this.#floats[(first + word.first64) >> 1] = atMs
    this.#floats[(first + word.last64) >> 1] = atMs
    this.#end = (end + 7) & ~7
  }

  #repeat(first: number, atMs: number): void {
    this.#words[first + word.count]!++
    this.#floats[(first + word.last64) >> 1] = atMs
  }

  /** The slot of the entry that has the key of the candidate, or a free one for it. */
  #slotOf(hash: number, candidate: number, keyBytes: number): number {
    const mask = slotCount - 1
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = (hash + probe) & mask
      const first = this.#slots[slot]! - 1
      if (first < 0 || this.#hasKey(first * 4 + keyAt, candidate * 4 + keyAt, keyBytes)) return slot
    }
    return none
  }

  /** The lengths of the texts are part of the key, so an entry with shorter ones differs before its end. */
  #hasKey(at: number, candidateAt: number, keyBytes: number): boolean {
    const bytes = this.#bytes
    for (let index = 0; index < keyBytes; index++) {
      if (bytes[at + index] !== bytes[candidateAt + index]) return false
    }
    return true
  }
}

const none = -1
const keyBytesOf = (textBytes: number): number => headBytes - keyAt + textBytes
/** NAS-Port-Id as sent, at most so much of it, or NAS-Port in digits. */
const portBytesMax = 64

function copyHashed(from: Uint8Array, at: number, to: Uint8Array, toAt: number, length: number, seed: number): number {
  let hash = seed
  for (let index = 0; index < length; index++) {
    const byte = from[at + index]!
    to[toAt + index] = byte
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return Math.imul(hash ^ length, 0x01000193)
}

function copyPort(packet: PacketView, to: Uint8Array, toAt: number): number {
  const { bytes } = packet
  const at = packet.offsetOf(attributes.nasPortId)
  if (at !== -1) {
    const length = Math.min(bytes[at + 1]! - 2, portBytesMax)
    for (let index = 0; index < length; index++) to[toAt + index] = bytes[at + 2 + index]!
    return length
  }
  const port = packet.integer(attributes.nasPort)
  if (port === null) return 0
  const digits = String(port)
  for (let index = 0; index < digits.length; index++) to[toAt + index] = digits.charCodeAt(index)
  return digits.length
}

/** The entries that `AuthEntries` has noted. */
export function* readAuthEntries(noted: Uint8Array<ArrayBuffer>): Generator<AuthEntry> {
  const bytes = Buffer.from(noted.buffer, noted.byteOffset, noted.byteLength)
  const words = new Int32Array(noted.buffer, noted.byteOffset, noted.byteLength >> 2)
  const floats = new Float64Array(noted.buffer, noted.byteOffset, noted.byteLength >> 3)
  for (let at = 0; at < bytes.length; ) {
    yield readEntry(bytes, words, floats, at)
    at += (words[(at >> 2) + word.bytes]! + 7) & ~7
  }
}

function readEntry(bytes: Buffer, words: Int32Array, floats: Float64Array, at: number): AuthEntry {
  const first = at >> 2
  const float = (index: number): number => floats[(first + index) >> 1]!
  const idOf = (index: number): number | null => (float(index) === noId ? null : float(index))
  const verdict = words[first + keyWord.verdict]!
  const textBytes = words[first + keyWord.textBytes]!
  const loginEnd = at + headBytes + (textBytes & 0xff)
  const stationEnd = loginEnd + (textBytes >>> 8)
  const portEnd = stationEnd + words[first + word.portBytes]!
  return {
    verdict: verdicts[verdict & ~manyLogins]!,
    nasId: float(keyWord.nas64),
    count: words[first + word.count]!,
    firstMs: float(word.first64),
    lastMs: float(word.last64),
    who:
      verdict & manyLogins
        ? null
        : {
            login: bytes.toString('utf8', at + headBytes, loginEnd),
            station: loginEnd === stationEnd ? null : bytes.toString('utf8', loginEnd, stationEnd),
            port: stationEnd === portEnd ? null : bytes.toString('utf8', stationEnd, portEnd),
            subscriberId: idOf(word.subscriber64),
            organizationId: idOf(word.organization64),
          },
    key: bytes.toString('latin1', at + keyAt, stationEnd),
  }
}
