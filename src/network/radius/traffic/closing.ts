import { setTimeout as pause } from 'node:timers/promises'
import type { LocalDays } from './local-days.ts'
import { divide, readSpans, type Span } from './spans.ts'
import { BlockSums } from './sums.ts'
import { firstKept, forgotten, type Kind, tableOf } from './tables.ts'
import type { TrafficCounter } from './traffic-counter.ts'
import type { SeriesRow, TrafficStore } from './traffic-store.ts'

type ClosingParts = {
  readonly store: TrafficStore
  readonly counter: Pick<TrafficCounter, 'exclusively' | 'openFrom'>
  readonly days: () => LocalDays
}

/** The pause after some blocks, so that other work has its turn: a day of a million logins takes half a minute. */
const restMs = 5

/**
 * Job: makes hours and days of what sessions reported on days that are over for two days, and empties tables of what
 * nobody keeps any longer. A run that was cut off goes on where it was: each step is a commit that says how far it is.
 */
export async function closeDays({ store, counter, days }: ClosingParts, now: Date, stopping: AbortSignal) {
  const calendar = days()
  const today = calendar.dayAt(now.getTime() / 1000)
  let closed = 0
  for (;;) {
    stopping.throwIfAborted()
    const { openDay, closingBlock } = await store.readState()
    if (openDay === null || openDay >= firstKept.steps(today)) break
    await counter.exclusively(async () => counter.openFrom(openDay + 1))
    await store.writeFrom(openDay + 1)
    await closeBlocks(store, openDay, closingBlock, calendar, firstKept.hours(today), stopping)
    await store.openDay(openDay + 1)
    // Nothing is written meanwhile, so nothing can come to the day after the look whether there is something.
    await counter.exclusively(() => store.forget(tableOf('steps', openDay), openDay + 1))
    closed++
  }
  for (const kind of ['hours', 'days'] as const) await store.forget(forgotten(kind, today), firstKept[kind](today))
  return { closed }
}

async function closeBlocks(
  store: TrafficStore,
  day: number,
  firstBlock: number,
  calendar: LocalDays,
  firstHours: number,
  stopping: AbortSignal,
): Promise<void> {
  for (let from = firstBlock; ; ) {
    stopping.throwIfAborted()
    const rows = await store.spansFrom(day, from)
    if (!rows) return
    const series: SeriesRow[] = []
    const blocks = Map.groupBy(rows, ({ block }) => block)
    for (const [block, parts] of blocks) {
      const sums = new SumsByDay(calendar, firstHours)
      for (const { octets } of parts) for (const span of readSpans(octets)) sums.add(span)
      series.push(...sums.rows(block, day))
    }
    from = Math.max(...blocks.keys()) + 1
    await store.writeClosed(series, from)
    await pause(restMs)
  }
}

/** Most spans are of the day that is closed; those that were told of late, or are long, go back further. */
class SumsByDay {
  readonly #calendar: LocalDays
  readonly #firstHours: number
  readonly #hours = new Map<number, BlockSums>()
  readonly #days = new Map<number, BlockSums>()

  constructor(calendar: LocalDays, firstHours: number) {
    this.#calendar = calendar
    this.#firstHours = firstHours
  }

  add(span: Span): void {
    divide(span, this.#hourCuts(span), (part) => {
      const day = this.#calendar.dayAt(part.from)
      sumsOf(this.#days, day).add(day, part.place, part.input, part.output)
      if (day >= this.#firstHours)
        sumsOf(this.#hours, day).add(this.#calendar.hourAt(part.from), part.place, part.input, part.output)
    })
  }

  rows(block: number, closedDay: number): SeriesRow[] {
    const rowsOf = (kind: Kind, byDay: ReadonlyMap<number, BlockSums>): SeriesRow[] =>
      [...byDay].map(([day, sums]) => ({ kind, block, day, part: closedDay, octets: sums.take() }))
    return [...rowsOf('hours', this.#hours), ...rowsOf('days', this.#days)]
  }

  #hourCuts({ from, to }: Span): number[] {
    const cuts: number[] = []
    for (let at = this.#calendar.hourAt(from) + hour; at < to; at = this.#calendar.hourAt(at) + hour) cuts.push(at)
    return cuts
  }
}

const hour = 3_600

function sumsOf(byDay: Map<number, BlockSums>, day: number): BlockSums {
  let sums = byDay.get(day)
  if (!sums) {
    sums = new BlockSums()
    byDay.set(day, sums)
  }
  return sums
}
