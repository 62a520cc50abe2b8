import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { Lane, type MessageResult } from './lane.ts'
import type { Channel, Provider } from './message.ts'
import type { PushDevices } from './push-devices.ts'
import type { MessageTable } from './table.ts'

export type DeliveryParts = {
  readonly table: MessageTable
  readonly devices: PushDevices
  readonly providers: readonly Provider[]
  readonly clock: Clock
  readonly log: Log
  readonly observe: (channel: Channel | 'none', result: MessageResult) => void
}

/** How late a retry may be, and rows that another program wrote. */
const lookEveryMs = 15_000
const stopGraceMs = 1_500

/**
 * Brings the messages of `notifications` to their clients, at least once and not for ever.
 *
 *     waiting without a channel ─► placed: one row for each address ─► claimed: attempt counted, next one planned ─►
 * sent
 *                 ▲                                                        │ later: waits longer each time      └►
 * failed, for good
 *                 └──────────────── the last device is gone ◄──────────────┘ too old: failed
 */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #lanes: ReadonlyMap<Channel, Lane>
  readonly #served: ReadonlySet<Channel>
  #looking: Promise<void> | null = null
  #again = false
  #isStopping = false
  #cancelLook: () => void = () => {}

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const misplaced = () => this.wake()
    this.#lanes = new Map(
      parts.providers.map((provider) => [provider.channel, new Lane({ ...parts, provider, misplaced })]),
    )
    this.#served = new Set(this.#lanes.keys())
  }

  /** Rejects while the database is away. */
  async start(): Promise<void> {
    await this.#parts.table.reconsider(this.#served, this.#parts.clock.now())
    this.wake()
  }

  isServed(channel: Channel): boolean {
    return this.#served.has(channel)
  }

  isSending(id: number): boolean {
    return [...this.#lanes.values()].some((lane) => lane.isSending(id))
  }

  /** Something is due. */
  wake(): void {
    this.#again = true
    if (this.#looking || this.#isStopping) return
    this.#cancelLook()
    this.#looking = this.#look()
      .catch((error: unknown) => this.#parts.log.warn('Messages cannot be looked through now.', { error }))
      .finally(() => {
        this.#looking = null
        if (this.#isStopping) return
        if (this.#again) this.wake()
        else this.#cancelLook = this.#parts.clock.after(lookEveryMs, () => this.wake())
      })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#again = false
    this.#cancelLook()
    await this.#looking
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop(stopGraceMs)))
  }

  async #look(): Promise<void> {
    const { table, clock, observe } = this.#parts
    while (this.#again) {
      this.#again = false
      for (const [channel, count] of await table.expire(clock.now()))
        for (let n = 0; n < count; n++) observe(channel ?? 'none', 'expired')
      for (const lane of this.#lanes.values()) lane.wake()
      for (let isAll = false; !isAll && !this.#isStopping; ) {
        const placed = await table.place(this.#served, clock.now())
        isAll = placed.isAll
        if (placed.looked > 0) for (const lane of this.#lanes.values()) lane.wake()
      }
    }
  }
}
