import { AccountStore } from '../billing/accounts/account-store.ts'
import { AccountActors } from '../billing/accounts/accounts.ts'
import type { LedgerPolicy } from '../billing/accounts/decision.ts'
import { SubscriberActors } from '../billing/accounts/subscribers.ts'
import type { Webhooks } from '../billing/webhooks/webhooks.ts'
import type { SessionTable } from '../network/radius/accounting/session-table.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { asUnavailable } from '../platform/storage/database.ts'
import type { Base } from './base.ts'

/** The only writer of balances, blocks and access switches, and the subscribers seen through it. */
export type Ledger = { readonly accounts: AccountActors; readonly subscribers: SubscriberActors }

/** Opens the ledger, which is closed before what it writes to, so that every accepted command is committed first. */
export function openLedger(
  base: Base,
  sessions: Pick<SessionTable, 'ofSubscriber'>,
  { eventsOf }: Pick<Webhooks, 'eventsOf'>,
): Ledger {
  const { database, settings, metrics, events, followers, clock, nodes, readingTimes, inFlight, onStop } = base
  const store = new AccountStore(database.ledger)
  const observe = {
    turn: metrics.actors.turn,
    commit: { batch: metrics.commits.batch, outcome: metrics.commits.outcome },
  }
  const policy = () => ledgerPolicy(settings)
  const accounts = new AccountActors({
    store,
    events,
    clock,
    asUnavailable,
    policy,
    eventsOf,
    observe,
    callers: inFlight,
    tellsNodes: nodes !== null,
    readingTimes,
  })
  const subscribers = new SubscriberActors({
    store,
    accounts,
    clock,
    sessionsOf: (id) => sessions.ofSubscriber(id),
    policy,
    observe,
  })
  followers.subscribers = subscribers
  onStop(async () => {
    await subscribers.stop()
    await accounts.stop()
  })
  return { accounts, subscribers }
}

const ledgerPolicy = (settings: Settings): LedgerPolicy => ({
  timeZone: settings.get('TIME_ZONE'),
  promise: {
    minDebt: settings.get('LK_PROMISE_PAY_MIN_DEBT'),
    minAgeDays: settings.get('LK_PROMISE_PAY_MIN_AGE_DAYS'),
    cooldownDays: settings.get('LK_PROMISE_PAY_COOLDOWN_DAYS'),
    limitOverride: settings.get('LK_PROMISE_PAY_MAX_LIMIT_OVERRIDE'),
    durationDays: settings.get('LK_PROMISE_PAY_MAX_DURATION_DAYS'),
    operatorFee: settings.get('PROMISE_PAY_OPERATOR_FEE'),
    closesOnPayment: settings.get('LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT'),
  },
})
