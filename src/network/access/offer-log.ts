import { fstatSync, ftruncate, openSync, readdirSync, readFileSync, write } from 'node:fs'
import { join } from 'node:path'
import { mix } from './station.ts'

/** A pool address that an Access-Accept named; `station` as in Lease, `offeredAt` in epoch seconds. */
export type Offer = { address: number; loginId: number; station: number; offeredAt: number }

/** An address offered in an Access-Accept is freed when no Accounting-Start has followed within this time. */
export const offerGraceSeconds = 600

/** A record is six 32-bit words: address, station, second, check, and the login id as a float64. */
const recordWords = 6
const recordBytes = recordWords * 4
const recordsMax = 8192

class Records {
  readonly bytes = new Uint8Array(recordsMax * recordBytes)
  readonly words = new Int32Array(this.bytes.buffer)
  readonly floats = new Float64Array(this.bytes.buffer)
  count = 0
}

/**
 * Keeps the offers of one worker in files, so that after a kill the next program knows which addresses were offered
 * whose sessions accounting has not reported yet. An offer is on its way to its file before its answer is sent, and no
 * answer waits for it. There are two files: when the offers of one have lapsed, it is emptied and takes the next ones.
 */
export class OfferLog {
  readonly #files: readonly [number, number]
  readonly #failed: (error: Error | null) => void
  #current: 0 | 1
  #beganAt: number
  /** When the last offer was made. */
  #now: number
  #filling = new Records()
  #writing = new Records()
  #isBusy = false

  /** `failed` gets the error of each attempt to write that failed, and null for one that worked. */
  constructor(folder: string, worker: number, now: number, failed: (error: Error | null) => void) {
    const fileOf = (name: string) => openSync(join(folder, `${worker}.${name}`), 'a', 0o600)
    this.#files = [fileOf('a'), fileOf('b')]
    const [a, b] = this.#files.map((file) => fstatSync(file).mtimeMs) as [number, number]
    // What an earlier program wrote last goes on; by the time of the change the offers of the other file have lapsed.
    this.#current = a >= b ? 0 : 1
    this.#beganAt = now
    this.#now = now
    this.#failed = failed
  }

  /** Writes an offer down. Offers that a slow disk has no time for are left out. */
  add(address: number, loginId: number, station: number, offeredAt: number): void {
    const { words, floats, count } = this.#filling
    this.#now = offeredAt
    if (count === recordsMax) return
    const at = count * recordWords
    words[at] = address
    words[at + 1] = station
    words[at + 2] = offeredAt
    floats[(at + 4) >> 1] = loginId
    words[at + 3] = checkOf(words, at)
    this.#filling.count++
    if (!this.#isBusy) this.#write()
  }

  #write(): void {
    this.#isBusy = true
    if (this.#now - this.#beganAt < offerGraceSeconds) {
      this.#append()
      return
    }
    this.#beganAt = this.#now
    this.#current = this.#current === 0 ? 1 : 0
    ftruncate(this.#files[this.#current], 0, () => this.#append())
  }

  #append(): void {
    const full = this.#filling
    this.#filling = this.#writing
    this.#filling.count = 0
    this.#writing = full
    const length = full.count * recordBytes
    write(this.#files[this.#current], full.bytes, 0, length, null, (error, written) => {
      this.#failed(error)
      // Behind half a record, as on a full disk, no other one could be read.
      if (written !== length) this.#beganAt = 0
      this.#isBusy = false
      if (this.#filling.count > 0) this.#write()
    })
  }
}

/**
 * What all workers have offered after `since` (epoch seconds) by the files of the folder: the last offer of each
 * address. What is no whole record is left out.
 */
export function readOffers(folder: string, since: number): Offer[] {
  const offers = new Map<number, Offer>()
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name))
    const whole = Uint8Array.from(content.subarray(0, content.length - (content.length % recordBytes)))
    const words = new Int32Array(whole.buffer)
    const floats = new Float64Array(whole.buffer)
    for (let at = 0; at < words.length; at += recordWords) {
      const [address, offeredAt] = [words[at]! >>> 0, words[at + 2]! >>> 0]
      if (words[at + 3] !== checkOf(words, at) || offeredAt <= since) continue
      const known = offers.get(address)
      if (known && known.offeredAt > offeredAt) continue
      offers.set(address, { address, loginId: floats[(at + 4) >> 1]!, station: words[at + 1]!, offeredAt })
    }
  }
  return [...offers.values()]
}

/** The check of a record. It is not zero for a record of zeros, which a file may have after a power cut. */
const checkOf = (words: Int32Array, at: number): number =>
  mix(
    words[at]! ^
      mix(words[at + 1]! + 1) ^
      Math.imul(words[at + 2]!, 0x9e3779b1) ^
      mix(words[at + 4]! ^ Math.imul(words[at + 5]!, 0x85ebca6b)),
  )
