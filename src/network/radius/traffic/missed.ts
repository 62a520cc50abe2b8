import type { SessionTable } from '../accounting/session-table.ts'
import { blockOf, type Mark, readMarks } from './spans.ts'
import type { LateRow, MarkRow, SessionOctets, TrafficStore } from './traffic-store.ts'

/** Octets that are in rows of sessions and not in the series. */
type MissedSpan = { readonly fromMs: number; readonly toMs: number; readonly input: bigint; readonly output: bigint }

type Found = {
  span(loginId: number, span: MissedSpan): void
  /** A row of traffic_late that has been taken into account. */
  late(row: LateRow): void
  /** The marks of this block are to be written anew. */
  changed(block: number): void
}

/** How far a session has been counted. */
type Counted = { readonly input: bigint; readonly output: bigint; readonly atMs: number }

const blocksAtOnce = 1_000

/**
 * Compares the live sessions in memory, and the rows of those that memory does not have, with the marks, and tells what
 * has not been counted. How far a session has been counted says its mark; else, when it is as new as that, nothing of
 * it has been; else, when it has grown since its end, traffic_late; else all of it has been. Where a session has gone
 * to another node and come back, traffic_late says of each part where this node is to begin and to end.
 */
export async function findMissed(
  store: TrafficStore,
  sessions: SessionTable,
  slotsOf: (block: number) => Iterable<number>,
  scannedFrom: number,
  found: Found,
): Promise<void> {
  const search = new Search(sessions, slotsOf, found)
  for (const row of await store.late()) search.addLate(row)
  search.addRecent(await store.sessionsFrom(scannedFrom))
  for (let after = -1; ; ) {
    const rows = await store.marksAfter(after, blocksAtOnce)
    for (const row of rows) search.compareBlock(row)
    search.countRows(await store.sessionsOf(search.gone))
    if (rows.length < blocksAtOnce) break
    after = rows.at(-1)!.block
  }
  search.countUnmarked()
  search.addGrown()
  search.countRows(await store.sessionsOf(search.gone))
}

class Search {
  readonly #sessions: SessionTable
  readonly #slotsOf: (block: number) => Iterable<number>
  readonly #found: Found
  /** By session: how far it had been counted when that began to change, in this order. */
  readonly #late = new Map<number, LateRow[]>()
  /** Of the blocks with such sessions. */
  readonly #nextIds = new Map<number, number>()
  readonly #marked = new Set<number>()
  /** Sessions whose rows are still to be read. */
  #gone = new Map<number, Counted>()
  /** Rows of sessions of which nothing may have been counted yet and that memory does not have, by block. */
  #recent: Map<number, SessionOctets[]> = new Map()

  constructor(sessions: SessionTable, slotsOf: (block: number) => Iterable<number>, found: Found) {
    this.#sessions = sessions
    this.#slotsOf = slotsOf
    this.#found = found
  }

