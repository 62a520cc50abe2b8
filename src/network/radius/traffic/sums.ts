import { NumberReader, NumberWriter } from './numbers.ts'
import { blockLogins } from './spans.ts'

/** What the logins of a block received and sent in an hour or a day: `input` of each place, then `output` of each. */
type Place = Float64Array

/** Octets by hour or day (`slot`, a number that grows with time) and place. A row has those of one block and day. */
export class BlockSums {
  readonly #slots = new Map<number, Place>()
  /** Sums that more would make inexact. Their slot is written a second time, and readers add the rows up. */
  readonly #beyond: { slot: number; sums: Place }[] = []

  add(slot: number, place: number, input: number, output: number): void {
    let sums = this.#slots.get(slot)
    if (!sums || sums[place]! + input > most || sums[blockLogins + place]! + output > most) {
      if (sums) this.#beyond.push({ slot, sums })
      sums = new Float64Array(2 * blockLogins)
      this.#slots.set(slot, sums)
    }
    sums[place]! += input
    sums[blockLogins + place]! += output
  }

  take(): Buffer {
    const all = [...this.#beyond, ...[...this.#slots].map(([slot, sums]) => ({ slot, sums }))]
    all.sort((a, b) => a.slot - b.slot)
    let before = 0
    for (const { slot, sums } of all) {
      const places = [...Array(blockLogins).keys()].filter((at) => sums[at]! > 0 || sums[blockLogins + at]! > 0)
      shared.put(slot - before)
      shared.put(places.length)
      for (const place of places) {
        shared.put(place)
        shared.put(sums[place]!)
        shared.put(sums[blockLogins + place]!)
      }
      before = slot
    }
    return shared.take()
  }
}

const most = Number.MAX_SAFE_INTEGER
const shared = new NumberWriter()

type Sum = { readonly slot: number; readonly place: number; readonly input: number; readonly output: number }

export function* readSums(octets: Uint8Array): Generator<Sum> {
  const reader = new NumberReader(octets)
  for (let slot = 0; !reader.isAtEnd; ) {
    slot += reader.get()
    for (let left = reader.get(); left > 0; left--)
      yield { slot, place: reader.get(), input: reader.get(), output: reader.get() }
  }
}
