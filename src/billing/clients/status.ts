import { type Account, inDebt, isAsleep, type Subscriber } from '../../domain/account.ts'
import { blockReasons } from '../../domain/block.ts'
import type { AccountId, SubscriberId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { formatRubles, type Money, minus, zero } from '../../domain/money.ts'
import { asSentence, dayText, momentText } from '../../domain/wording.ts'
import type { SubscriberStatus } from '../accounts/subscribers.ts'
import { balanceLastsThrough, type ComingCharges, readComingCharges } from './charges-to-come.ts'
import type { ClientParts } from './parts.ts'
import { type LastPayment, type Profile, readProfiles } from './profiles.ts'
import { type ClosedReason, closedWords, noticeWords } from './words.ts'

/**
 * The account status of a client. Null: there is no such subscriber, or it is deleted. Rejects with Unavailable while
 * the database is unavailable.
 */
export async function clientStatus(
  parts: ClientParts,
  id: SubscriberId,
  language: Language,
): Promise<ClientStatus | null> {
  return (await clientStatuses(parts, [id], language)).get(id) ?? null
}

/** The account statuses of many clients, with as many queries as for one. */
async function clientStatuses(
  parts: ClientParts,
  ids: readonly SubscriberId[],
  language: Language,
): Promise<Map<SubscriberId, ClientStatus>> {
  return statusesOf(parts, await readFacts(parts, ids), language)
}

/** What account statuses are made of, as it was at one moment. */
export type StatusFacts = {
  readonly now: Date
  readonly known: readonly SubscriberStatus[]
  readonly accounts: ReadonlyMap<AccountId, Account>
  readonly profiles: Awaited<ReturnType<typeof readProfiles>>
  readonly charges: ReadonlyMap<AccountId, ComingCharges>
}

/** Deleted subscribers are left out. Rejects with Unavailable while the database is unavailable. */
export async function readFacts(parts: ClientParts, ids: readonly SubscriberId[]): Promise<StatusFacts> {
  const now = parts.clock.now()
  const known = (await Promise.all(ids.map((id) => parts.subscribers.status(id)))).filter(
    (status) => status !== null && !status.subscriber.deleted,
  ) as SubscriberStatus[]
  const accounts = new Map<AccountId, Account>()
  for (const { account } of known) {
    // The copies of an account's subscribers may differ for a moment; the newest one counts.
    if (account.version >= (accounts.get(account.id)?.version ?? 0)) accounts.set(account.id, account)
  }
  const [charges, profiles] = await Promise.all([
    readComingCharges(parts, accounts),
    readProfiles(
      parts,
      known.map(({ subscriber }) => subscriber.id),
      now,
    ),
  ])
  return { now, known, accounts, profiles, charges }
}

export function statusesOf(
  parts: Pick<ClientParts, 'settings'>,
  { now, known, accounts, profiles, charges }: StatusFacts,
  language: Language,
): Map<SubscriberId, ClientStatus> {
  const byAccount = new Map<AccountId, AccountFacts>()
  const statuses = new Map<SubscriberId, ClientStatus>()
  for (const {
    account: { id },
    subscriber,
  } of known) {
    const read = profiles.get(subscriber.id)
    if (!read) continue
    const facts = byAccount.get(id) ?? accountFacts(parts, accounts.get(id)!, charges.get(id)!, read.paid, now)
    byAccount.set(id, facts)
    statuses.set(subscriber.id, statusOf(parts, facts, subscriber, read.profile, language))
  }
  return statuses
}

/** What the statuses of all subscribers of an account have in common. */
export type AccountFacts = ReturnType<typeof accountFacts>

export function accountFacts(
  parts: Pick<ClientParts, 'settings'>,
  account: Account,
  charges: ComingCharges,
  paid: LastPayment | null,
  now: Date,
) {
  const zone = parts.settings.get('TIME_ZONE')
  return {
    account,
    now,
    zone,
    balance: formatRubles(account.balance),
    until: balanceLastsThrough(parts, account, charges, now),
    /** The date is DD.MM.YYYY. */
    last_payment: paid && { amount: formatRubles(paid.amount), date: dayText(paid.at, zone) },
  }
}

/** The account status object of specification 4.9. Amounts are rubles as `-12.50`. */
export type ClientStatus = Readonly<ReturnType<typeof statusOf>>

export function statusOf(
  parts: Pick<ClientParts, 'settings'>,
  { account, now, zone, balance, until, last_payment }: AccountFacts,
  subscriber: Subscriber,
  profile: Profile,
  language: Language,
) {
  const closed = closedReason(account, subscriber, now)
  const mayLast = closed === null || (closed === 'asleep' && !inDebt(account, now))
  return {
    abonent_id: subscriber.id,
    name: profile.name,
    contract_number: profile.contract_number,
    balance,
    tariff_name: profile.tariff_name,
    tariff_id: profile.tariff_id,
    speed_mbit: profile.speed_mbit,
    monthly_cost: profile.monthly_cost,
    is_blocked: closed !== null,
    /** A sentence for the client, '' while access is open. */
    block_reason: closed === null ? '' : closedText(closed, account, language, zone),
    has_promise_pay: subscriber.promise !== null,
    promise_pay_end: subscriber.promise?.until ?? null,
    /**
     * `2026-12-31`: the last day on which access is open if nobody pays. A subscriber may be blocked while the
     * account's other subscribers are not; then the date would mislead.
     */
    balance_until_date: mayLast ? until : null,
    address: profile.address,
    email: profile.email,
    sms: profile.sms,
    /** A notice for the client, '' when there is none. */
    notification: noticeOf(parts, account, subscriber, language, now),
    last_payment,
  }
}

/** Why access is closed. Null: it is open. Debt comes first, because the client can do something about it. */
function closedReason(account: Account, subscriber: Subscriber, now: Date): ClosedReason | null {
  const reason = blockReasons.find((name) => subscriber.blocks[name])
  if (reason) return reason
  if (isAsleep(account, now)) return 'asleep'
  return subscriber.enabled ? null : 'switchedOff'
}

function closedText(reason: ClosedReason, account: Account, language: Language, zone: string): string {
  const words = asSentence(closedWords[language][reason])
  if (reason !== 'asleep' || !account.sleepUntil) return words
  return noticeWords[language].closedUntil(words, dayText(account.sleepUntil, zone))
}

/** The payment that ends the debt and opens access. Zero without a debt. */
export const missingToOpen = (account: Account, now: Date): Money =>
  inDebt(account, now) ? minus(account.limit, account.balance) : zero

function noticeOf(
  { settings }: Pick<ClientParts, 'settings'>,
  account: Account,
  { promise, blocks }: Subscriber,
  language: Language,
  now: Date,
): string {
  const words = noticeWords[language]
  if (blocks.debt) return words.topUpToOpen(missingToOpen(account, now))
  const noticeMs = settings.get('LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS') * 3_600_000
  if (promise && promise.until.getTime() - now.getTime() <= noticeMs) {
    return words.promiseEnds(momentText(promise.until, settings.get('TIME_ZONE')))
  }
  return account.warnBelow !== null && account.balance < account.warnBelow ? words.lowBalance : ''
}
