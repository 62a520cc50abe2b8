type BatchTerms = {
  /** A statement begins at the earliest so long after the one before. */
  readonly paceMs?: number
  /** How many questions go into one statement, and how many statements are asked at a time. */
  readonly batchMax?: number
  readonly inFlightMax?: number
}

/** This many questions are read at once, without waiting for the pace. */
const enough = 32

/** The questions of one statement. Whoever asks for the same key waits for the same promise. */
type Batch<Key, Value> = Map<Key, PromiseWithResolvers<Value | null>>

/**
 * Questions of one event-loop turn are asked of the database together, so that thousands of actors that wake at the
 * same moment neither queue for connections nor cost a round trip each. A question never joins a statement that is
 * under way: its answer is at least as fresh as the question. With a pace, a stream of single questions becomes a row
 * of small statements, and what follows their answers is gathered as well.
 */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  /** In their order; only the last takes more questions. */
  readonly #waiting: Batch<Key, Value>[] = []
  readonly #paceMs: number
  readonly #batchMax: number
  readonly #inFlightMax: number
  #inFlight = 0
  #planned = false
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(
    read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    { paceMs = 0, batchMax = 500, inFlightMax = 2 }: BatchTerms = {},
  ) {
    this.#read = read
    this.#paceMs = paceMs
    this.#batchMax = batchMax
    this.#inFlightMax = inFlightMax
  }

  /** Null when there is nothing under that key. */
  get(key: Key): Promise<Value | null> {
    let batch = this.#waiting.at(-1)
    if (!batch || batch.size >= this.#batchMax) {
      batch = new Map()
      this.#waiting.push(batch)
    }
    const waiting = batch.get(key)
    if (waiting) return waiting.promise
    const asked = Promise.withResolvers<Value | null>()
    batch.set(key, asked)
    this.#plan()
    return asked.promise
  }

  #plan(): void {
    const [next] = this.#waiting
    if (this.#planned || this.#inFlight >= this.#inFlightMax || !next) return
    this.#planned = true
    const waitMs = this.#askedMs + this.#paceMs - performance.now()
    if (waitMs > 0 && next.size < enough) setTimeout(this.#ask, waitMs)
    else setImmediate(this.#ask)
  }

  readonly #ask = (): void => {
    this.#planned = false
    while (this.#inFlight < this.#inFlightMax) {
      const batch = this.#waiting.shift()
      if (!batch) return
      this.#send(batch)
    }
  }

  #send(batch: Batch<Key, Value>): void {
    this.#inFlight++
    this.#askedMs = performance.now()
    this.#read([...batch.keys()])
      .then(
        (found) => {
          for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null)
        },
        (error) => {
          for (const { reject } of batch.values()) reject(error)
        },
      )
      .finally(() => {
        this.#inFlight--
        this.#plan()
      })
  }
}
