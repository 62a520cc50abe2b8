import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type TransactionScope, writing } from '../../platform/storage/transactions.ts'
import { claimDue, type DueDelivery, lockLanes, nextDue, release, type Settled, settle } from './delivery-table.ts'
import { noteOutcomes, type SwitchedOff } from './endpoint-health.ts'
import { nextAttemptAt } from './retries.ts'
import { type SenderParts, tryDelivery } from './sender.ts'

/** What became of an attempt, as the metrics count it. */
export type DeliveryFate = 'delivered' | 'postponed' | 'given_up'

export type DeliveringParts = SenderParts & {
  readonly scope: TransactionScope
  readonly clock: Clock
  readonly log: Log
  readonly observe: (fate: DeliveryFate) => void
  /** The endpoints that are switched on. */
  readonly endpoints: () => readonly { readonly id: number }[]
}

/** How many deliveries are made to one endpoint at the same time, and to all of them. */
const atOnce = { endpoint: 8, all: 64 } as const
/** Longer than an attempt and the writing of what became of it. */
const leaseMs = 60_000
/** How often the table is searched for deliveries that another program made due, or left. */
const sweepEveryMs = 15_000
const retryMs = 1_000

/**
 * Makes the deliveries that are due, those of one subscriber one after another and others at the same time, and writes
 * what became of them:
 *
 *     waiting: behind another one ─► due ─► claimed ─► 2xx: delivered
 *                                     ▲         └────► anything else: due again later, or given up after the last try
 *                                     └──────────────────┘
 *
 * A delivery that was made is made again when the program is killed before it could write that.
 */
export class Delivering {
  readonly #parts: DeliveringParts
  /** By their ids, the endpoints of deliveries that are being made. */
  readonly #inWork = new Map<number, number>()
  readonly #works = new Set<Promise<void>>()
  #settled: (Settled & { readonly written: () => void })[] = []
  #settling: Promise<void> | null = null
  #claiming: Promise<void> | null = null
  #again = false
  #cancel: () => void = () => {}
  readonly #stopping = new AbortController()

  constructor(parts: DeliveringParts) {
    this.#parts = parts
  }

  /** Deliveries may be due. */
  wake(): void {
    this.#again = !this.#stopping.signal.aborted
    if (this.#claiming || !this.#again) return
    this.#cancel()
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = null
      if (this.#again) this.wake()
    })
  }

  /** Breaks off the attempts that are being made; they are due at once at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#again = false
    this.#cancel()
    await this.#claiming
    await Promise.all(this.#works)
    await this.#settling
  }

  async #claimAll(): Promise<void> {
    const { log, clock, scope } = this.#parts
    const { pool } = scope.database
    let nextMs = sweepEveryMs
    let now = clock.now()
    try {
      while (this.#again) {
        this.#again = false
        const free = this.#free()
        if (free.size === 0) break
        now = clock.now()
        const due = await claimDue(pool, free, now, new Date(now.getTime() + leaseMs))
        // One whose outcome could not be written before its lease ended is still ours.
        const fresh = due.filter(({ id }) => !this.#inWork.has(id))
        for (const delivery of fresh) this.#start(delivery)
        this.#again ||= fresh.length > 0 && !this.#stopping.signal.aborted
      }
      const ids = this.#parts.endpoints().map(({ id }) => id)
      if (ids.length === 0) return
      const next = await nextDue(pool, ids, now)
      if (next) nextMs = Math.min(Math.max(next.getTime() - clock.now().getTime(), 0), sweepEveryMs)
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.warn('Deliveries of webhooks cannot be read now.', { error })
      nextMs = retryMs
    }
    if (!this.#stopping.signal.aborted) this.#cancel = clock.after(nextMs, () => this.wake())
  }

  /** How many deliveries each endpoint may be given. */
  #free(): ReadonlyMap<number, number> {
    const busy = new Map<number, number>()
    for (const id of this.#inWork.values()) busy.set(id, (busy.get(id) ?? 0) + 1)
    let left = atOnce.all - this.#inWork.size
    const free = new Map<number, number>()
    for (const { id } of this.#parts.endpoints()) {
      const room = Math.min(left, atOnce.endpoint - (busy.get(id) ?? 0))
      if (room <= 0) continue
      free.set(id, room)
      left -= room
    }
    return free
  }

  #start(delivery: DueDelivery): void {
    this.#inWork.set(delivery.id, delivery.endpointId)
    const work = this.#deliver(delivery).finally(() => {
      this.#inWork.delete(delivery.id)
      this.#works.delete(work)
      this.wake()
    })
    this.#works.add(work)
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { clock, log, scope } = this.#parts
    const tried = await tryDelivery(this.#parts, delivery, this.#stopping.signal)
    if (tried === null) {
      const released = release(scope.database.pool, [delivery], clock.now())
      return await released.catch((error) =>
        log.debug('A delivery that was broken off waits for its lease.', { error }),
      )
    }
    const at = clock.now()
    const nextAt = tried.kind === 'failed' ? nextAttemptAt(delivery.attempts, tried.retryAfterMs, at) : null
    await new Promise<void>((written) => {
      this.#settled.push({ delivery, attempt: tried, at, nextAt, written })
      this.#wakeSettling()
    })
  }

  #wakeSettling(): void {
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = null
    })
  }

  /** What ends while one transaction runs is written together in the next. */
  async #settleAll(): Promise<void> {
    const { scope, clock, log } = this.#parts
    await Promise.resolve()
    while (this.#settled.length > 0) {
      const batch = this.#settled
      this.#settled = []
      try {
        const off = await writing(scope, async (client) => {
          await lockLanes(client)
          await settle(client, batch, clock.now())
          return await noteOutcomes(client, batch)
        })
        this.#tell(batch, off)
        for (const { written } of batch) written()
      } catch (error) {
        log.warn('What became of deliveries of webhooks cannot be stored now.', { error, waiting: batch.length })
        if (this.#stopping.signal.aborted) {
          // They are made once more when their lease is over.
          for (const { written } of batch) written()
          continue
        }
        this.#settled = [...batch, ...this.#settled]
        await this.#pause()
      }
    }
  }

  #tell(batch: readonly Settled[], off: readonly SwitchedOff[]): void {
    const { log, observe } = this.#parts
    for (const { delivery, attempt, nextAt } of batch) {
      observe(attempt.kind === 'delivered' ? 'delivered' : nextAt === null ? 'given_up' : 'postponed')
      if (attempt.kind === 'failed' && nextAt === null)
        log.error('A webhook was given up after its last attempt.', { delivery: delivery.id, reason: attempt.error })
    }
    for (const { id, url, reason } of off)
      log.error('An endpoint of webhooks was switched off.', { endpoint: id, host: URL.parse(url)?.host, reason })
  }

  /** Until the next attempt to write, or the stop. */
  #pause(): Promise<void> {
    const { signal } = this.#stopping
    return new Promise((resolve) => {
      const done = () => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.#parts.clock.after(retryMs, done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }
}
