import type { Pool } from 'pg'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { Delivery, type DeliveryParts } from './delivery.ts'
import { fcm, usualFcmUrl } from './fcm.ts'
import { readFcmCredentials } from './fcm-credentials.ts'
import type { Provider } from './message.ts'
import { Notices, type ShownMessage, type Style } from './notices.ts'
import { PushDevices } from './push-devices.ts'
import { type SmsGatewayOptions, smsGateway } from './sms-gateway.ts'
import { type SmtpOptions, smtp } from './smtp.ts'
import { MessageTable } from './table.ts'

/** The providers an operator has set up; null: what would go there waits and is shown. */
export type Outgoing = {
  readonly sms: SmsGatewayOptions | null
  readonly fcm: { readonly credentialsFile: string; readonly url: string | null } | null
  readonly smtp: SmtpOptions | null
}

/** Throws StartRefusal where the credentials of FCM cannot be used. */
export const providersOf = (outgoing: Outgoing, clock: Clock): Provider[] => [
  ...(outgoing.fcm
    ? [
        fcm({
          credentials: readFcmCredentials(outgoing.fcm.credentialsFile),
          url: outgoing.fcm.url ?? usualFcmUrl,
          now: () => clock.now(),
        }),
      ]
    : []),
  ...(outgoing.sms ? [smsGateway(outgoing.sms)] : []),
  ...(outgoing.smtp ? [smtp(outgoing.smtp)] : []),
]

export type MessagesParts = {
  readonly pool: Pool
  readonly providers: readonly Provider[]
  readonly style: () => Style
  readonly clock: Clock
  readonly log: Log
  readonly observe: DeliveryParts['observe']
}

/** What the rest of the program asks of messages. */
export class Messages {
  readonly devices: PushDevices
  readonly notices: Notices
  readonly #table: MessageTable
  readonly #delivery: Delivery
  readonly #parts: MessagesParts
  readonly #shownListeners: ((messages: readonly ShownMessage[]) => void)[] = []

  constructor(parts: MessagesParts) {
    this.#parts = parts
    this.devices = new PushDevices(parts.pool)
    this.#table = new MessageTable(parts.pool)
    this.#delivery = new Delivery({ ...parts, table: this.#table, devices: this.devices })
    this.notices = new Notices({
      ...parts,
      written: () => this.#delivery.wake(),
      shown: (messages) => {
        for (const listener of this.#shownListeners) listener(messages)
      },
    })
  }

  /** Takes up what an earlier run left. Rejects while the database is away. */
  start(): Promise<void> {
    return this.#delivery.start()
  }

  /**
   * Each message as soon as it is certain to be in the history, whatever channel it goes by. The listener must not
   * throw.
   */
  onWritten(listener: (messages: readonly ShownMessage[]) => void): void {
    this.#shownListeners.push(listener)
  }

  /** Whether somebody sends pushes. */
  get hasPush(): boolean {
    return this.#delivery.isServed('push')
  }

  /**
   * An operator wants a message to be tried at once, whatever became of it before. What has been sent is not sent
   * again.
   */
  async retry(id: number): Promise<'waiting' | 'sent' | 'missing'> {
    // On its way already; beginning anew would send it twice.
    if (this.#delivery.isSending(id)) return 'waiting'
    const { clock, style } = this.#parts
    const state = await this.#table.retry(id, clock.now(), style().lifetimeHours)
    if (state === 'waiting') this.#delivery.wake()
    return state
  }

  /** Messages that have not been sent and are not given up. */
  countWaiting(): Promise<number> {
    return this.#table.countWaiting()
  }

  stop(): Promise<void> {
    return this.#delivery.stop()
  }
}
