/** How many questions go into one statement, and how many statements are asked at a time. */
const batchMax = 500
const inFlightMax = 2

/** This many questions are read at once, without waiting for the pace. */
const enough = 32

type Waiting<Value> = { resolve: (value: Value | null) => void; reject: (error: unknown) => void }

/**
 * Questions of one event-loop turn are asked of the database together, so that thousands of actors that wake at the
 * same moment neither queue for connections nor cost a round trip each. A question never joins a statement that is
 * under way: its answer is at least as fresh as the question. With a pace a statement begins at the earliest so long
 * after the one before, so that a stream of single questions becomes a row of small statements, and what follows their
 * answers is gathered as well.
 */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  #waiting = new Map<Key, Waiting<Value>[]>()
  readonly #paceMs: number
  #inFlight = 0
  #planned = false
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>, paceMs = 0) {
    this.#read = read
    this.#paceMs = paceMs
  }

  /** Null when there is nothing under that key. */
  get(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(key)
      if (others) others.push({ resolve, reject })
      else this.#waiting.set(key, [{ resolve, reject }])
      this.#plan()
    })
  }

  #plan(): void {
    if (this.#planned || this.#inFlight >= inFlightMax || this.#waiting.size === 0) return
    this.#planned = true
    const waitMs = this.#askedMs + this.#paceMs - performance.now()
    if (waitMs > 0 && this.#waiting.size < enough) setTimeout(this.#ask, waitMs)
    else setImmediate(this.#ask)
  }

  readonly #ask = (): void => {
    this.#planned = false
    while (this.#inFlight < inFlightMax && this.#waiting.size > 0) this.#flush()
  }

  #flush(): void {
    const batch = new Map([...this.#waiting].slice(0, batchMax))
    for (const key of batch.keys()) this.#waiting.delete(key)
    this.#inFlight++
    this.#askedMs = performance.now()
    this.#read([...batch.keys()])
      .then(
        (found) => {
          for (const [key, askers] of batch) for (const { resolve } of askers) resolve(found.get(key) ?? null)
        },
        (error) => {
          for (const askers of batch.values()) for (const { reject } of askers) reject(error)
        },
      )
      .finally(() => {
        this.#inFlight--
        this.#plan()
      })
  }
}
