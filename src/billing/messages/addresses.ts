import { readPhone } from '../../domain/contacts.ts'
import type { Channel } from './message.ts'

/** The stored addresses of a subscriber, not yet checked. */
export type Addresses = {
  readonly devices: readonly { readonly id: number; readonly platform: string }[]
  readonly sms: string | null
  readonly email: string | null
}

/** A subscriber as messages find him: `addressColumns`. */
export type Addressee = Addresses & { readonly deleted: boolean }

/** SQL: the columns of an Addressee, of the row `abonent` of abonents or of none, and of the id of the subscriber. */
export const addressColumns = (
  subscriber: string,
): string => `sms, email, coalesce(deleted, true) AS deleted, coalesce((
    SELECT json_agg(json_build_object('id', device.id, 'platform', platform) ORDER BY device.id)
    FROM push_devices AS device WHERE device.subscriber_id = ${subscriber}), '[]') AS devices`

/** Where one message goes. `address` is shown to the operator, so for a device it is the platform and not the token. */
export type Destination = { readonly channel: Channel; readonly deviceId: number | null; readonly address: string }

const variableOf = {
  push: 'TOLLGATE_FCM_CREDENTIALS',
  sms: 'TOLLGATE_SMS_URL',
  email: 'TOLLGATE_SMTP_URL',
} as const satisfies Record<Channel, string>

type Destinations =
  | { readonly destinations: readonly [Destination, ...Destination[]] }
  /** Why there is none, for the operator. */
  | { readonly reason: string }

/** The addresses of a message to a subscriber. Nobody writes to one who is deleted. */
export const destinationsFor = ({ deleted, ...addresses }: Addressee, served: ReadonlySet<Channel>): Destinations =>
  deleted ? { reason: 'The subscriber is deleted.' } : destinationsOf(addresses, served)

/**
 * Chooses the addresses of a message: all devices, else the phone, else the mailbox, by the first of these channels
 * that a provider serves.
 */
export function destinationsOf(addresses: Addresses, served: ReadonlySet<Channel>): Destinations {
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
