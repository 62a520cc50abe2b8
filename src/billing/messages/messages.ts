import type { Clock } from '../../platform/actors/clock.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { Delivery, type DeliveryParts } from './delivery.ts'
import { defaultFcmUrl, fcm } from './fcm.ts'
import { readFcmCredentials } from './fcm-credentials.ts'
import { type MailingStyle, Mailings } from './mailing/mailings.ts'
import type { Provider } from './message.ts'
import { Notices, type NoticesParts } from './notices.ts'
import { PushDevices } from './push-devices.ts'
import { type SmsGatewayOptions, smsGateway } from './sms-gateway.ts'
import { type OptOutLink, type SmtpOptions, smtp } from './smtp.ts'
import { MessageTable } from './table.ts'

/** The providers an operator has set up. Null: messages of that channel wait and are shown to the operator. */
export type Outgoing = {
  readonly sms: SmsGatewayOptions | null
  readonly fcm: { readonly credentialsFile: string; readonly url: string | null } | null
  readonly smtp: SmtpOptions | null
}

/** Throws StartRefusal when the FCM credentials cannot be used. */
export const providersOf = (
  { fcm: push, sms, smtp: mail }: Outgoing,
  http: OutgoingHttp,
  clock: Clock,
  optOutLink?: OptOutLink,
): Provider[] => [
  ...(push ? [fcm(readFcmCredentials(push.credentialsFile), push.url ?? defaultFcmUrl, http, () => clock.now())] : []),
  ...(sms ? [smsGateway(sms, http)] : []),
  ...(mail ? [smtp(mail, http.destinations, optOutLink)] : []),
]

export type MessagesParts = Pick<DeliveryParts, 'providers' | 'clock' | 'log' | 'observe'> &
  Pick<NoticesParts, 'pool'> & { readonly style: () => MailingStyle }

/** The entry point to messages for the rest of the program. */
export class Messages {
  readonly devices: PushDevices
  readonly notices: Notices
  readonly mailings: Mailings
  readonly #table: MessageTable
  readonly #delivery: Delivery
  readonly #parts: MessagesParts

  constructor(parts: MessagesParts) {
    this.#parts = parts
    this.devices = new PushDevices(parts.pool)
    this.#table = new MessageTable(parts.pool)
    const isQuiet = () => this.mailings.quietUntil() !== null
    this.#delivery = new Delivery({ ...parts, table: this.#table, devices: this.devices, isQuiet })
    const { served } = this.#delivery
    const onWritten = () => this.#delivery.wake()
    this.notices = new Notices({ ...parts, served, onWritten })
    this.mailings = new Mailings({ ...parts, served, onWritten })
  }

  /** Resumes the messages that an earlier run left. Rejects while the database is unavailable. */
  async start(): Promise<void> {
    await this.#delivery.start()
    this.mailings.wake()
  }

  /** Whether a provider for pushes is set up. */
  get hasPush(): boolean {
    return this.#delivery.served.has('push')
  }

  /**
   * Tries a message again at once, whatever happened to it before, unless it has been sent. Asked for by an operator.
   */
  async retry(id: number): Promise<'waiting' | 'sent' | 'missing'> {
    const { clock, style } = this.#parts
    const state = await this.#table.retry(id, {
      now: clock.now(),
      lifetimeHours: style().lifetimeHours,
      isBeingSent: this.#delivery.isSending(id),
    })
    if (state === 'waiting') this.#delivery.wake()
    return state
  }

  /** The number of messages that are neither sent nor given up. */
  countWaiting(): Promise<number> {
    return this.#table.countWaiting()
  }

  async stop(): Promise<void> {
    await this.mailings.stop()
    await this.#delivery.stop()
  }
}
