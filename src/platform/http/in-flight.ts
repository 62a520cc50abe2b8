/** Counts the requests that are in flight. */
export class InFlight {
  #count = 0
  readonly #waiting: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Waits until no request is in flight, for at most `withinMs`, and returns how many are left. */
  async drain(withinMs: number): Promise<number> {
    if (this.#count === 0) return 0
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      timer = setTimeout(resolve, withinMs)
    })
    clearTimeout(timer)
    return this.#count
  }
}
