import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Channel, type Provider, type SendOutcome, sendTimeoutMs } from './message.ts'
import type { PushDevices } from './push-devices.ts'
import { claimMs, type Claimed, type MessageTable } from './table.ts'

/** The result of an attempt, as the metrics count it. */
export type MessageResult = 'sent' | 'refused' | 'postponed' | 'expired'

export type ChannelSenderParts = {
  readonly provider: Provider
  readonly table: MessageTable
  readonly devices: PushDevices
  readonly clock: Clock
  readonly log: Log
  readonly observe: (channel: Channel, result: MessageResult) => void
  /** Whether messages of mailings wait now. */
  readonly isQuiet: () => boolean
  /** Called when a message has lost its last address and needs another one. */
  readonly onAddressLost: () => void
}

/** How many messages are sent at the same time: mail servers and SMS gateways accept only a few connections. */
const concurrency = { push: 16, sms: 8, email: 2 } as const satisfies Record<Channel, number>

const markRetryMs = 1_000

/** Later than so long after its claim a message is not sent, because another program may claim it before the end. */
const sentWithinMs = claimMs - sendTimeoutMs

/** Sends the due messages of one channel through its provider, several at the same time, and records each outcome. */
export class ChannelSender {
  readonly #parts: ChannelSenderParts
  readonly #sending = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()
  #claiming: Promise<void> | null = null
  #again = false
  #isStopped = false

  constructor(parts: ChannelSenderParts) {
    this.#parts = parts
  }

  isSending(id: number): boolean {
    return this.#sending.has(id)
  }

  /** Starts claiming: messages may be due. */
  wake(): void {
    this.#again = !this.#isStopped
    if (this.#claiming || this.#isStopped) return
    this.#claiming = this.#claimAll()
      .catch((error: unknown) => this.#parts.log.warn('Messages cannot be read now.', { error }))
      .finally(() => {
        this.#claiming = null
        if (this.#again) this.wake()
      })
  }

  /** Claims nothing more. Messages being sent have `graceMs` to finish before they are aborted. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#again = false
    const cancel = this.#parts.clock.after(graceMs, () => this.#stopping.abort())
    await this.#claiming
    await Promise.all(this.#sending.values())
    cancel()
    this.#stopping.abort()
    this.#parts.provider.close?.()
  }

  async #claimAll(): Promise<void> {
    const { provider, isQuiet } = this.#parts
    const max = concurrency[provider.channel]
    while (this.#again) {
      this.#again = false
      const free = max - this.#sending.size
      if (free <= 0) return
      const claimed = await this.#claim(free, 'others')
      // What concerns one client's own account never waits behind a mailing.
      if (claimed === free || isQuiet()) continue
      await this.#claim(free - claimed, 'mailings')
    }
  }

  /** Returns how many were claimed. */
  async #claim(max: number, which: 'mailings' | 'others'): Promise<number> {
    const { provider, table, clock } = this.#parts
    const now = clock.now()
    const claimed = await table.claim(provider.channel, which, max, now)
    for (const message of claimed) this.#start(message, now)
    return claimed.length
  }

  #start(message: Claimed, claimedAt: Date): void {
    const work = this.#deliver(message, claimedAt).finally(() => {
      // An operator may have started the message over before this attempt was seen to end.
      if (this.#sending.get(message.id) === work) this.#sending.delete(message.id)
      this.wake()
    })
    this.#sending.set(message.id, work)
  }

  async #deliver(message: Claimed, claimedAt: Date): Promise<void> {
    const { provider, clock, log } = this.#parts
    if (clock.now().getTime() - claimedAt.getTime() > sentWithinMs) {
      log.warn('A message is left to its next attempt: this program stood still after it had claimed it.', {
        channel: provider.channel,
        messageId: message.id,
      })
      return
    }
    const outcome: SendOutcome = message.hasAddress
      ? await provider.send(message, this.#stopping.signal).catch((error: unknown) => {
          log.error('A provider failed on a message.', { channel: provider.channel, messageId: message.id, error })
          return { kind: 'retryLater', reason: 'An error of the program; see its log.' }
        })
      : { kind: 'refused', reason: 'The device has been forgotten.', addressGone: true }
    await this.#store(message, outcome)
  }

  /**
   * Retries until the outcome is stored, so that a message is not sent a second time because the database was
   * unavailable for a while.
   */
  async #store(message: Claimed, outcome: SendOutcome): Promise<void> {
    const { log, provider, clock } = this.#parts
    for (;;) {
      try {
        await this.#mark(message, outcome)
        return
      } catch (error) {
        const { channel } = provider
        log.warn('What became of a message cannot be stored now.', { channel, messageId: message.id, error })
      }
      // When the program stops before that, the message is still waiting at the next start and is sent once more.
      if (this.#stopping.signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel()
          this.#stopping.signal.removeEventListener('abort', done)
          resolve()
        }
        const cancel = clock.after(markRetryMs, done)
        this.#stopping.signal.addEventListener('abort', done)
      })
    }
  }

  async #mark(message: Claimed, outcome: SendOutcome): Promise<void> {
    const { table, devices, clock, provider, onAddressLost } = this.#parts
    const now = clock.now()
    const observe = (result: MessageResult) => this.#parts.observe(provider.channel, result)
    switch (outcome.kind) {
      case 'sent':
        await table.sent(message.id, now)
        return observe('sent')
      case 'retryLater': {
        const { reason, afterMs } = outcome
        await table.postponed(message.id, reason, afterMs === undefined ? null : new Date(now.getTime() + afterMs))
        return observe('postponed')
      }
      case 'refused': {
        if (outcome.addressGone && provider.channel === 'push') {
          if (message.hasAddress) await devices.forgetGone(message.to)
          if (await table.deviceGone(message.id, outcome.reason, now)) onAddressLost()
        } else await table.refused(message.id, outcome.reason)
        return observe('refused')
      }
    }
  }
}
