import type { Clock } from '../actors/clock.ts'
import type { Log } from '../log.ts'

export type DueRoundsParts<Item> = {
  readonly clock: Clock
  readonly log: Log
  /** What the items are called in the log. */
  readonly name: string
  /**
   * Takes some of the items that are due, so that no other program takes them for a while. What was taken and came no
   * step forward, as after a crash, is due again later.
   */
  readonly claim: (now: Date) => Promise<readonly Item[]>
  readonly nextDue: () => Promise<Date | null>
  /** Takes one item a step forward. */
  readonly advance: (item: Item, stopping: AbortSignal) => Promise<void>
}

/**
 * How often the table is searched for items that nobody announced: another program on the same database queued them, or
 * died while it worked on them.
 */
const sweepEveryMs = 30_000
const retryMs = 5_000

/** Works on the items of a table when they are due, until none is left, and then when the next will be. */
export class DueRounds<Item> {
  readonly #parts: DueRoundsParts<Item>
  readonly #stopping = new AbortController()
  #cancel: () => void = () => {}
  #round: Promise<void> | null = null
  #isWoken = false

  constructor(parts: DueRoundsParts<Item>) {
    this.#parts = parts
  }

  /** Starts a round: items may be due. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#isWoken = true
    this.#cancel()
    this.#round ??= this.#rounds().finally(() => {
      this.#round = null
      // wake was called after this round had read the table for the last time.
      if (this.#isWoken) this.wake()
    })
  }

  /** Aborts the steps that are being taken. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#cancel()
    await this.#round
  }

  async #rounds(): Promise<void> {
    const { clock, log, name, claim, nextDue } = this.#parts
    let nextMs = sweepEveryMs
    try {
      for (let isMore = true; isMore && !this.#stopping.signal.aborted; ) {
        this.#isWoken = false
        const due = await claim(clock.now())
        await Promise.all(due.map((item) => this.#advance(item)))
        isMore = due.length > 0 || this.#isWoken
      }
      const next = await nextDue()
      if (next) nextMs = Math.min(Math.max(next.getTime() - clock.now().getTime(), 0), sweepEveryMs)
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.warn(`the queue of ${name} cannot be read now`, { error })
      nextMs = retryMs
    }
    if (!this.#stopping.signal.aborted) this.#cancel = clock.after(nextMs, () => this.wake())
  }

  /** Where the outcome was not stored, the item becomes due again. */
  async #advance(item: Item): Promise<void> {
    try {
      await this.#parts.advance(item, this.#stopping.signal)
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#parts.log.warn(`one of the ${this.#parts.name} could not be worked on`, { error })
    }
  }
}

/** The moment of the next try: each wait is twice the one before, up to a maximum. */
export const dueAfter = (now: Date, { firstMs, maxMs }: { firstMs: number; maxMs: number }, tries: number): Date =>
  new Date(now.getTime() + Math.min(maxMs, firstMs * 2 ** Math.min(tries, 30)))
