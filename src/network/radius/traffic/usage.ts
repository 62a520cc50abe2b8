import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LocalDays } from './local-days.ts'
import { blockOf, countedUntil, loginAt, readSpans, type Span } from './spans.ts'
import { readSums } from './sums.ts'
import { firstKept, type Kind, tablesOf } from './tables.ts'

export const usageSteps = ['5m', 'hour', 'day'] as const
export type UsageStep = (typeof usageSteps)[number]

/** Octets of one step, which begins `at` (seconds since 1970): what the client sent (`input`) and received. */
export type UsagePoint = { readonly at: number; input: bigint; output: bigint }

type UsageQuestion = { readonly loginIds: readonly number[]; readonly step: UsageStep }

export const pointsMax = 2_500

const stepSeconds = 300
const hourSeconds = 3_600
/** This many blocks take some milliseconds of the main thread. The logins of a company may lie in many blocks. */
const octetsAtOnce = 64 * 1024

const kindOf = { '5m': 'steps', hour: 'hours', day: 'days' } as const satisfies Record<UsageStep, Kind>

/** When the oldest of the kept steps begins, in seconds since 1970. */
export const keptSince = (step: UsageStep, days: LocalDays, now: Date): number =>
  days.startOf(firstKept[kindOf[step]](days.dayAt(now.getTime() / 1000)))

/** The begins of the steps of a time, and the end of the last one; null when there are too many. */
export function beginsOf(step: UsageStep, from: number, to: number, days: LocalDays): number[] | null {
  const begins: number[] = []
  for (let at = beginOf(step, from, days); ; at = nextOf(step, at, days)) {
    begins.push(at)
    if (at >= to && begins.length > 1) return begins
    if (begins.length > pointsMax) return null
  }
}

function beginOf(step: UsageStep, at: number, days: LocalDays): number {
  if (step === '5m') return at - (at % stepSeconds)
  return step === 'hour' ? days.hourAt(at) : days.startOf(days.dayAt(at))
}

function nextOf(step: UsageStep, at: number, days: LocalDays): number {
  if (step === '5m') return at + stepSeconds
  // Where clocks change an hour may be shorter or longer.
  return step === 'hour' ? Math.max(days.hourAt(at + hourSeconds), at + 900) : days.startOf(days.dayAt(at) + 1)
}

/**
 * One point for each step; `begins` as of `beginsOf`. What has not been written yet, of the last minutes, is not among
 * them.
 */
export async function readUsage(
  pool: Pick<Pool, 'query'>,
  { loginIds, step }: UsageQuestion,
  begins: readonly number[],
  days: LocalDays,
): Promise<UsagePoint[]> {
  const kind = kindOf[step]
  const logins = new Set(loginIds)
  const series = new Series(begins)
  // The setting may have been another time zone, whose days began earlier or later.
  const [firstDay, lastDay] = [days.dayAt(begins[0]!) - 1, days.dayAt(begins.at(-1)! - 1) + 1]
  const values: unknown[] = [[...new Set(loginIds.map(blockOf))], firstDay]
  if (kind !== 'steps') values.push(lastDay)
  const { rows } = await pool.query<{ kind: Kind; block: number; octets: Buffer }>({ text: statements[kind], values })
  let octetsInTurn = 0
  for (const { kind: of, block, octets } of rows) {
    octetsInTurn += octets.length
    if (octetsInTurn > octetsAtOnce) {
      octetsInTurn = octets.length
      await nextTurn()
    }
    const isAsked = ({ place }: { readonly place: number }) => logins.has(loginAt(block, place))
    if (of === 'steps') {
      for (const span of readSpans(octets)) if (isAsked(span)) series.add(span)
    } else
      for (const sum of readSums(octets)) {
        if (!isAsked(sum)) continue
        const from = of === 'days' ? days.startOf(sum.slot) : sum.slot
        series.add({ ...sum, from, to: from })
      }
  }
  return series.points
}

class Series {
  readonly #begins: readonly number[]
  readonly points: UsagePoint[]

  constructor(begins: readonly number[]) {
    this.#begins = begins
    this.points = begins.slice(0, -1).map((at) => ({ at, input: 0n, output: 0n }))
  }

  /** What of a span falls into the steps; one moment belongs to the step that it is in. */
  add({ from, to, input, output }: Omit<Span, 'place'>): void {
    const begins = this.#begins
    const end = Math.max(to, from + 1)
    for (let at = this.#stepAt(from); at < this.points.length && begins[at]! < end; at++) {
      const [begin, until] = [begins[at]!, begins[at + 1]!]
      const point = this.points[at]!
      point.input += BigInt(countedUntil(input, from, end, until) - countedUntil(input, from, end, begin))
      point.output += BigInt(countedUntil(output, from, end, until) - countedUntil(output, from, end, begin))
    }
  }

  /** The step of a moment, or the first one when it is earlier. */
  #stepAt(moment: number): number {
    let [low, high] = [0, this.points.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#begins[middle]! <= moment) low = middle
      else high = middle
    }
    return moment >= this.#begins[low + 1]! ? low + 1 : low
  }
}

/** Days that are open are in steps, also of hours and days; blocks of the one that is being closed change over. */
const open = tablesOf('steps').map(
  (table) => `SELECT 'steps' AS kind, s.block, s.octets FROM ${table} s, traffic_state t
    WHERE s.block = ANY ($1::int4[]) AND s.day >= $2::int4
      AND (s.day > t.open_day OR s.day = t.open_day AND s.block >= t.closing_block)`,
)
const closed = (kind: 'hours' | 'days') =>
  tablesOf(kind).map(
    (table) => `SELECT '${kind}' AS kind, block, octets FROM ${table}
      WHERE block = ANY ($1::int4[]) AND day BETWEEN $2::int4 AND $3::int4`,
  )

/** Each is one statement, which sees the tables as they are at one moment. */
const statements = {
  steps: open.join('\nUNION ALL\n'),
  hours: [...open, ...closed('hours')].join('\nUNION ALL\n'),
  days: [...open, ...closed('days')].join('\nUNION ALL\n'),
} as const satisfies Record<Kind, string>
