import type { FrameFields } from './frames.ts'

/**
 * Requests since the start of the program, as the RADIUS workers count them. Results that are not named here are
 * ignored.
 */
export type RequestCount = {
  /** Null for requests from addresses of no known NAS. */
  nas: string | null
  result: string
  count: number
}

const counted = ['accept', 'reject', 'accounting', 'dropped'] as const
type Counted = Record<(typeof counted)[number], number>

/** Only the busiest NAS are sent, because a list of hundreds every second would be noise. */
const nasShownMax = 50

/** Turns totals into requests per second by remembering the previous totals. */
export class Rates {
  #last: ReadonlyMap<string | null, Counted> = new Map()
  #atMs: number | null = null

  take(counts: readonly RequestCount[], now: Date): FrameFields {
    const seconds = this.#atMs === null ? 0 : (now.getTime() - this.#atMs) / 1000
    const totals = totalsOf(counts)
    const nas = [...totals].map(([name, is]) => ({ name, ...perSecond(is, this.#last.get(name), seconds) }))
    this.#last = totals
    this.#atMs = now.getTime()
    const busy = nas.filter((one) => load(one) > 0).sort((a, b) => load(b) - load(a))
    return { ...sumOf(nas), nas: busy.slice(0, nasShownMax) }
  }
}

function totalsOf(counts: readonly RequestCount[]): ReadonlyMap<string | null, Counted> {
  const totals = new Map<string | null, Counted>()
  for (const { nas, result, count } of counts) {
    const name = counted.find((one) => one === result)
    if (!name) continue
    const total = totals.get(nas) ?? each(() => 0)
    total[name] += count
    totals.set(nas, total)
  }
  return totals
}

/** A new NAS starts from zero; counters that decreased were reset. */
const perSecond = (is: Counted, was: Counted | undefined, seconds: number): Counted =>
  each((name) => (seconds > 0 ? round(Math.max(0, is[name] - (was?.[name] ?? 0)) / seconds) : 0))

const sumOf = (all: readonly Counted[]): Counted => each((name) => round(all.reduce((sum, one) => sum + one[name], 0)))

const each = (value: (name: keyof Counted) => number): Counted => ({
  accept: value('accept'),
  reject: value('reject'),
  accounting: value('accounting'),
  dropped: value('dropped'),
})

const load = (one: Counted) => one.accept + one.reject + one.accounting + one.dropped
const round = (value: number) => Math.round(value * 10) / 10
