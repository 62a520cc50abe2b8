import type { Clock } from '../actors/clock.ts'
import type { Database } from '../storage/database.ts'

/** The channel on which nodes wake each other; the payload is the number of the one who calls. */
const channelName = 'tollgate_nodes'

/**
 * Between two calls; what is committed meanwhile is called by the second. Whoever has just read pauses as long
 * (NodeLog), so an earlier call would not be followed earlier.
 */
const paceMs = 3

/**
 * Wakes the other nodes after a commit. A notification within a transaction would let PostgreSQL commit one at a time,
 * so it is one of its own, and many commits share it. One that is lost costs the time until the others look by
 * themselves.
 */
export class NodeChannel {
  readonly #database: Pick<Database, 'onNotice' | 'holdLock' | 'tell'>
  readonly #place: { readonly number: number }
  readonly #clock: Clock
  #isCalling = false
  #isWanted = false

  constructor(
    database: Pick<Database, 'onNotice' | 'holdLock' | 'tell'>,
    place: { readonly number: number },
    clock: Clock,
  ) {
    this.#database = database
    this.#place = place
    this.#clock = clock
  }

  /** Listens on every connection from now on. */
  async open(): Promise<void> {
    await this.#database.holdLock(`LISTEN ${channelName}`)
  }

  /** The returned function removes the listener, which gets the number of the node that called. */
  on(listener: (node: number) => void): () => void {
    return this.#database.onNotice((payload) => listener(Number(payload)), channelName)
  }

  /** The other nodes read soon. */
  call(): void {
    this.#isWanted = true
    if (!this.#isCalling) void this.#callAll()
  }

  async #callAll(): Promise<void> {
    this.#isCalling = true
    while (this.#isWanted) {
      this.#isWanted = false
      await this.#database.tell(channelName, String(this.#place.number))
      if (this.#isWanted) await new Promise<void>((resolve) => this.#clock.after(paceMs, resolve))
    }
    this.#isCalling = false
  }
}
