import { readPhone } from '../../domain/contacts.ts'
import type { Channel } from './message.ts'

/** The stored addresses of a subscriber, not yet checked. */
export type Addresses = {
  readonly devices: readonly { readonly id: number; readonly platform: string }[]
  readonly sms: string | null
  readonly email: string | null
}

/** Where one message goes. `address` is shown to the operator, so for a device it is the platform and not the token. */
export type Destination = { readonly channel: Channel; readonly deviceId: number | null; readonly address: string }

const variableOf = {
  push: 'TOLLGATE_FCM_CREDENTIALS',
  sms: 'TOLLGATE_SMS_URL',
  email: 'TOLLGATE_SMTP_URL',
} as const satisfies Record<Channel, string>

/**
 * Chooses the addresses of a message: all devices, else the phone, else the mailbox, by the first of these channels
 * that a provider serves. `reason` tells the operator why there is none.
 */
export function destinationsOf(
  addresses: Addresses,
  served: ReadonlySet<Channel>,
): { readonly destinations: readonly [Destination, ...Destination[]] } | { readonly reason: string } {
  const known = knownDestinations(addresses)
  for (const { channel } of known) {
    const [first, ...others] = served.has(channel) ? known.filter((destination) => destination.channel === channel) : []
    if (first) return { destinations: [first, ...others] }
  }
  if (known.length === 0) return { reason: 'The subscriber has no device, phone or e-mail address.' }
  const variables = [...new Set(known.map(({ channel }) => variableOf[channel]))]
  return { reason: `No provider is set up for it: ${variables.join(' or ')}.` }
}

function knownDestinations({ devices, sms, email }: Addresses): Destination[] {
  const phone = readPhone(sms)
  const mailbox = email?.trim() ?? ''
  return [
    ...devices.map(({ id, platform }): Destination => ({ channel: 'push', deviceId: id, address: platform })),
    ...(phone === null ? [] : [{ channel: 'sms', deviceId: null, address: phone } as const]),
    ...(mailbox.includes('@') ? [{ channel: 'email', deviceId: null, address: mailbox } as const] : []),
  ]
}
