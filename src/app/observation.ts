import type { Pool } from 'pg'
import { readBlockCounts } from '../billing/accounts/block-counts.ts'
import { readMoneyCounts } from '../billing/accounts/money-counts.ts'
import { lastBackup } from '../billing/jobs/backup-job.ts'
import { lastVerification } from '../billing/jobs/ledger-check.ts'
import { lastReportProof } from '../billing/reports/proof.ts'
import { readWebhookCounts } from '../billing/webhooks/endpoint-table.ts'
import type { Base } from './base.ts'
import type { Check } from './doctor/check.ts'
import type { Doors } from './doors.ts'
import type { Network } from './network.ts'
import type { Inside } from './office.ts'

/**
 * Gives every metric its source. Sources are read when Prometheus asks, so that counting costs the hot paths nothing.
 */
export function showOutside(parts: Inside & Doors): void {
  const { metrics, database, accounts, subscribers } = parts
  const { pool } = database
  showNetwork(parts)
  metrics.actors.counts.source = () => [
    { kind: 'account', live: accounts.awake, waiting: accounts.waiting },
    { kind: 'subscriber', live: subscribers.awake, waiting: subscribers.waiting },
  ]
  metrics.money.state.source = () => readMoneyCounts(pool)
  metrics.money.blocks.source = async () => {
    const { b_negbal: negbal, b_admin: admin, b_own: own, b_sys: sys } = await readBlockCounts(pool, null)
    return { negbal, admin, own, sys }
  }
  metrics.messages.waiting.source = () => parts.messages.countWaiting()
  metrics.webhooks.state.source = () => readWebhookCounts(pool)
  metrics.fiscal.queue.source = () => parts.fiscal.counts()
  metrics.refunds.queue.source = () => parts.payments.refunds.queue.counts()
  metrics.doctor.findings.source = () => {
    const checks = parts.doctor.last?.checks ?? []
    const countOf = (wanted: Check['state']) => checks.filter(({ state }) => state === wanted).length
    return { warn: countOf('warn'), fail: countOf('fail') }
  }
  metrics.ledger.source = () => lastVerification(pool)
  metrics.backup.source = () => lastBackup(pool)
  metrics.reports.source = () => lastReportProof(pool)
  metrics.live.sockets.source = () => ({ admin: parts.live.sockets, mobile: parts.livePhones.sockets })
}

/** Gives the metrics of RADIUS and of what it uses their sources. */
export function showNetwork(parts: Base & Network): void {
  const { metrics, database, accounting } = parts
  const pools = [database.pool, database.ledger, database.accounting]
  const sumOf = (count: (pool: Pool) => number) => pools.reduce((sum, one) => sum + count(one), 0)
  metrics.radius.source = () => parts.radius.snapshot()
  metrics.authLog.source = () => parts.authLog.counts
  metrics.accounting.counts.source = () => accounting.counts
  metrics.accounting.spool.source = () => parts.spool.bytes
  metrics.sessions.live.source = () => parts.sessions.size
  metrics.access.entries.source = () => parts.access.table.size
  metrics.access.bytes.source = () => parts.access.table.usedBytes
  metrics.nas.health.source = () => parts.nasHealth.counts()
  metrics.nas.wrongClocks.source = () => parts.nasHealth.wrongClocks()
  metrics.coa.unanswered.source = () => parts.disconnects.unanswered
  metrics.outbox.pending.source = () => parts.outbox.inWork
  metrics.database.source = () => ({
    up: database.isUp(),
    used: sumOf(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sumOf(({ idleCount }) => idleCount),
    waiting: sumOf(({ waitingCount }) => waitingCount),
  })
}
