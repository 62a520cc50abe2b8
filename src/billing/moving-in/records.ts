import type { Money } from '../../domain/money.ts'
import type { NasType } from '../../domain/nas.ts'

/**
 * What another billing or RADIUS server knows, in one form whatever it is read from. A source is a stream of these:
 * tariffs and NAS before the subscribers, and whatever cannot be carried over as a remark. `place` is where an operator
 * finds it there, such as `radcheck "ivan"` or `clients.conf line 12`.
 */
export type MovedRecord = MovedTariff | MovedNas | MovedSubscriber | Remark

export type MovedTariff = {
  readonly kind: 'tariff'
  readonly place: string
  readonly name: string
  /** A month. */
  readonly price: Money
  /** Null: unlimited. */
  readonly speed: Speed | null
  /** Attributes of every Access-Accept of its logins, besides the speed. */
  readonly reply: readonly ReplyLine[]
}

/** In kbit/s, as the client sees it. */
export type Speed = { readonly downKbit: number; readonly upKbit: number }

/** As Users.radius_reply and Tarif.radius_reply have it. */
export type ReplyLine = { readonly name: string; readonly value: string | number; readonly op?: '=' | '+=' }

export type MovedNas = {
  readonly kind: 'nas'
  readonly place: string
  readonly name: string
  /** An address, or a network as CIDR. */
  readonly address: string
  /** The NAS-Identifier, where it alone tells apart those of one address. */
  readonly identifier: string | null
  readonly secret: string
  readonly type: NasType
  readonly comment: string | null
}

/** A person or company with an account. A second run knows it again by its contract number. */
export type MovedSubscriber = {
  readonly kind: 'subscriber'
  readonly place: string
  readonly contractNumber: string
  readonly name: string
  readonly company: boolean
  readonly email: string | null
  readonly phone: string | null
  readonly address: string | null
  readonly comment: string | null
  /** The name of a tariff of the same source, or of one that exists already. */
  readonly tariff: string | null
  readonly balance: Money
  /** Blocked below this balance; null: below zero. */
  readonly limit: Money | null
  readonly blocked: 'operator' | 'client' | null
  /** An open promise payment. */
  readonly promise: { readonly amount: Money; readonly until: Date } | null
  readonly logins: readonly MovedLogin[]
}

export type MovedLogin = {
  readonly place: string
  readonly login: string
  readonly password: MovedPassword
  /** IPv4. */
  readonly ip: string | null
  readonly ipv6Prefix: string | null
  readonly delegatedIpv6Prefix: string | null
  readonly mac: string | null
  /** The name of a pool of addresses that exists here. */
  readonly pool: string | null
  /** Null: one. */
  readonly simultaneousUse: number | null
  readonly vlan: number | null
  readonly reply: readonly ReplyLine[]
  readonly disabled: boolean
}

/** What is known of a password. */
export type MovedPassword =
  /** As Users.password stores it: clear, or a hash with its scheme in front (domain/login-password.ts). */
  | { readonly kind: 'readable'; readonly stored: string }
  /** `why` completes "The password …". The login is made with one that nobody knows. */
  | { readonly kind: 'unreadable'; readonly why: string }

/** Something that Tollgate cannot take over, or takes over otherwise. */
export type Remark = {
  readonly kind: 'remark'
  readonly place: string
  /** The same words for the same reason, so that a report can count them. */
  readonly text: string
}

export const remark = (place: string, text: string): Remark => ({ kind: 'remark', place, text })

/** A login of which nothing but its name and password is known. */
export const plainLogin = (place: string, login: string, password: MovedPassword): MovedLogin => ({
  ...{ place, login, password, ip: null, ipv6Prefix: null, delegatedIpv6Prefix: null, mac: null, pool: null },
  ...{ simultaneousUse: null, vlan: null, reply: [], disabled: false },
})

/** A subscriber of whom nothing but a number and a name is known. */
export const plainSubscriber = (place: string, contractNumber: string, name: string): MovedSubscriber => ({
  ...{ kind: 'subscriber', place, contractNumber, name, company: false, email: null, phone: null, address: null },
  ...{ comment: null, tariff: null, balance: 0n as Money, limit: null, blocked: null, promise: null, logins: [] },
})
