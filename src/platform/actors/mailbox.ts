/** More messages wait than the mailbox may hold: the sender has to slow down. */
export class MailboxFull extends Error {
  constructor() {
    super('The mailbox is full; ask again shortly.')
    this.name = 'MailboxFull'
  }
}

/**
 * Runs turns one after another, first come first served. A failed turn rejects its sender and lets the next one start.
 */
export class Mailbox {
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #busy = false

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax
  }

  /** The number of turns that wait, without the running one. */
  get depth(): number {
    return this.#waiting.length
  }

  get idle(): boolean {
    return !this.#busy
  }

  run<T>(turn: () => Promise<T>): Promise<T> {
    if (!this.#busy) return this.#start(turn)
    if (this.#waiting.length >= this.#waitingMax) return Promise.reject(new MailboxFull())
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => this.#start(turn).then(resolve, reject))
    })
  }

  async #start<T>(turn: () => Promise<T>): Promise<T> {
    this.#busy = true
    try {
      return await turn()
    } finally {
      this.#busy = false
      this.#waiting.shift()?.()
    }
  }
}
