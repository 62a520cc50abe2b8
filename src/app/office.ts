import { TicketNotices } from '../billing/clients/ticket-notices.ts'
import { Printer } from '../billing/documents/printer.ts'
import { FiscalQueue, type FiscalQueueParts } from '../billing/fiscal/queue.ts'
import { type BillingPolicy, billingWorker } from '../billing/jobs/billing/worker.ts'
import { backupJob } from '../billing/jobs/backup-job.ts'
import { blockSweep } from '../billing/jobs/block-sweep.ts'
import { jobLedger } from '../billing/jobs/job-ledger.ts'
import { type Job, Jobs } from '../billing/jobs/jobs.ts'
import { ledgerCheck } from '../billing/jobs/ledger-check.ts'
import { promiseExpiry } from '../billing/jobs/promise-expiry.ts'
import { promiseExpired, promiseExpiring, type SendReminders } from '../billing/jobs/promise-reminders.ts'
import { retention } from '../billing/jobs/retention.ts'
import { rowCountsCompaction } from '../billing/jobs/row-counts.ts'
import { timetable } from '../billing/jobs/timetable.ts'
import type { BuiltConsole } from '../interfaces/admin/console/built.ts'
import { closeDays } from '../network/radius/traffic/closing.ts'
import { reportProof } from '../billing/reports/proof.ts'
import { reportRollUp } from '../billing/reports/roll-up.ts'
import { Runs } from '../billing/runs/runs.ts'
import { Payments, type PaymentsParts } from '../billing/payments/payments.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { watchChanges } from '../platform/storage/changes.ts'
import type { Base } from './base.ts'
import { DoctorRounds } from './doctor/rounds.ts'
import type { Effects } from './effects.ts'
import { ChangeFollower } from './follow-changes.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'

/**
 * The background work of the provider: online payments, jobs, documents, receipts, and following rows that others
 * write.
 */
export type Office = {
  readonly payments: Payments
  readonly jobs: Jobs
  readonly printer: Printer
  readonly fiscal: FiscalQueue
  readonly follower: ChangeFollower
  readonly runs: Runs
  readonly doctor: DoctorRounds
}

/** What the background work needs. */
export type OfficeParts = Base & Network & Effects & Ledger

/** Everything inside the program that routes may use. */
export type Inside = OfficeParts &
  Office & {
    /** Why the program cannot serve now; null: it can. */
    readonly notReady: () => string | null
    /** Null: it was not built. */
    readonly builtConsole: BuiltConsole | null
  }

/** Time limits for requests to other servers. Those that are left out have the defaults of their modules. */
export type OfficeWaits = Pick<PaymentsParts, 'gatewayTimeoutMs' | 'refundWaits'> & {
  readonly fiscal?: Pick<FiscalQueueParts, 'timeoutMs' | 'waits'>
}

/** Nothing runs by itself yet: see startOffice. */
export function openOffice(parts: OfficeParts, { fiscal: fiscalWaits, ...paymentWaits }: OfficeWaits = {}): Office {
  const { clock, log, database, secrets, settings, metrics, events, nodes, outgoingHttp: http, onStop } = parts
  const { pool } = database
  const payments = new Payments({
    ...parts,
    pool,
    http,
    observe: metrics.money.payment,
    ...paymentWaits,
  })
  onStop(() => payments.refunds.queue.stop())
  const printer = new Printer()
  onStop(() => printer.stop())
  const fiscal = new FiscalQueue({ pool, secrets, clock, log, http, observe: metrics.fiscal.call, ...fiscalWaits })
  onStop(() => fiscal.stop())
  const jobs = new Jobs({
    jobs: jobsOf(parts, payments),
    timetable: timetable(settings),
    ledger: jobLedger(pool),
    clock,
    log,
    observe: ({ name, startedAt, endedAt, ok }) =>
      metrics.jobs.run(name, (endedAt.getTime() - startedAt.getTime()) / 1000, ok),
    mayRun: () => (nodes?.membership.fault ?? null) === null,
    changed: (change) => events.publish({ kind: 'jobChanged', at: clock.now(), ...change }),
  })
  onStop(() => jobs.stop())
  const runs = new Runs({ pool, clock, log })
  onStop(() => runs.stop())
  const sweepAll = () =>
    void jobs.run('process_blocks', null).catch((error) => log.warn('process_blocks could not run', { error }))
  const follower = new ChangeFollower({ ...parts, pool, sweepAll })
  onStop(watchChanges(database, (change) => follower.noticed(change)))
  const tickets = new TicketNotices({ pool, clock, log, publish: (event) => parts.events.publish(event) })
  onStop(database.onNotice((payload) => tickets.noticed(payload)))
  const doctor = new DoctorRounds({ ...parts, payments })
  onStop(() => doctor.stop())
  return { payments, jobs, printer, fiscal, follower, runs, doctor }
}

/** From now on jobs run on schedule, receipts are sent to the fiscal data operator, and refunds to the gateway. */
export async function startOffice({ settings, jobs, fiscal, payments, doctor }: OfficeParts & Office): Promise<void> {
  await jobs.start()
  settings.onChange(() => jobs.replan())
  fiscal.start()
  doctor.start()
  payments.refunds.queue.wake()
}

function jobsOf(parts: OfficeParts, payments: Payments): readonly Job[] {
  const { database, settings, accounts, accounting, traffic, messages } = parts
  const { pool } = database
  const scope = { database, timeZone: () => settings.get('TIME_ZONE') }
  const sendReminders: SendReminders = (template, promises) => messages.notices.addForPromises(template, promises)
  return [
    blockSweep(pool, accounts),
    promiseExpiry(pool, accounts),
    billingWorker(pool, accounts, () => billingPolicy(settings)),
    promiseExpiring(
      pool,
      () => ({
        push: settings.get('MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS'),
        other: settings.get('LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS'),
      }),
      sendReminders,
    ),
    promiseExpired(pool, scope.timeZone, sendReminders),
    ledgerCheck(pool),
    { name: 'reconcile_payments', run: (now, stopping) => payments.reconcile(now, stopping) },
    rowCountsCompaction(pool),
    reportRollUp(scope),
    reportProof(scope),
    backupJob({ url: database.url, settings, keys: parts.config, version: parts.version }),
    retention(pool, () => settings.get('RADIUS_LOG_DAYS')),
    { name: 'close_traffic_days', run: (now, stopping) => closeDays(traffic, now, stopping) },
    { name: 'close_silent_sessions', run: async (now) => ({ closed: await accounting.closeSilentSessions(now) }) },
  ]
}

export const billingPolicy = (settings: Settings): BillingPolicy => ({
  timeZone: settings.get('TIME_ZONE'),
  mode: settings.get('TARIFF_CHARGE_MODE'),
  chargesPromises: settings.get('LK_PROMISE_PAY_DAILY_CHARGE'),
})
