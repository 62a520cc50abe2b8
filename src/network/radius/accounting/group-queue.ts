import type { Clock } from '../../../platform/actors/clock.ts'

/** The maximum of entries in one group: enough to share a commit, and few enough that a NAS can wait for them. */
export const groupMax = 2000

/** Fewer entries save too little for the wait, and more of them fill a group by themselves. */
const gatheredMin = 8
const gatheredMax = 128
const patienceMsMax = 10
/** The time of a commit is averaged over about so many, so that a single slow one does not count. */
const commitsAveraged = 8

/**
 * What waits to be stored, and the groups in which it is stored; a job is never divided.
 *
 * A NAS that waits for answers sends its next records when it has them. If the next group left at once, it would
 * consist of what came during the commit, and the records that follow the answers would wait for the group after it:
 * groups of half the size, and two commits for every record. So unless few records are under way, the next group waits
 * until as many have come as were stored and left waiting, but no longer than a commit takes. Where records come evenly
 * whatever the answers, that makes groups of a high rate twice as large, and leaves those of a low rate alone.
 */
export class GroupQueue<Job extends { readonly pieces: readonly unknown[] }> {
  readonly #clock: Clock
  #jobs: Job[] = []
  /** Entries in the queue, and in the group that was taken last. */
  #waiting = 0
  #taken = 0
  #takenAtMs = 0
  #commitMs = 0
  #wanted = Number.POSITIVE_INFINITY
  #leave: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0
  }

  add(job: Job): void {
    this.#jobs.push(job)
    this.#waiting += job.pieces.length
    if (this.#waiting >= this.#wanted) this.#leave()
  }

  /** The next group, which is empty when nothing waits. */
  take(): Job[] {
    let size = 0
    let count = 0
    while (count < this.#jobs.length && (count === 0 || size + this.#jobs[count]!.pieces.length <= groupMax))
      size += this.#jobs[count++]!.pieces.length
    this.#waiting -= size
    this.#taken = size
    this.#takenAtMs = this.#clock.elapsedMs()
    return this.#jobs.splice(0, count)
  }

  /** To be called when the group that was taken is stored; resolves when the next one should leave. */
  async gather(): Promise<void> {
    if (this.#taken === 0) return
    const tookMs = this.#clock.elapsedMs() - this.#takenAtMs
    this.#commitMs += (tookMs - this.#commitMs) / commitsAveraged
    const patienceMs = Math.min(Math.round(this.#commitMs), patienceMsMax)
    const wanted = this.#taken + this.#waiting
    if (patienceMs === 0 || wanted < gatheredMin || wanted > gatheredMax) return
    this.#wanted = wanted
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(patienceMs, resolve)
      this.#leave = () => {
        cancel()
        resolve()
      }
    })
    this.#wanted = Number.POSITIVE_INFINITY
  }
}
