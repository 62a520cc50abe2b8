const perSecondMax = 5

/** Reports errors of ours while serving packets, at most five in a second, because each may come with every packet. */
export class FaultLimit {
  readonly #report: (error: Error) => void
  #second = 0
  #inSecond = 0

  constructor(report: (error: Error) => void) {
    this.#report = report
  }

  readonly report = (error: unknown): void => {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    if (this.#inSecond++ >= perSecondMax) return
    this.#report(error instanceof Error ? error : new Error(String(error)))
  }
}
