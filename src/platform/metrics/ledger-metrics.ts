import type { Money } from '../../domain/money.ts'
import { type Flow, roughRubles } from './flows.ts'
import { byLabel, labelValues, outcomeOf, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { unsourced } from './source.ts'

type ActorCounts = { kind: string; live: number; waiting: number }
/** Money that is not settled now. */
type MoneyState = { promises: number; openOrders: number; problems: number }

const turnSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const batchTurns = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Turns of actors, and how they are committed. */
export function actorMetrics(series: Series) {
  const counts = unsourced<readonly ActorCounts[]>()
  series.sourcedGauge('tollgate_actors_live', ['kind'], counts, (all) => all.map(({ kind, live }) => [{ kind }, live]))
  series.sourcedGauge('tollgate_actor_mailbox_depth', ['kind'], counts, (all) =>
    all.map(({ kind, waiting }) => [{ kind }, waiting]),
  )
  const turns = series.histogram('tollgate_actor_turn_seconds', ['kind', 'outcome'], turnSeconds)
  const batches = series.histogram('tollgate_commit_batch_turns', [], batchTurns)
  const commitsTook = series.histogram('tollgate_commit_seconds', ['outcome'], turnSeconds)
  const commits = series.counter('tollgate_commit_outcomes_total', ['commit'])
  return {
    actors: {
      /** Live actors and depth of mailboxes per kind. */
      counts,
      turn: (kind: string, seconds: number, ok: boolean) => turns({ kind, outcome: outcomeOf(ok) }, seconds),
    },
    commits: {
      batch(batch: { turns: number; seconds: number; ok: boolean }) {
        batches({}, batch.turns)
        commitsTook({ outcome: outcomeOf(batch.ok) }, batch.seconds)
      },
      outcome: (commit: Value<'commit'>) => commits({ commit }),
    },
  }
}

/** Money as the provider sees it. */
export function moneyMetrics(series: Series) {
  const operations = series.counter('tollgate_money_operations_total', ['flow'])
  const rubles = series.counter('tollgate_money_rubles_total', ['flow'])
  const payments = series.counter('tollgate_payments_total', ['gateway', 'payment'])
  // The series begin at zero, because Prometheus sees no increase in a series that begins with its first event.
  for (const gateway of labelValues.gateway)
    for (const payment of labelValues.payment) payments({ gateway, payment }, 0)
  const state = unsourced<MoneyState>()
  series.sourcedNumber('tollgate_promises_active', state, ({ promises }) => promises)
  series.sourcedNumber('tollgate_payment_orders_open', state, ({ openOrders }) => openOrders)
  series.sourcedNumber('tollgate_payment_problems_open', state, ({ problems }) => problems)
  const blocks = unsourced<Record<Value<'block'>, number>>()
  series.sourcedGauge('tollgate_subscribers_blocked', ['block'], blocks, (counts) => byLabel('block', counts))
  return {
    money: {
      /** Set `source` to the counts of the tables. */
      state,
      /** Set `source` to the counts of blocked subscribers. */
      blocks,
      moved(flow: Flow, amount: Money) {
        operations({ flow })
        rubles({ flow }, roughRubles(amount))
      },
      payment: (gateway: Value<'gateway'>, payment: Value<'payment'>) => payments({ gateway, payment }),
    },
  }
}

/** Set `source` to what the last verification of the ledger found; null before the first. */
export function ledgerMetrics(series: Series) {
  const ledger = unsourced<{ broken: number; at: Date } | null>()
  series.sourcedNumber('tollgate_ledger_broken_accounts', ledger, (last) => last?.broken ?? null)
  series.sourcedNumber('tollgate_ledger_verified_timestamp_seconds', ledger, (last) => last && last.at.getTime() / 1000)
  return { ledger }
}

/** Set `source` to when the last backup was made; null before the first. */
export function backupMetrics(series: Series) {
  const backup = unsourced<Date | null>()
  series.sourcedNumber('tollgate_backup_timestamp_seconds', backup, (at) => at && at.getTime() / 1000)
  return { backup }
}

/** Set `source` to what the last proof of the reports found; null before the first. */
export function reportMetrics(series: Series) {
  const reports = unsourced<{ wrong: number } | null>()
  series.sourcedNumber('tollgate_reports_wrong_parts', reports, (last) => last?.wrong ?? null)
  return { reports }
}
