import { normalMac } from '../../../domain/mac.ts'
import { type MovedLogin, type MovedPassword, type MovedRecord, type MovedSubscriber, remark } from '../records.ts'
import { type Group, ownLines } from './groups.ts'
import type { Checks, Replies } from './items.ts'

/** A user as the tables or the file `users` of FreeRADIUS have it. */
export type RadiusUser = {
  readonly place: string
  readonly username: string
  readonly checks: Checks
  readonly replies: Replies
  /** Those that count for it, the first first. */
  readonly groups: readonly Group[]
}

/** The tariff of a user: its name, and the group whose attributes come with it. */
export type UserTariff = { readonly name: string | null; readonly group: Group | null }

/** A user is a subscriber with one login. `whose`: what else is known of him. */
export function* userRecords(user: RadiusUser, whose: MovedSubscriber, tariff: UserTariff): Generator<MovedRecord> {
  const { place, username, checks, replies, groups } = user
  yield* remarksOf(place, user)
  const further = groups.filter((group) => group !== tariff.group).map((group) => group.replies.lines)
  const isRejected = checks.rejects || groups.some((group) => group.checks.rejects)
  const login: MovedLogin = {
    ...{ place, login: username, password: passwordOf(checks), ip: replies.ip, ipv6Prefix: replies.ipv6Prefix },
    ...{ delegatedIpv6Prefix: replies.delegatedIpv6Prefix, mac: checks.mac ?? macOf(username, checks) },
    pool: checks.pool ?? groups.map((group) => group.checks.pool).find(Boolean) ?? null,
    simultaneousUse:
      checks.simultaneousUse ??
      groups.map((group) => group.checks.simultaneousUse).find((count) => count !== null) ??
      null,
    ...{ vlan: null, reply: ownLines(replies.lines, tariff.group?.replies.lines ?? [], further), disabled: false },
  }
  yield { ...whose, tariff: tariff.name, blocked: isRejected ? 'operator' : null, logins: [login] }
}

export function* remarksOf(
  place: string,
  { checks, replies }: Pick<Group, 'checks' | 'replies'>,
): Generator<MovedRecord> {
  for (const text of [...checks.remarks, ...replies.remarks]) yield remark(place, text)
}

/** Where any password was right, a device without one signs in by its MAC address. */
const macOf = (username: string, { accepts }: Checks): string | null => (accepts ? normalMac(username) : null)

function passwordOf({ password, accepts }: Checks): MovedPassword {
  if (password !== null) return password
  return { kind: 'unreadable', why: accepts ? 'did not matter there (Auth-Type := Accept)' : 'is not there' }
}
