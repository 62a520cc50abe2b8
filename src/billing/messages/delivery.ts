import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { ChannelSender, type MessageResult } from './channel-sender.ts'
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
  /** Whether messages of mailings wait now. */
  readonly isQuiet: () => boolean
}

/** The longest delay of a due retry, and of rows that another program on the same database wrote. */
const scanEveryMs = 15_000
const stopGraceMs = 1_500

/**
 * Delivers the messages of `notifications` to their clients: at least once, and not after they have expired. Nearly all
 * are addressed when they are written.
 *
 *     waiting without a channel ─► addressed, one row per address ─► claimed: attempt counted, next one scheduled
 *        ▲                                                            ├─► sent
 *        └─────────────── the last device is gone ◄───────────────────┼─► postponed: waits longer each time
 *                                                                     └─► failed: refused for good, or expired
 */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #senders: ReadonlyMap<Channel, ChannelSender>
  /** The channels that have a provider. */
  readonly served: ReadonlySet<Channel>
  #scanning: Promise<void> | null = null
  #again = false
  #isStopping = false
  #cancelScan: () => void = () => {}

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const onAddressLost = () => this.wake()
    this.#senders = new Map(
      parts.providers.map((provider) => [provider.channel, new ChannelSender({ ...parts, provider, onAddressLost })]),
    )
    this.served = new Set(this.#senders.keys())
  }

  /** Rejects while the database is unavailable. */
  async start(): Promise<void> {
    await this.#parts.table.reconsider(this.served, this.#parts.clock.now())
    this.wake()
  }

  isSending(id: number): boolean {
    return [...this.#senders.values()].some((sender) => sender.isSending(id))
  }

  /** Starts a scan: messages may be due. */
  wake(): void {
    this.#again = true
    if (this.#scanning || this.#isStopping) return
    this.#cancelScan()
    this.#scanning = this.#scan()
      .catch((error: unknown) => this.#parts.log.warn('Messages cannot be looked through now.', { error }))
      .finally(() => {
        this.#scanning = null
        if (this.#isStopping) return
        if (this.#again) this.wake()
        else this.#cancelScan = this.#parts.clock.after(scanEveryMs, () => this.wake())
      })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#again = false
    this.#cancelScan()
    await this.#scanning
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop(stopGraceMs)))
  }

  async #scan(): Promise<void> {
    const { table, clock, observe } = this.#parts
    while (this.#again) {
      this.#again = false
      for (const [channel, count] of await table.expire(clock.now()))
        for (let n = 0; n < count; n++) observe(channel ?? 'none', 'expired')
      for (const sender of this.#senders.values()) sender.wake()
      for (let isAll = false; !isAll && !this.#isStopping; ) {
        const { checked, isLast } = await table.assignAddresses(this.served, clock.now())
        isAll = isLast
        if (checked > 0) for (const sender of this.#senders.values()) sender.wake()
      }
    }
  }
}
