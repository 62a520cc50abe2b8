import { type Account, type Subscriber, subscribersById } from '../../domain/account.ts'
import { dayOf } from '../../domain/calendar.ts'
import type { EventOf } from '../../domain/events.ts'
import type { AccountId, SubscriberId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { sameMoment } from '../../domain/moments.ts'
import { isPayment, type Operation } from '../../domain/operation.ts'
import type { Change } from '../../platform/storage/changes.ts'
import type { ComingCharges } from './charges-to-come.ts'
import type { ClientParts } from './parts.ts'
import type { ReadProfile } from './profiles.ts'
import {
  type AccountFacts,
  accountFacts,
  type ClientStatus,
  readFacts,
  type StatusFacts,
  statusesOf,
  statusOf,
} from './status.ts'

/** What was read for the statuses of one account and stays as it is when a payment is all that happens. */
type Held = {
  version: number
  readonly charges: ComingCharges
  /** All subscribers of the account, because its charges are those of all. */
  readonly members: readonly SubscriberId[]
  /** Of the subscribers whose statuses were read. */
  readonly profiles: Map<SubscriberId, ReadProfile>
}

/** The status of a subscriber after a commit; null when it has to be read. */
export type StatusAfter = (id: SubscriberId, language: Language) => ClientStatus | null

const unknown: StatusAfter = () => null

/**
 * How many profiles and members are held in all. A phone of an account of its own is one of each, about a kilobyte
 * together, beside the eight of its socket.
 */
const heldMax = 100_000

/**
 * The account statuses of clients who are watching. A payment changes nothing of a status but what the account itself
 * says, so names, tariffs and charges are held, and the thousand phones of a company have their statuses after a
 * payment without any statement. Everything else that happens to an account, and every notice of a change by others,
 * makes the next status of the account be read. What was held before the day began is read again as well, and a profile
 * one of whose services has ended.
 */
export class HeldStatuses {
  readonly #parts: ClientParts
  readonly #accounts = new Map<AccountId, Held>()
  #size = 0
  /** Grows with every notice, so that what was read before a change is not held after it. */
  #notices = 0

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** Reads statuses and holds what they are made of. Rejects with Unavailable while the database is unavailable. */
  async read(ids: readonly SubscriberId[], language: Language): Promise<ReadonlyMap<SubscriberId, ClientStatus>> {
    const noticesBefore = this.#notices
    const facts = await readFacts(this.#parts, ids)
    if (noticesBefore === this.#notices) this.#hold(facts)
    return statusesOf(this.#parts, facts, language)
  }

  /** To be called for every commit, in order. */
  committed({ before, after, operations }: EventOf<'accountCommitted'>): StatusAfter {
    const held = this.#accounts.get(after.id)
    if (!held) return unknown
    const paid = operations.at(-1)
    if (!paid || held.version !== before.version || !onlyPaid(before, after, operations)) {
      this.#forget(after.id)
      return unknown
    }
    held.version = after.version
    return this.#statusAfter(held, after, { amount: paid.amount, at: paid.movedAt })
  }

  /** Others than the ledger have changed rows. */
  noticed({ table, ids }: Change): void {
    if (!tables.has(table)) return
    this.#notices++
    const named = new Set<number>(ids === '*' ? [] : ids)
    for (const [id, { members }] of this.#accounts) {
      const isConcerned =
        ids === '*' ||
        (table === 'admin_accounts' ? named.has(id) : !ofSubscribers.has(table) || members.some((id) => named.has(id)))
      if (isConcerned) this.#forget(id)
    }
  }

  #statusAfter(held: Held, account: Account, paid: { amount: Operation['amount']; at: Date }): StatusAfter {
    const parts = this.#parts
    let facts: AccountFacts | null = null
    let subscribers: ReadonlyMap<SubscriberId, Subscriber> | null = null
    return (id, language) => {
      const read = held.profiles.get(id)
      if (!read || this.#accounts.get(account.id) !== held || held.version !== account.version) return null
      if (!facts) {
        const now = parts.clock.now()
        if (dayOf(now, parts.settings.get('TIME_ZONE')) !== held.charges.today) return null
        facts = accountFacts(parts, account, held.charges, paid, now)
      }
      if (read.until && read.until <= facts.now) return null
      subscribers ??= subscribersById(account)
      const subscriber = subscribers.get(id)
      return subscriber ? statusOf(parts, facts, subscriber, read.profile, language) : null
    }
  }

  #hold({ known, accounts, profiles, charges }: StatusFacts): void {
    for (const account of accounts.values()) this.#holdAccount(account, charges.get(account.id)!)
    for (const { account, subscriber } of known) {
      const held = this.#accounts.get(account.id)
      const read = profiles.get(subscriber.id)
      if (!held || !read || held.version !== account.version) continue
      this.#size += held.profiles.has(subscriber.id) ? 0 : 1
      held.profiles.set(subscriber.id, read)
    }
    for (const id of this.#accounts.keys()) {
      if (this.#size <= heldMax) break
      this.#forget(id)
    }
  }

  /** Profiles of other subscribers of the account that are held already stay, because none of them has changed. */
  #holdAccount(account: Account, charges: ComingCharges): void {
    const before = this.#accounts.get(account.id)
    if (before && before.version > account.version) return
    this.#forget(account.id)
    const profiles = before?.version === account.version ? before.profiles : new Map<SubscriberId, ReadProfile>()
    const members = account.subscribers.map(({ id }) => id)
    this.#accounts.set(account.id, { version: account.version, charges, members, profiles })
    this.#size += members.length + profiles.size
  }

  #forget(id: AccountId): void {
    const held = this.#accounts.get(id)
    if (!held) return
    this.#accounts.delete(id)
    this.#size -= held.members.length + held.profiles.size
  }
}

/** Tables by whose notices one subscriber is named, and all tables that a status depends on. */
const ofSubscribers: ReadonlySet<Change['table']> = new Set(['abonents', 'users_uslugas'])
const tables: ReadonlySet<Change['table']> = new Set([
  ...ofSubscribers,
  'admin_accounts',
  'tarifs',
  'uslugas',
  'system_settings',
])

/** Whether a commit did nothing to the account that its charges or the profiles of its subscribers depend on. */
const onlyPaid = (before: Account, after: Account, operations: readonly Operation[]): boolean =>
  operations.every(({ typeId, amount, reversalOf }) => isPayment(typeId, amount) && reversalOf === null) &&
  sameMoment(before.sleepUntil, after.sleepUntil) &&
  before.subscribers.length === after.subscribers.length &&
  after.subscribers.every((is, index) => sameCharges(before.subscribers[index]!, is))

const sameCharges = (was: Subscriber, is: Subscriber): boolean =>
  was === is ||
  (was.id === is.id &&
    was.deleted === is.deleted &&
    was.tariffId === is.tariffId &&
    was.blocks.client === is.blocks.client &&
    sameMoment(was.chargedFrom, is.chargedFrom))
