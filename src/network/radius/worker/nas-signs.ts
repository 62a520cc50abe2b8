import { addressWords, datagramWord, datagramWords } from '../udp/udp-port.ts'
import { mix } from '../../access/station.ts'
import { formatAddress } from '../wire/address.ts'
import { codes, headerBytes } from '../wire/packet.ts'
import { nasSlotsMax } from './counters.ts'

/** For each NAS: when its last packet came, and how many PAP passwords were no text. */
const heardAt = 0
const garbledAt = nasSlotsMax
/** For each place of an unknown address: when its last packet came, packets, and how hard it is to displace. */
const strangersAt = nasSlotsMax * 2
const strangersMax = 256
const strangerCells = 3
const weightMax = 1000
const cells = strangersAt + strangersMax * strangerCells
/** The addresses themselves stand after the cells. */
const addressesAt = cells * 8

export const signsBytes = addressesAt + strangersMax * addressWords * 4

/** What one receiver sees of a NAS beside what it counts. Its thread alone writes, the main thread reads. */
export class NasSigns {
  readonly #cells: Float64Array
  readonly #addresses: Int32Array

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory, 0, cells)
    this.#addresses = new Int32Array(memory, addressesAt)
  }

  /** Notes that a packet of the NAS came, also one that is dropped. `atMs` counts from 1970. */
  heard(nasSlot: number, atMs: number): void {
    this.#cells[heardAt + nasSlot] = atMs
  }

  /** Notes a wrong PAP password with control characters, as another secret makes them. */
  garbled(nasSlot: number): void {
    this.#cells[garbledAt + nasSlot]!++
  }

  /**
   * A packet of the unknown address that is described from words[at] on. Addresses that share a place compete: one that
   * goes on sending stays, so that a flood of forged addresses neither takes memory nor hides a NAS without a record.
   */
  stranger(words: Int32Array, at: number, atMs: number): void {
    const from = at + datagramWord.address
    const hash = mix(words[from]! ^ mix(words[from + 1]! ^ mix(words[from + 2]! ^ mix(words[from + 3]!))))
    const place = (hash >>> 0) % strangersMax
    const cell = strangersAt + place * strangerCells
    const address = place * addressWords
    const here = this.#addresses
    let isSame = true
    for (let part = 0; part < addressWords; part++) isSame &&= here[address + part] === words[from + part]
    if (!isSame) {
      const weight = this.#cells[cell + 2]!
      this.#cells[cell + 2] = Math.max(0, weight - 1)
      if (weight > 0) return
      for (let part = 0; part < addressWords; part++) here[address + part] = words[from + part]!
      this.#cells[cell + 1] = 0
    }
    this.#cells[cell] = atMs
    this.#cells[cell + 1]!++
    this.#cells[cell + 2] = Math.min(weightMax, this.#cells[cell + 2]! + 1)
  }
}

/** Times are milliseconds since 1970. */
export type NasSign = { readonly heardAtMs: number; readonly garbled: number }
export type Stranger = { readonly address: string; readonly packets: number; readonly lastAtMs: number }

/** The signs of one NAS over all receivers; `heardAtMs` is 0 where nothing has come since the start. */
export function readSign(memories: readonly SharedArrayBuffer[], nasSlot: number): NasSign {
  let heardAtMs = 0
  let garbled = 0
  for (const memory of memories) {
    const values = new Float64Array(memory, 0, cells)
    heardAtMs = Math.max(heardAtMs, values[heardAt + nasSlot]!)
    garbled += values[garbledAt + nasSlot]!
  }
  return { heardAtMs, garbled }
}

/** The unknown addresses that the receivers remember. */
export function readStrangers(memories: readonly SharedArrayBuffer[]): Stranger[] {
  const found = new Map<string, Stranger>()
  for (const memory of memories) {
    const values = new Float64Array(memory, 0, cells)
    for (let place = 0; place < strangersMax; place++) {
      const lastAtMs = values[strangersAt + place * strangerCells]!
      if (lastAtMs === 0) continue
      const words = new Uint8Array(memory, addressesAt + place * addressWords * 4, addressWords * 4)
      const address = formatAddress(Uint8Array.from(words))
      const known = found.get(address)
      found.set(address, {
        address,
        packets: values[strangersAt + place * strangerCells + 1]! + (known?.packets ?? 0),
        lastAtMs: Math.max(lastAtMs, known?.lastAtMs ?? 0),
      })
    }
  }
  return [...found.values()]
}

/** Whether a datagram from an unknown address looks like a request; the internet sends other things too. */
export function looksLikeRadius(bytes: Uint8Array, words: Int32Array, index: number, code: number): boolean {
  const at = index * datagramWords
  const begin = words[at + datagramWord.offset]!
  return (
    words[at + datagramWord.length]! >= headerBytes && (bytes[begin] === code || bytes[begin] === codes.statusServer)
  )
}
