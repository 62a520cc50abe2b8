import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { OctetCounter } from '../accounting/octet-counter.ts'
import type { SessionTable } from '../accounting/session-table.ts'
import { SlotIndex } from '../accounting/slot-index.ts'
import type { Late } from '../accounting/stored-change.ts'
import type { LocalDays } from './local-days.ts'
import { gatherNodes } from './gathered-nodes.ts'
import { findMissed } from './missed.ts'
import { blockOf, divide, type Mark, placeOf, pushSpan, spanNumbers, writeMarks, writeSpans } from './spans.ts'
import type { MarkRow, SeriesRow, TrafficStore } from './traffic-store.ts'

export type TrafficParts = {
  store: TrafficStore
  /** The number of this node; null: there is only one program. */
  node?: number | null
  sessions: SessionTable
  days: () => LocalDays
  isUp: () => boolean
  /** No session that is not in memory by now gets an earlier id. */
  nextSessionId: () => number
  /** Asks for a call of `settle` at a moment when nothing is being stored. */
  askToSettle: () => void
  clock: Clock
  log: Log
}

/** What is to be written of a block. */
type Pending = {
  /** By the monotonic clock. */
  readonly sinceMs: number
  /** Spans, see `spanNumbers`. */
  readonly numbers: number[]
  /** Rows of traffic_late whose growth is among them. */
  readonly late: number[]
}

const tickMs = 1_000
/** A block is written when it has waited for so long, so that a row has many reports. */
const waitMs = 60_000
/** All blocks are written within about four minutes, however many they are. */
const blocksAtOnceMin = 64
const ticksOfRound = 240
/** With many reports in memory blocks are written sooner. */
const spansUsual = 60_000_000
/** More would be 100 MB and more: then they are forgotten and found out again from the tables. */
const spansMax = 2_500_000
/** Days are kept for four years at most. */
const longestSeconds = 3 * 366 * 86_400
const safe = BigInt(Number.MAX_SAFE_INTEGER)
/** Four spans: 36 petabytes. A NAS whose counter has run below zero says a thousand times as much. */
const octetsMax = 4n * safe
/** Of the numbers of nodes so many are told apart; a moment in milliseconds times this is below 2^53 until 2109. */
const nodesMax = 2_048
/** A stop of the program waits no longer; what it does not write is found out at the next start. */
const stopMs = 2_000

/**
 * Gathers in memory how many octets logins receive and send, and writes it in blocks of logins beside the answers to
 * accounting (decision 023).
 *
 *     lost ──settle──► settled ──a writing failed, accounting went to the spool──► lost
 *
 * With the spans of a block its marks are written, in one statement: how far each of its live sessions has been
 * counted. So what was in memory only, and lost, is the difference between rows of sessions and marks. Nothing is ever
 * repaired in another way: when in doubt, memory is forgotten and the difference is counted again.
 */
export class TrafficCounter implements OctetCounter {
  readonly #parts: TrafficParts
  #isSettled = false
  /** In the order in which they began to wait. */
  #pending = new Map<number, Pending>()
  #spans = 0
  /** The slots of live sessions, by block. */
  readonly #slots = new SlotIndex()
  /** All blocks that waited when it began have been written when none is left that waited then. */
  #round = { sinceMs: 0, nextId: 0 }
  /** What is being written, or closed: one thing at a time. */
  #work: Promise<unknown> = Promise.resolve()
  /** The first day that steps are written for. */
  #openDay = 0
  #lastPart = 0
  #cancelTick: () => void = () => {}
  #isStopping = false
  readonly counts = { written: 0, forgotten: 0 }

