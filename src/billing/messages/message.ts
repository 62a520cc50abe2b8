import type { SubscriberId } from '../../domain/ids.ts'

/** The ways to reach a client, preferred first: a push costs nothing and shows its sender. */
export type Channel = 'push' | 'sms' | 'email'

/** One message to one address, ready to be sent. */
export type Message = {
  /** notifications.id, which stays the same when a message is sent again. */
  readonly id: number
  /** The template it was made from. */
  readonly kind: string
  /** Token of a device, digits of a phone with the country code, or an e-mail address. */
  readonly to: string
  readonly title: string
  readonly text: string
  /** Of a mailing: whose opt-out its link records. Null: it is about the client's own account. */
  readonly mailingTo: SubscriberId | null
}

/** The outcome of one attempt. Reasons are shown to the operator and hold no secret. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  /** Final: another attempt would end in the same way. `addressGone`: the address will never work again. */
  | { readonly kind: 'refused'; readonly reason: string; readonly addressGone?: true }
  /** The message may not have been sent. `afterMs`: the delay the provider asked for. */
  | { readonly kind: 'retryLater'; readonly reason: string; readonly afterMs?: number }

/** Sends messages over one channel. What the other side does is an outcome and never an exception. */
export type Provider = {
  readonly channel: Channel
  /** Gives up after `sendTimeoutMs`, or as soon as `stopping` is aborted. */
  send(message: Message, stopping: AbortSignal): Promise<SendOutcome>
  close?(): void
}

/** Long enough for a slow gateway, and short enough for the program to stop in time. */
export const sendTimeoutMs = 10_000