  get gone(): number[] {
    return [...this.#gone.keys()]
  }

  addLate(row: LateRow): void {
    this.#found.late(row)
    const rows = this.#late.get(row.sessionId)
    if (rows) rows.push(row)
    else this.#late.set(row.sessionId, [row])
    this.#nextIds.set(blockOf(row.loginId), 0)
  }

  /** Most have ended. One that lived on while accounting went to the spool may be in the tables alone. */
  addRecent(rows: readonly SessionOctets[]): void {
    const live = new Set<number>()
    for (const slot of this.#ownSlots()) live.add(this.#sessions.idAt(slot))
    this.#recent = Map.groupBy(
      rows.filter(({ id }) => !live.has(id)),
      ({ loginId }) => blockOf(loginId),
    )
  }

  compareBlock({ block, nextId, sessions }: MarkRow): void {
    this.#marked.add(block)
    if (this.#nextIds.has(block)) this.#nextIds.set(block, nextId)
    const marks = readMarks(sessions)
    for (const slot of this.#slotsOf(block)) {
      const id = this.#sessions.idAt(slot)
      const mark = marks.get(id)
      this.#countLive(slot, this.#openAt(id, mark, id >= nextId, this.#sessions.startedAtMsAt(slot)))
      if (!mark) this.#found.changed(block)
      marks.delete(id)
    }
    for (const row of this.#recent.get(block) ?? []) {
      const mark = marks.get(row.id)
      if (!mark && row.id < nextId) continue
      this.#countRow(row, this.#openAt(row.id, mark, true, row.startedAtMs))
      marks.delete(row.id)
      this.#found.changed(block)
    }
    for (const [id, mark] of marks) {
      this.#leave(id, this.#openAt(id, mark, false, 0))
      this.#found.changed(block)
    }
  }

  /**
   * From where on this node counts a session to its end; null: no further. What it counted before another node took it
   * over, and was not written, is told.
   */
  #openAt(id: number, mark: Mark | undefined, isNew: boolean, startedAtMs: number): Counted | null {
    const rows = this.#late.get(id) ?? []
    this.#late.delete(id)
    const isBegunHere = isNew && !rows[0]?.isTaken
    let open: Counted | null = mark
      ? countedOf(mark)
      : isBegunHere
        ? { input: 0n, output: 0n, atMs: startedAtMs }
        : null
    for (const row of rows) {
      if (row.isEnd) {
        if (open) this.#count(row.loginId, open, row.input, row.output, row.atMs)
        open = null
      } else if (row.isTaken) open = row
      else open ??= row
    }
    return open
  }

  #leave(id: number, open: Counted | null): void {
    if (open) this.#gone.set(id, open)
  }

  /** Of blocks that have no marks nothing has ever been counted. */
  countUnmarked(): void {
    for (const slot of this.#ownSlots()) {
      const loginId = this.#sessions.userIdAt(slot)
      if (loginId === null || this.#marked.has(blockOf(loginId))) continue
      const id = this.#sessions.idAt(slot)
      this.#countLive(slot, this.#openAt(id, undefined, true, this.#sessions.startedAtMsAt(slot)))
      this.#found.changed(blockOf(loginId))
    }
    for (const [block, rows] of this.#recent) {
      if (this.#marked.has(block)) continue
      for (const row of rows) this.#countRow(row, this.#openAt(row.id, undefined, true, row.startedAtMs))
      this.#found.changed(block)
    }
  }

  /**
   * What is left had been counted to its end, and has grown after that; or it has gone to another node, some of it
   * before it was ever written.
   */
  addGrown(): void {
    for (const [id, rows] of [...this.#late]) {
      const [first] = rows
      const hasGone = rows.some(({ isEnd }) => isEnd)
      const isNew = hasGone && first!.isBegunHere && id >= this.#nextIds.get(blockOf(first!.loginId))!
      this.#leave(id, this.#openAt(id, undefined, isNew, first!.atMs))
    }
  }

  countRows(rows: readonly SessionOctets[]): void {
    for (const row of rows) if (row.isOurs) this.#countRow(row, this.#gone.get(row.id)!)
    this.#gone = new Map()
  }

  /** Sessions in memory that this node counts. */
  *#ownSlots(): Generator<number> {
    const { slots, numbers } = this.#sessions.view
    for (let slot = 0; slot < slots; slot++) if (numbers.nasId[slot] !== 0 && numbers.node[slot] === 0) yield slot
  }

  #countLive(slot: number, counted: Counted | null): void {
    if (counted === null) return
    const sessions = this.#sessions
    const { inputOctets, outputOctets, numbers } = sessions.view
    this.#count(sessions.userIdAt(slot)!, counted, inputOctets[slot]!, outputOctets[slot]!, numbers.reportedAtMs[slot]!)
  }

  #countRow({ loginId, input, output, toldAtMs }: SessionOctets, counted: Counted | null): void {
    if (counted) this.#count(loginId, counted, input, output, toldAtMs)
  }

  #count(loginId: number, counted: Counted, input: bigint, output: bigint, toMs: number): void {
    const more = { input: input - counted.input, output: output - counted.output }
    if (more.input < 0n || more.output < 0n) return
    this.#found.span(loginId, { fromMs: counted.atMs, toMs, ...more })
  }
}

const countedOf = ({ input, output, at }: Mark): Counted => ({ input, output, atMs: at * 1000 })
