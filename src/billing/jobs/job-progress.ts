import type { Clock } from '../../platform/actors/clock.ts'

/** How many of how many records of a job are done; `total` is null where nobody knows it before the end. */
export type Progress = { readonly done: number; readonly total: number | null }

export type TellProgress = (done: number, total?: number | null) => void

/** A run that has begun, has come further or, with `ok`, has ended. */
export type JobChange = Progress & { readonly name: string; readonly ok: boolean | null }

/** People follow a run, so that it is told about at most so often. */
const toldMs = 500

/** How far the runs of this program are. */
export class JobProgress {
  readonly #clock: Pick<Clock, 'elapsedMs'>
  readonly #changed: (change: JobChange) => void
  readonly #running = new Map<string, Progress>()

  constructor(clock: Pick<Clock, 'elapsedMs'>, changed: (change: JobChange) => void = () => {}) {
    this.#clock = clock
    this.#changed = changed
  }

  of(name: string): Progress | null {
    return this.#running.get(name) ?? null
  }

  begin(name: string): TellProgress {
    this.#say(name, { done: 0, total: null })
    let saidMs = this.#clock.elapsedMs()
    return (done, total = null) => {
      this.#running.set(name, { done, total })
      if (this.#clock.elapsedMs() - saidMs < toldMs) return
      saidMs = this.#clock.elapsedMs()
      this.#say(name, { done, total })
    }
  }

  /** Of a run that has begun; otherwise there is nothing to tell. */
  end(name: string, ok: boolean): void {
    const last = this.#running.get(name)
    if (!last) return
    this.#running.delete(name)
    this.#changed({ name, ...last, ok })
  }

  #say(name: string, progress: Progress): void {
    this.#running.set(name, progress)
    this.#changed({ name, ...progress, ok: null })
  }
}
