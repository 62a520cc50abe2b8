/** The ways a message can reach a client, the best first: a push costs nothing and says who it is from. */
const channels = ['push', 'sms', 'email'] as const

export type Channel = (typeof channels)[number]

/** One message to one address, ready to be sent. */
export type Message = {
  /** notifications.id: the same again when a message is sent a second time. */
  readonly id: number
  /** The template it was made from. */
  readonly kind: string
  /** Token of a device, digits of a phone with the country code, or an e-mail address. */
  readonly to: string
  readonly title: string
  readonly text: string
}

/** What became of one attempt. Reasons are for the operator and hold no secret. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  /** Final: another attempt would end in the same way. `addressGone`: nobody will ever be reached there. */
  | { readonly kind: 'refused'; readonly reason: string; readonly addressGone?: true }
  /** Nothing is known to have been sent. `afterMs`: when the provider wants to be asked again. */
  | { readonly kind: 'retryLater'; readonly reason: string; readonly afterMs?: number }

/** One way out. It never throws for what the other side does: that is an outcome. */
export type Provider = {
  readonly channel: Channel
  /** Gives up after `sendTimeoutMs`, or as soon as `stopping` is aborted. */
  send(message: Message, stopping: AbortSignal): Promise<SendOutcome>
  close?(): void
}

/** Long enough for a slow gateway, short enough for a stop. */
export const sendTimeoutMs = 10_000
