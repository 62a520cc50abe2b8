import { readPhone } from '../../domain/contacts.ts'
import type { Channel } from './message.ts'

/** Where a subscriber can be reached, as the tables have it. */
export type Addresses = {
  readonly devices: readonly { readonly id: number; readonly platform: string }[]
  readonly sms: string | null
  readonly email: string | null
}

/** One address of one message. `address` is shown to the operator, so of a device it is the platform and not the token. */
export type Place = { readonly channel: Channel; readonly deviceId: number | null; readonly address: string }

const variableOf = {
  push: 'TOLLGATE_FCM_CREDENTIALS',
  sms: 'TOLLGATE_SMS_URL',
  email: 'TOLLGATE_SMTP_URL',
} as const satisfies Record<Channel, string>

/** Pure. Every device where there is one, else the phone, else the mailbox: the first of these that a provider serves. */
export function placesOf(
  addresses: Addresses,
  served: ReadonlySet<Channel>,
): { readonly places: readonly [Place, ...Place[]] } | { readonly none: string } {
  const known = knownPlaces(addresses)
  for (const { channel } of known) {
    const [first, ...others] = served.has(channel) ? known.filter((place) => place.channel === channel) : []
    if (first) return { places: [first, ...others] }
  }
  if (known.length === 0) return { none: 'The subscriber has no device, phone or e-mail address.' }
  const variables = [...new Set(known.map(({ channel }) => variableOf[channel]))]
  return { none: `No provider is set up for it: ${variables.join(' or ')}.` }
}

function knownPlaces({ devices, sms, email }: Addresses): Place[] {
  const phone = readPhone(sms)
  const mailbox = email?.trim() ?? ''
  return [
    ...devices.map(({ id, platform }): Place => ({ channel: 'push', deviceId: id, address: platform })),
    ...(phone === null ? [] : [{ channel: 'sms', deviceId: null, address: phone } as const]),
    ...(mailbox.includes('@') ? [{ channel: 'email', deviceId: null, address: mailbox } as const] : []),
  ]
}
