import type { Money } from '../../domain/money.ts'
import { type Flow, roughRubles } from './flows.ts'
import { known, labelValues, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { onCollect, unsourced } from './source.ts'

export type ActorCounts = { kind: string; live: number; waiting: number }
/** Money that is not settled now. */
export type MoneyState = { promises: number; openOrders: number; problems: number }
export type BlockState = Record<Value<'block'>, number>
/** What verify_ledger found, and when; null before its first run. */
export type LedgerState = { broken: number; at: Date }

const turnSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const batchTurns = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Turns of actors, and how they are committed. */
export function actorMetrics(series: Series) {
  const actors = unsourced<readonly ActorCounts[]>()
  const turns = series.histogram(
    'tollgate_actor_turn_seconds',
    'Time of one turn of an actor, its commit included.',
    ['kind', 'outcome'],
    turnSeconds,
  )
  const actorsLive = series.gauge('tollgate_actors_live', 'Actors in memory.', ['kind'])
  onCollect(actorsLive, actors, (all) => {
    for (const { kind, live } of all) actorsLive.inc({ kind: known('kind', kind) }, live)
  })
  const mailboxes = series.gauge('tollgate_actor_mailbox_depth', 'Turns that wait in all mailboxes together.', ['kind'])
  onCollect(mailboxes, actors, (all) => {
    for (const { kind, waiting } of all) mailboxes.inc({ kind: known('kind', kind) }, waiting)
  })
  const batches = series.histogram('tollgate_commit_batch_turns', 'Turns committed by one statement.', [], batchTurns)
  const commitSeconds = series.histogram(
    'tollgate_commit_seconds',
    'Time of one group commit.',
    ['outcome'],
    turnSeconds,
  )
  const commits = series.counter('tollgate_commit_outcomes_total', 'Turns by what became of their commit.', ['commit'])

  return {
    actors: {
      /** Live actors and depth of mailboxes per kind. */
      counts: actors,
      turn(kind: string, seconds: number, ok: boolean) {
        turns.observe({ kind: known('kind', kind), outcome: ok ? 'ok' : 'failed' }, seconds)
      },
    },
    commits: {
      batch({ turns: size, seconds, ok }: { turns: number; seconds: number; ok: boolean }) {
        batches.observe(size)
        commitSeconds.observe({ outcome: ok ? 'ok' : 'failed' }, seconds)
      },
      outcome(kind: Value<'commit'>) {
        commits.inc({ commit: known('commit', kind) })
      },
    },
  }
}

/** Money as the provider sees it. */
export function moneyMetrics(series: Series) {
  const operations = series.counter('tollgate_money_operations_total', 'Movements of money by what they are.', ['flow'])
  const rubles = series.counter('tollgate_money_rubles_total', 'Rubles moved, without a sign, by what they are.', [
    'flow',
  ])
  const payments = series.counter(
    'tollgate_payments_total',
    'Notices of payment gateways by what became of them; forged and refused ones credit nothing, unavailable ones come again.',
    ['gateway', 'payment'],
  )
  // The series begin at zero, because Prometheus sees no increase in a series that begins with its first event.
  for (const gateway of labelValues.gateway)
    for (const payment of labelValues.payment) payments.inc({ gateway, payment }, 0)
  const money = unsourced<MoneyState>()
  const promises = series.gauge('tollgate_promises_active', 'Promise payments that are not over.', [])
  onCollect(promises, money, (state) => promises.set(state.promises), false)
  const openOrders = series.gauge(
    'tollgate_payment_orders_open',
    'Online payments begun and neither paid nor closed.',
    [],
  )
  onCollect(openOrders, money, (state) => openOrders.set(state.openOrders), false)
  const problems = series.gauge(
    'tollgate_payment_problems_open',
    'Notices of gateways that were not credited and that nobody has resolved.',
    [],
  )
  onCollect(problems, money, (state) => problems.set(state.problems), false)
  const blocks = unsourced<BlockState>()
  const blocked = series.gauge('tollgate_subscribers_blocked', 'Subscribers by block; one may have several.', ['block'])
  onCollect(blocked, blocks, (counts) => {
    for (const block of labelValues.block) blocked.set({ block }, counts[block])
  })

  return {
    money: {
      /** Set `source` to the counts of the tables. */
      state: money,
      /** Set `source` to the counts of blocked subscribers. */
      blocks,
      moved(flow: Flow, amount: Money) {
        operations.inc({ flow: known('flow', flow) })
        rubles.inc({ flow: known('flow', flow) }, roughRubles(amount))
      },
      payment(gateway: Value<'gateway'>, payment: Value<'payment'>) {
        payments.inc({ gateway: known('gateway', gateway), payment: known('payment', payment) })
      },
    },
  }
}

/** What the last verification of the ledger found. */
export function ledgerMetrics(series: Series) {
  const ledger = unsourced<LedgerState | null>()
  const ledgerBroken = series.gauge(
    'tollgate_ledger_broken_accounts',
    'Accounts that the last verify_ledger found broken.',
    [],
  )
  onCollect(ledgerBroken, ledger, (last) => (last ? ledgerBroken.set(last.broken) : ledgerBroken.remove()), false)
  const ledgerVerified = series.gauge(
    'tollgate_ledger_verified_timestamp_seconds',
    'When the whole ledger was verified last, whatever was found.',
    [],
  )
  onCollect(
    ledgerVerified,
    ledger,
    (last) => (last ? ledgerVerified.set(last.at.getTime() / 1000) : ledgerVerified.remove()),
    false,
  )

  return {
    /** Set `source` to what the last verification of the ledger found. */
    ledger,
  }
}
