/** Closes a part when the program stops. */
export type OnStop = (close: () => unknown) => void

/** How the parts are closed: one after another, in the reverse order of their opening. */
export class Stops {
  readonly #closings: (() => unknown)[] = []

  readonly add: OnStop = (close) => {
    this.#closings.push(close)
  }

  async stop(): Promise<void> {
    for (const close of this.#closings.splice(0).reverse()) await close()
  }

  /** A start that fails in the middle closes what it has opened. */
  async unlessItFails<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start()
    } catch (error) {
      await this.stop()
      throw error
    }
  }
}