  constructor(parts: TrafficParts) {
    this.#parts = parts
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Reports in memory that have not been written. */
  get waiting(): number {
    return this.#spans
  }

  start(): void {
    this.#cancelTick = this.#parts.clock.after(tickMs, () => {
      void this.#tick().finally(() => this.#isStopping || this.start())
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelTick()
    const { clock } = this.#parts
    const until = clock.elapsedMs() + stopMs
    while (this.#isSettled && this.#pending.size > 0 && clock.elapsedMs() < until) await this.#write(1_000)
  }

  /** Writes everything that is in memory now. */
  async flush(): Promise<void> {
    await this.#write(Number.MAX_SAFE_INTEGER)
  }

  began(slot: number): void {
    const loginId = this.#parts.sessions.userIdAt(slot)
    if (loginId === null || this.#parts.sessions.nodeAt(slot) !== null) return
    this.#slots.add(slot, blockOf(loginId))
    this.#touch(loginId)
  }

  ended(slot: number): void {
    const loginId = this.#parts.sessions.userIdAt(slot)
    if (loginId === null || this.#parts.sessions.nodeAt(slot) !== null) return
    this.#slots.remove(slot)
    this.#touch(loginId)
  }

  count(loginId: number | null, fromMs: number, toMs: number, input: bigint, output: bigint): void {
    if (!this.#isSettled || loginId === null) return
    this.#gather(loginId, fromMs, toMs, input, output)
    if (this.#spans > spansMax) this.forget()
  }

  countLate(loginId: number, { id, fromMs, input, output }: Late, toMs: number): void {
    if (!this.#isSettled) return
    this.#pendingOf(blockOf(loginId)).late.push(id)
    this.count(loginId, fromMs, toMs, input, output)
  }

  left(loginId: number, lateIds: readonly number[]): void {
    if (this.#isSettled) this.#pendingOf(blockOf(loginId)).late.push(...lateIds)
  }

  forget(): void {
    if (this.#isSettled) this.counts.forgotten++
    this.#isSettled = false
    this.#pending = new Map()
    this.#spans = 0
  }

  async settle(): Promise<void> {
    await this.exclusively(async () => {
      const { store, sessions, days, nextSessionId, clock } = this.#parts
      this.forget()
      if (this.#parts.node == null) await gatherNodes(store)
      const today = days().dayAt(clock.now().getTime() / 1000)
      const { scannedFrom, openDay, closingBlock, writableFrom } = await store.readState()
      // Nothing has been written yet. A day begins earlier here than there.
      if (openDay === null) await store.openDay(today - 1)
      this.#openDay = Math.max(writableFrom, (openDay ?? today - 1) + (closingBlock > 0 ? 1 : 0))
      try {
        await findMissed(store, sessions, (block) => this.#slotsOf(block), scannedFrom, {
          span: (loginId, span) => this.#gather(loginId, span.fromMs, span.toMs, span.input, span.output),
          late: ({ id, loginId }) => this.#pendingOf(blockOf(loginId)).late.push(id),
          changed: (block) => this.#pendingOf(block),
        })
      } catch (error) {
        this.forget()
        throw error
      }
      this.#round = { sinceMs: clock.elapsedMs(), nextId: nextSessionId() }
      this.#isSettled = true
    })
  }

  /** Runs `work` while nothing is being written. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work)
    this.#work = result.catch(() => {})
    return result
  }

  /** Days before are being closed: what is still told of them is filed under this one. */
  openFrom(day: number): void {
    this.#openDay = Math.max(this.#openDay, day)
  }

  #gather(loginId: number, fromMs: number, toMs: number, input: bigint, output: bigint): void {
    if (input === 0n && output === 0n) return
    const to = Math.floor(toMs / 1000)
    const from = Math.max(Math.min(Math.floor(fromMs / 1000), to), to - longestSeconds)
    const { numbers } = this.#pendingOf(blockOf(loginId))
    const place = placeOf(loginId)
    let [restIn, restOut] = [input < octetsMax ? input : octetsMax, output < octetsMax ? output : octetsMax]
    // A number of JavaScript holds 2^53, and nobody sends so much; but a NAS may say so.
    while (restIn > safe || restOut > safe) {
      const [partIn, partOut] = [restIn > safe ? safe : restIn, restOut > safe ? safe : restOut]
      this.#put(numbers, place, from, to, partIn, partOut)
      restIn -= partIn
      restOut -= partOut
    }
    this.#put(numbers, place, from, to, restIn, restOut)
  }

  #put(numbers: number[], place: number, from: number, to: number, input: bigint, output: bigint): void {
    pushSpan(numbers, { place, from, to, input: Number(input), output: Number(output) })
    this.#spans++
  }

  #touch(loginId: number): void {
    if (this.#isSettled) this.#pendingOf(blockOf(loginId))
  }

  #pendingOf(block: number): Pending {
    let pending = this.#pending.get(block)
    if (!pending) {
      pending = { sinceMs: this.#parts.clock.elapsedMs(), numbers: [], late: [] }
      this.#pending.set(block, pending)
    }
    return pending
  }

  async #tick(): Promise<void> {
    const { isUp, askToSettle } = this.#parts
    if (!isUp()) return
    if (!this.#isSettled) askToSettle()
    else await this.#write(this.#blocksAtOnce(), waitMs)
  }

  #blocksAtOnce(): number {
    const { size } = this.#pending
    return Math.ceil(Math.max(blocksAtOnceMin, size / ticksOfRound, (size * this.#spans) / spansUsual))
  }

  /** Writes so many blocks that have waited for so long, the longest first. Never rejects. */
  #write(blocksMax: number, waitedMs = 0): Promise<void> {
    return this.exclusively(async () => {
      const { store, clock, log, nextSessionId } = this.#parts
      if (!this.#isSettled) return
      const nowMs = clock.elapsedMs()
      const taken: [number, Pending][] = []
      for (const one of this.#pending) {
        if (taken.length >= blocksMax || nowMs - one[1].sinceMs < waitedMs) break
        taken.push(one)
      }
      if (taken.length === 0) return
      for (const [block, { numbers }] of taken) {
        this.#pending.delete(block)
        this.#spans -= numbers.length / spanNumbers
      }
      const nextId = nextSessionId()
      const oldest = this.#pending.values().next().value
      const isRoundOver = !oldest || oldest.sinceMs > this.#round.sinceMs
      const scannedFrom = isRoundOver ? this.#round.nextId : null
      try {
        await store.write({
          series: this.#seriesOf(taken),
          marks: taken.map(([block]) => this.#marksOf(block, nextId)),
          late: taken.flatMap(([, { late }]) => late),
          scannedFrom,
        })
        this.counts.written += taken.length
        if (isRoundOver) this.#round = { sinceMs: nowMs, nextId }
      } catch (error) {
        // Whether it was committed is unknown.
        log.warn('Traffic could not be written and is counted again from the sessions.', { error })
        this.forget()
      }
    })
  }

  #seriesOf(taken: readonly [number, Pending][]): SeriesRow[] {
    const days = this.#parts.days()
    this.#lastPart = Math.max(this.#parts.clock.now().getTime(), this.#lastPart + 1)
    const { node = null } = this.#parts
    // Two nodes may write a block at the same moment.
    const part = node === null ? this.#lastPart : this.#lastPart * nodesMax + (node % nodesMax)
    const rows: SeriesRow[] = []
    for (const [block, { numbers }] of taken)
      for (const [day, spans] of this.#byDay(numbers, days))
        rows.push({ kind: 'steps', block, day, part, octets: writeSpans(spans) })
    return rows
  }

  /** Spans are divided where a day begins, except in days that are closed. */
  #byDay(numbers: readonly number[], days: LocalDays): ReadonlyMap<number, readonly number[]> {
    const only = this.#onlyDayOf(numbers, days)
    if (only !== null) return new Map([[only, numbers]])
    const byDay = new Map<number, number[]>()
    for (let at = 0; at < numbers.length; at += spanNumbers) {
      const [place, from, to] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!]
      const [input, output] = [numbers[at + 3]!, numbers[at + 4]!]
      divide({ place, from, to, input, output }, this.#cuts(from, to, days), (part) => {
        const day = Math.max(days.dayAt(part.from), this.#openDay)
        const ofDay = byDay.get(day) ?? []
        pushSpan(ofDay, part)
        byDay.set(day, ofDay)
      })
    }
    return byDay
  }

  /** The day that all spans lie in, as they nearly always do; null: there is none, or they have to be looked at. */
  #onlyDayOf(numbers: readonly number[], days: LocalDays): number | null {
    if (numbers.length === 0) return null
    let [first, last] = [numbers[1]!, numbers[2]!]
    for (let at = spanNumbers; at < numbers.length; at += spanNumbers) {
      first = Math.min(first, numbers[at + 1]!)
      last = Math.max(last, numbers[at + 2]!)
    }
    const day = Math.max(days.dayAt(first), this.#openDay)
    return last < days.startOf(day + 1) ? day : null
  }

  /** Where days begin between two moments, but for those that are closed. */
  #cuts(from: number, to: number, days: LocalDays): number[] {
    const cuts: number[] = []
    for (let day = Math.max(days.dayAt(from), this.#openDay) + 1; days.startOf(day) < to; day++)
      cuts.push(days.startOf(day))
    return cuts
  }

  #marksOf(block: number, nextId: number): MarkRow {
    const { sessions } = this.#parts
    const { inputOctets, outputOctets, numbers } = sessions.view
    const marks: Mark[] = []
    for (const slot of this.#slotsOf(block)) {
      const at = Math.floor(numbers.reportedAtMs[slot]! / 1000)
      marks.push({ id: numbers.id[slot]!, input: inputOctets[slot]!, output: outputOctets[slot]!, at })
    }
    marks.sort((a, b) => a.id - b.id)
    return { block, nextId, sessions: writeMarks(marks) }
  }

  /** The live sessions of a block. */
  *#slotsOf(block: number): Generator<number> {
    for (let slot = this.#slots.first(block); slot >= 0; slot = this.#slots.next(slot))
      if (blockOf(this.#parts.sessions.userIdAt(slot) ?? -1) === block) yield slot
  }
}
