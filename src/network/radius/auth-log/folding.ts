import type { AuthEntry, AuthVerdict } from '../worker/auth-entries.ts'
import { TokenBucket } from '../coa/token-bucket.ts'
import { type AuthRow, authRow, isAccept } from './auth-row.ts'

/**
 * How long equal answers are counted before they become a row: twice as long each time, while they go on. A client in
 * debt whose router dials every ten seconds costs a row an hour.
 */
const windowsMs = [1, 2, 4, 8, 16, 32, 64].map((minutes) => minutes * 60_000)
/** Equal answers that are counted at one time; about 20 MB. */
const windowsMax = 50_000
/** How often the counts of answers that found no place become rows. */
const othersMs = 60_000
/** How many NAS and reasons are counted apart within that time; beyond that, NAS are not told apart. */
const othersMax = 500

/**
 * Rows a second in the long run, and how many may come at once. The three have budgets of their own, so that invented
 * logins do not crowd out those of clients: 2,300 rows a minute at the very most, 3.3 million a day.
 */
const budgets = {
  unknown: { perSecond: 5, burst: 3_000 },
  rejected: { perSecond: 50 / 3, burst: 30_000 },
  accepted: { perSecond: 50 / 3, burst: 30_000 },
} as const
type Budget = keyof typeof budgets

/** Equal answers after those that are a row already. */
type Window = { readonly row: AuthRow; readonly verdict: AuthVerdict; level: number; closesMs: number } & Counted
type Counted = { lastMs: number; count: number }
type Others = Counted & { readonly row: AuthRow }

/**
 * Makes rows of what the workers have answered. The first of equal answers (verdict, NAS, login, station) is a row at
 * once, those that follow are one more row with their number. Who gets no row is counted by NAS and verdict. Moments
 * are those of a monotonic clock, except those of the answers.
 */
export class Folding {
  /** Answers that were only counted by NAS and reason, because there were too many. */
  flooded = 0
  readonly #windows = new Map<string, Window>()
  /** The same by how long they are open, each in the order in which they close. */
  readonly #levels = windowsMs.map(() => new Map<string, Window>())
  readonly #others = new Map<string, Others>()
  readonly #buckets: Readonly<Record<Budget, TokenBucket>>
  #othersDueMs: number

  constructor(nowMs: number) {
    const bucket = (name: Budget) => new TokenBucket(budgets[name].perSecond, budgets[name].burst, nowMs)
    this.#buckets = { unknown: bucket('unknown'), rejected: bucket('rejected'), accepted: bucket('accepted') }
    this.#othersDueMs = nowMs + othersMs
  }

  /** The rows that entries become at once. */
  *add(entries: Iterable<AuthEntry>, nowMs: number): Generator<AuthRow> {
    for (const entry of entries) {
      const { key, verdict, count, firstMs, lastMs } = entry
      const window = this.#windows.get(key)
      if (window) {
        window.count += count
        window.lastMs = lastMs
      } else if (entry.who !== null && this.#windows.size < windowsMax && this.#affords(verdict, nowMs)) {
        const row = authRow(entry, firstMs, count)
        this.#open(key, { row, verdict, level: 0, closesMs: 0, lastMs, count: 0 }, nowMs)
        yield row
      } else this.#addToOthers(authRow({ ...entry, who: null }, lastMs, count), count, lastMs)
    }
  }

  /** The rows that are due; with `all` those of everything that is still being counted. */
  *due(nowMs: number, all = false): Generator<AuthRow> {
    for (const [level, windows] of this.#levels.entries()) {
      for (const [key, window] of windows) {
        if (!all && window.closesMs > nowMs) break
        windows.delete(key)
        this.#windows.delete(key)
        if (window.count > 0) yield* this.#close(key, window, level, nowMs)
      }
    }
    if (all || nowMs >= this.#othersDueMs) yield* this.#takeOthers(nowMs)
  }

  /** What is being counted about a subscriber and is no row yet. */
  of(subscriberId: number): AuthRow[] {
    return [...this.#windows.values()]
      .filter(({ row, count }) => count > 0 && row.subscriberId === subscriberId)
      .map(({ row, count, lastMs }) => ({ ...row, atMs: lastMs, count }))
  }

  *#close(key: string, { row, verdict, count, lastMs }: Window, level: number, nowMs: number): Generator<AuthRow> {
    if (this.#affords(verdict, nowMs)) {
      const next = Math.min(level + 1, windowsMs.length - 1)
      this.#open(key, { row, verdict, level: next, closesMs: 0, lastMs, count: 0 }, nowMs)
      yield { ...row, atMs: lastMs, count }
      return
    }
    const many = { ...row, login: null, subscriberId: null, organizationId: null, mac: null, port: null }
    this.#addToOthers(many, count, lastMs)
  }

  #open(key: string, window: Window, nowMs: number): void {
    window.closesMs = nowMs + windowsMs[window.level]!
    this.#windows.set(key, window)
    this.#levels[window.level]!.set(key, window)
  }

  #addToOthers(row: AuthRow, count: number, lastMs: number): void {
    this.flooded += count
    const own = `${row.accepted} ${row.reason} ${row.nasId}`
    const isFull = this.#others.size >= othersMax && !this.#others.has(own)
    const key = isFull ? `${row.accepted} ${row.reason}` : own
    const others = this.#others.get(key)
    if (others) {
      others.count += count
      others.lastMs = lastMs
    } else this.#others.set(key, { row: isFull ? { ...row, nasId: null } : row, lastMs, count })
  }

  *#takeOthers(nowMs: number): Generator<AuthRow> {
    this.#othersDueMs = nowMs + othersMs
    const others = [...this.#others.values()]
    this.#others.clear()
    for (const { row, lastMs, count } of others) yield { ...row, atMs: lastMs, count }
  }

  #affords(verdict: AuthVerdict, nowMs: number): boolean {
    const bucket = this.#buckets[budgetOf(verdict)]
    if (!bucket.has(nowMs)) return false
    bucket.take()
    return true
  }
}

const budgetOf = (verdict: AuthVerdict): Budget => {
  if (isAccept(verdict)) return 'accepted'
  // These come without a login of ours.
  return verdict === 'unknownLogin' || verdict === 'refusedRealm' || verdict === 'eapNotOffered'
    ? 'unknown'
    : 'rejected'
}
