import type { NasId } from '../domain/ids.ts'
import type { FrameFields } from './frames.ts'

/** Requests of one NAS since the start of the program. */
export type NasTotals = {
  /** Null: requests from addresses that are no NAS of ours. */
  nasId: NasId | null
  name: string
  accept: number
  reject: number
  accounting: number
  dropped: number
}

const counted = ['accept', 'reject', 'accounting', 'dropped'] as const
type Counted = Record<(typeof counted)[number], number>

/** The busiest ones; a list of hundreds every second would only be noise. */
const nasShownMax = 50

/** Turns totals into requests per second by remembering the totals of the last look. */
export class Rates {
  #last = new Map<NasId | null, Counted>()
  #atMs: number | null = null

  take(totals: readonly NasTotals[], now: Date): FrameFields {
    const seconds = this.#atMs === null ? 0 : (now.getTime() - this.#atMs) / 1000
    const nas = totals.map((is) => ({
      nas_id: is.nasId,
      name: is.name,
      ...perSecond(is, this.#last.get(is.nasId), seconds),
    }))
    this.#last = new Map(totals.map((is) => [is.nasId, is]))
    this.#atMs = now.getTime()
    const busy = nas.filter((one) => load(one) > 0).sort((a, b) => load(b) - load(a))
    return { ...sumOf(nas), nas: busy.slice(0, nasShownMax) }
  }
}

function perSecond(is: Counted, was: Counted | undefined, seconds: number): Counted {
  const rate = (name: keyof Counted) =>
    // A NAS that is new since the last look starts from nothing; counters that went back were reset.
    seconds > 0 ? round(Math.max(0, is[name] - (was?.[name] ?? 0)) / seconds) : 0
  return { accept: rate('accept'), reject: rate('reject'), accounting: rate('accounting'), dropped: rate('dropped') }
}

function sumOf(all: readonly Counted[]): Counted {
  const sum: Counted = { accept: 0, reject: 0, accounting: 0, dropped: 0 }
  for (const one of all) for (const name of counted) sum[name] = round(sum[name] + one[name])
  return sum
}

const load = (one: Counted) => one.accept + one.reject + one.accounting + one.dropped
const round = (value: number) => Math.round(value * 10) / 10
