import { phoneDigitsSql, readPhone } from '../../domain/contacts.ts'
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

/** What is written with a message. */
export type WrittenAddress = {
  readonly channel?: Channel
  readonly device_id?: number | null
  readonly address?: string
}

/** Its address, or nothing where it goes to several devices and the delivery will copy it for them. */
export const writtenAddress = ([first, ...others]: readonly [Destination, ...Destination[]]): WrittenAddress =>
  others.length > 0 ? {} : { channel: first.channel, device_id: first.deviceId, address: first.address }

const variableOf = {
  push: 'TOLLGATE_FCM_CREDENTIALS',
  sms: 'TOLLGATE_SMS_URL',
  email: 'TOLLGATE_SMTP_URL',
} as const satisfies Record<Channel, string>

/** Why nobody can write to a subscriber. */
export type Unreachable = 'deleted' | 'no_address' | 'no_provider'

type Destinations =
  | { readonly destinations: readonly [Destination, ...Destination[]] }
  /** The reason in words is for the operator. */
  | { readonly code: Unreachable; readonly reason: string }

/** The addresses of a message to a subscriber. Nobody writes to one who is deleted. */
export const destinationsFor = (
  { deleted, ...addresses }: Addressee,
  served: ReadonlySet<Channel>,
  only: Channel | null = null,
): Destinations =>
  deleted ? { code: 'deleted', reason: 'The subscriber is deleted.' } : destinationsOf(addresses, served, only)

const missing = { push: 'device', sms: 'phone', email: 'e-mail address' } as const satisfies Record<Channel, string>

/**
 * Chooses the addresses of a message: all devices, else the phone, else the mailbox, by the first of these channels
 * that a provider serves. `only`: by no other channel than this.
 */
export function destinationsOf(
  addresses: Addresses,
  served: ReadonlySet<Channel>,
  only: Channel | null = null,
): Destinations {
  const known = knownDestinations(addresses).filter(({ channel }) => only === null || channel === only)
  for (const { channel } of known) {
    const [first, ...others] = served.has(channel) ? known.filter((destination) => destination.channel === channel) : []
    if (first) return { destinations: [first, ...others] }
  }
  if (known.length === 0) {
    const what = only === null ? 'device, phone or e-mail address' : missing[only]
    return { code: 'no_address', reason: `The subscriber has no ${what}.` }
  }
  const variables = [...new Set(known.map(({ channel }) => variableOf[channel]))]
  return { code: 'no_provider', reason: `No provider is set up for it: ${variables.join(' or ')}.` }
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

/** SQL: whether the row of abonents has an address of a channel, as `knownDestinations` finds them. */
const hasAddressSql = {
  push: (row: string) => `EXISTS (SELECT FROM push_devices WHERE subscriber_id = ${row}.id)`,
  // Nearly every phone is written in digits behind a plus. Of a million a pattern would take twice as long to say so.
  sms: (row: string) =>
    `coalesce(length(${row}.sms) BETWEEN 8 AND 15 AND rtrim(${row}.sms, '0123456789') IN ('', '+') OR length(${phoneDigitsSql(`${row}.sms`)}) BETWEEN 7 AND 15, false)`,
  email: (row: string) => `coalesce(${row}.email LIKE '%@%', false)`,
} as const satisfies Record<Channel, (row: string) => string>

const preferred = ['push', 'sms', 'email'] as const satisfies readonly Channel[]

/** SQL: the channel of a message to the row of abonents, or the code of why there is none: `destinationsFor`. */
export function reachSql(row: string, served: ReadonlySet<Channel>, only: Channel | null): string {
  const allowed = preferred.filter((channel) => only === null || channel === only)
  const cases = allowed
    .filter((channel) => served.has(channel))
    .map((one) => `WHEN ${hasAddressSql[one](row)} THEN '${one}'`)
  const isKnown = allowed.map((channel) => hasAddressSql[channel](row)).join(' OR ')
  return `CASE WHEN ${row}.deleted THEN 'deleted' ${cases.join(' ')} WHEN ${isKnown} THEN 'no_provider' ELSE 'no_address' END`
}
