import type { AccountActors } from '../billing/accounts/accounts.ts'
import { readBlockCounts } from '../billing/accounts/block-counts.ts'
import { readMoneyCounts } from '../billing/accounts/money-counts.ts'
import type { SubscriberActors } from '../billing/accounts/subscribers.ts'
import type { Outbox } from '../billing/effects/outbox.ts'
import type { FiscalQueue } from '../billing/fiscal/queue.ts'
import type { Messages } from '../billing/messages/messages.ts'
import type { Live } from '../live/live.ts'
import type { Phones } from '../live/phones.ts'
import type { AccessBook } from '../network/access/book.ts'
import type { Accounting } from '../network/radius/accounting/accounting.ts'
import type { SessionBook } from '../network/radius/accounting/sessions.ts'
import type { Spool } from '../network/radius/accounting/spool.ts'
import type { RadiusEngine } from '../network/radius/engine.ts'
import { flowOf } from '../platform/metrics/flows.ts'
import type { LedgerState, Metrics } from '../platform/metrics/metrics.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Followers } from './event-followers.ts'

/** The parts of the program that Prometheus looks into. */
export type Observed = {
  radius: RadiusEngine
  accounting: Accounting
  spool: Spool
  sessions: SessionBook
  book: AccessBook
  accounts: AccountActors
  subscribers: SubscriberActors
  outbox: Outbox
  messages: Messages
  live: Live
  phones: Pick<Phones, 'sockets'>
  database: Database
  fiscal: FiscalQueue
  /** Of the whole database, whichever program has run it. */
  lastVerification: () => Promise<LedgerState | null>
}

/** Gives every metric its source. Sources are read when Prometheus asks, so that counting costs the hot paths nothing. */
export function showOutside(metrics: Metrics, parts: Observed): void {
  const { radius, accounting, spool, sessions, book, accounts, subscribers, outbox, live, phones, database } = parts
  const { pool, ledger } = database
  metrics.radius.source = () => radius.snapshot()
  metrics.accounting.counts.source = () => accounting.counts
  metrics.accounting.spool.source = () => spool.bytes
  metrics.sessions.live.source = () => sessions.size
  metrics.access.entries.source = () => book.table.size
  metrics.access.bytes.source = () => book.table.usedBytes
  metrics.actors.counts.source = () => [
    { kind: 'account', live: accounts.awake, waiting: accounts.waiting },
    { kind: 'subscriber', live: subscribers.awake, waiting: subscribers.waiting },
  ]
  metrics.outbox.pending.source = () => outbox.inWork
  metrics.money.state.source = () => readMoneyCounts(pool)
  metrics.money.blocks.source = async () => {
    const { b_negbal: negbal, b_admin: admin, b_own: own, b_sys: sys } = await readBlockCounts(pool, null)
    return { negbal, admin, own, sys }
  }
  metrics.messages.waiting.source = () => parts.messages.countWaiting()
  metrics.fiscal.queue.source = () => parts.fiscal.counts()
  metrics.ledger.source = parts.lastVerification
  metrics.live.sockets.source = () => ({ admin: live.sockets, mobile: phones.sockets })
  metrics.database.source = () => ({
    up: database.isUp(),
    used: pool.totalCount + ledger.totalCount - pool.idleCount - ledger.idleCount,
    idle: pool.idleCount + ledger.idleCount,
    waiting: pool.waitingCount + ledger.waitingCount,
  })
}

/** What is counted as it happens. */
export const countedEvents = (metrics: Metrics): NonNullable<Followers['metrics']> => ({
  accountCommitted({ operations }) {
    for (const operation of operations) {
      const flow = flowOf(operation)
      if (flow) metrics.money.moved(flow, operation.amount)
    }
  },
  coaAnswered: ({ request, result, tookMs }) => metrics.coa.answered(request, result, tookMs / 1000),
})
