import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Channel, Provider, SendOutcome } from './message.ts'
import type { PushDevices } from './push-devices.ts'
import type { Claimed, MessageTable } from './table.ts'

/** What became of attempts, for the metrics. */
export type MessageResult = 'sent' | 'refused' | 'postponed' | 'expired'

export type LaneParts = {
  readonly provider: Provider
  readonly table: MessageTable
  readonly devices: PushDevices
  readonly clock: Clock
  readonly log: Log
  readonly observe: (channel: Channel, result: MessageResult) => void
  /** Another way is to be looked for. */
  readonly misplaced: () => void
}

/** Messages on their way at once. A mail server gets few connections, a gateway a handful. */
const atOnce = { push: 16, sms: 8, email: 2 } as const satisfies Record<Channel, number>

const markRetryMs = 1_000

/** One provider at work: takes due messages of its channel, sends some at once, and writes down what became of each. */
export class Lane {
  readonly #parts: LaneParts
  readonly #inWork = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()
  #claiming: Promise<void> | null = null
  #again = false
  #isEnding = false

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  isSending(id: number): boolean {
    return this.#inWork.has(id)
  }

  /** There may be something to send. */
  wake(): void {
    this.#again = !this.#isEnding
    if (this.#claiming || this.#isEnding) return
    this.#claiming = this.#claimAll()
      .catch((error: unknown) => this.#parts.log.warn('Messages cannot be read now.', { error }))
      .finally(() => {
        this.#claiming = null
        if (this.#again) this.wake()
      })
  }

  /** Takes nothing more; what is on its way may end within `graceMs`, and is then given up. */
  async stop(graceMs: number): Promise<void> {
    this.#isEnding = true
    this.#again = false
    const cancel = this.#parts.clock.after(graceMs, () => this.#stopping.abort())
    await this.#claiming
    await Promise.all(this.#inWork.values())
    cancel()
    this.#stopping.abort()
    this.#parts.provider.close?.()
  }

  async #claimAll(): Promise<void> {
    const { provider, table, clock } = this.#parts
    const max = atOnce[provider.channel]
    while (this.#again) {
      this.#again = false
      const free = max - this.#inWork.size
      if (free <= 0) return
      const claimed = await table.claim(provider.channel, free, clock.now())
      for (const message of claimed) this.#start(message)
    }
  }

  #start(message: Claimed): void {
    const work = this.#deliver(message).finally(() => {
      this.#inWork.delete(message.id)
      this.wake()
    })
    this.#inWork.set(message.id, work)
  }

  async #deliver(message: Claimed): Promise<void> {
    const { provider, log } = this.#parts
    const outcome: SendOutcome = message.hasAddress
      ? await provider.send(message, this.#stopping.signal).catch((error: unknown) => {
          log.error('A provider failed on a message.', { channel: provider.channel, message: message.id, error })
          return { kind: 'retryLater', reason: 'An error of the program; see its log.' }
        })
      : { kind: 'refused', reason: 'The device has been forgotten.', addressGone: true }
    await this.#remember(message, outcome)
  }

  /**
   * A message that has been sent is not sent again because the database is away for a while: it is marked when it is
   * back.
   */
  async #remember(message: Claimed, outcome: SendOutcome): Promise<void> {
    const { log, provider, clock } = this.#parts
    for (;;) {
      try {
        await this.#mark(message, outcome)
        return
      } catch (error) {
        log.warn('What became of a message cannot be stored now.', {
          channel: provider.channel,
          message: message.id,
          error,
        })
      }
      // After a stop it is found waiting at the next start, and sent once more.
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
    const { table, devices, clock, provider, misplaced } = this.#parts
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
          if (await table.deviceGone(message.id, outcome.reason, now)) misplaced()
        } else await table.refused(message.id, outcome.reason)
        return observe('refused')
      }
    }
  }
}
