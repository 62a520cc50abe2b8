import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AccountStore } from '../billing/accounts/account-store.ts'
import { AccountActors } from '../billing/accounts/accounts.ts'
import type { LedgerPolicy } from '../billing/accounts/decision.ts'
import { SubscriberActors } from '../billing/accounts/subscribers.ts'
import { Printer } from '../billing/documents/printer.ts'
import { Outbox } from '../billing/effects/outbox.ts'
import { FiscalQueue } from '../billing/fiscal/queue.ts'
import { billingWorker } from '../billing/jobs/billing/worker.ts'
import { blockSweep } from '../billing/jobs/block-sweep.ts'
import { jobLedger } from '../billing/jobs/job-ledger.ts'
import { Jobs } from '../billing/jobs/jobs.ts'
import { lastVerification, ledgerCheck } from '../billing/jobs/ledger-check.ts'
import { promiseExpiry } from '../billing/jobs/promise-expiry.ts'
import { promiseExpired, promiseExpiring, type TellOfPromise } from '../billing/jobs/promise-reminders.ts'
import { retention } from '../billing/jobs/retention.ts'
import { rowCountsCompaction } from '../billing/jobs/row-counts.ts'
import { timetable } from '../billing/jobs/timetable.ts'
import { Messages, providersOf } from '../billing/messages/messages.ts'
import { Payments } from '../billing/payments/payments.ts'
import type { EffectHandlers } from '../domain/effects.ts'
import { Events } from '../domain/events.ts'
import { nasId, organizationId, type SubscriberId } from '../domain/ids.ts'
import { AccessBook } from '../network/access/book.ts'
import { Accounting } from '../network/radius/accounting/accounting.ts'
import { AccountingStore } from '../network/radius/accounting/accounting-store.ts'
import { SessionBook } from '../network/radius/accounting/sessions.ts'
import { Spool } from '../network/radius/accounting/spool.ts'
import { Disconnects } from '../network/radius/coa/disconnects.ts'
import { startRadius } from '../network/radius/engine.ts'
import type { NasLearned, RadiusSettings } from '../network/radius/messages.ts'
import { speedAttributes } from '../network/radius/worker/speed.ts'
import { systemClock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics, startMetricsServer } from '../platform/metrics/metrics.ts'
import { loadSettings, type Settings } from '../platform/settings/settings.ts'
import { ensureFirstStaff } from '../platform/staff/staff-table.ts'
import { watchChanges } from '../platform/storage/changes.ts'
import { asUnavailable, type Database, openDatabase } from '../platform/storage/database.ts'
import { migrate } from '../platform/storage/migrate.ts'
import { loadOrCreateSecretKey, Secrets } from '../platform/storage/secrets.ts'
import type { Config } from './config.ts'
import { startEdges } from './edges.ts'
import { type Followers, followEvents } from './event-followers.ts'
import { ChangeFollower } from './follow-changes.ts'
import { countedEvents, showOutside } from './observation.ts'

export type ProgramOrder = { config: Config; log: Log; databaseUrl: string }

/** What the demo needs beside the outside of the program. */
export type LedgerParts = { accounts: AccountActors; database: Database; secrets: Secrets; log: Log }

export type Program = {
  readonly addresses: Readonly<Record<string, string | number>>
  readonly radius: { authPort: number; acctPort: number }
  readonly ledger: LedgerParts
  stop(): Promise<void>
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** How long the stop waits for a database that does not answer; commands/lifetime.ts gives all of it 6 s. */
const databasePatienceMs = 3_000

/** The program on one page: every part is made here, knows only what it is given, and is stopped in the reverse order. */
export async function startProgram({ config, log, databaseUrl }: ProgramOrder): Promise<Program> {
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    return { ...(await start({ config, log, databaseUrl }, (end) => stops.push(end))), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  { config, log, databaseUrl }: ProgramOrder,
  onStop: (end: () => unknown) => void,
): Promise<Omit<Program, 'stop'>> {
  const clock = systemClock
  const secrets = new Secrets(loadOrCreateSecretKey(config.dataDir, config.secretKey))
  const metrics = createMetrics({ version })
  const events = new Events((error, { kind }) => log.error('a follower of an event failed', { kind, error }))
  const followers: Followers = { metrics: countedEvents(metrics) }
  followEvents(events, followers)

  // Storage
  await migrate({ url: databaseUrl, log })
  const database = await openDatabase({ url: databaseUrl, log })
  onStop(() => database.close())
  const { pool, ledger } = database
  const settings = await loadSettings({ database, secrets, log }, config.settings)
  onStop(() => settings.stop())
  await announceFirstStaff(config, database, secrets)

  // RADIUS, from the tables to the sockets
  const book = await AccessBook.load({ database, secrets, log })
  onStop(() => book.close())
  followers.accessTable = book
  const sessions = new SessionBook()
  const spool = await Spool.open(join(config.dataDir, 'spool'), log)
  const accounting = new Accounting({
    store: new AccountingStore(ledger),
    spool,
    book: sessions,
    events,
    listener: book,
    isUp: () => database.isUp(),
    nasIp: (id) => book.nas.find((nas) => nas.id === id)?.ip ?? '0.0.0.0',
    ownerOf: (login) => book.ownerOf(login),
    clock,
    log,
  })
  await accounting.start()
  onStop(() => accounting.stop())

  // The ledger
  const store = new AccountStore(ledger)
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
    observe,
  })
  const sessionsOf = (id: SubscriberId) => sessions.ofSubscriber(id)
  const subscribers = new SubscriberActors({ store, accounts, clock, sessionsOf, policy, observe })
  followers.subscribers = subscribers

  // What follows a commit outside
  const disconnects = new Disconnects({
    pool,
    events,
    sessions,
    accounting,
    nas: () => book.nas,
    speedAttributes: (nas, login) => {
      const record = book.table.findLogin(login)
      return record && speedAttributes(nas.type, record.downKbit, record.upKbit)
    },
    readSpeed: (subscriber) => book.refresh({ subscribers: [subscriber] }),
    replaceBeyond: (login) =>
      settings.get('RADIUS_SIMULTANEOUS') === 'replace' ? (book.table.findLogin(login)?.simultaneousUse ?? null) : null,
    reachOf: (login, now) => book.reachOf(login, now),
    order: (effect) => outbox.order(effect),
    loginOf: (login) => book.loginOf(login),
    organizationOf: (login) => {
      const owner = book.ownerOf(login)
      return owner && organizationId(owner.organizationId)
    },
    host: config.radius.host,
    clock,
    log,
  })
  followers.disconnects = disconnects
  await disconnects.start()
  const messages = new Messages({
    pool,
    providers: providersOf(config.outgoing, clock),
    style: () => ({
      language: settings.get('MESSAGE_LANGUAGE'),
      timeZone: settings.get('TIME_ZONE'),
      lifetimeHours: settings.get('MESSAGE_LIFETIME_HOURS'),
    }),
    clock,
    log,
    observe: metrics.messages.result,
  })
  await messages.start()
  onStop(() => messages.stop())
  const handlers: EffectHandlers = {
    ...disconnects.handlers,
    notify: (effect, outboxId) => messages.notices.take(effect, outboxId),
  }
  const outbox = new Outbox({ pool, handlers, clock, log })
  followers.outbox = outbox
  onStop(async () => {
    await disconnects.stop(1_000)
    await outbox.stop()
  })
  await outbox.start()
  onStop(async () => {
    await subscribers.stop()
    await accounts.stop()
  })

  const radius = await startRadius({
    config: config.radius,
    book,
    accounting: accounting.sink,
    settings: radiusSettings(settings),
    nas: book.nas,
    log,
    events,
    onLearned: (learned) =>
      keepLearned(database, learned).catch((error) => log.warn('what a NAS taught could not be stored', { error })),
  })
  onStop(() => radius.stop())
  book.onNas((list) => radius.setNas(list))
  settings.onChange(() => radius.setSettings(radiusSettings(settings)))

  // Online payments
  let httpAddress = ''
  const publicUrl = () => config.http.publicUrl ?? httpAddress
  const tellOfPayment = metrics.money.payment
  const payments = new Payments({ pool, accounts, settings, publicUrl, clock, log, observe: tellOfPayment })

  // Jobs, and rows that others write
  const tellOfPromises: TellOfPromise = (template, promises) => messages.notices.tellOfPromises(template, promises)
  const jobs = new Jobs({
    jobs: [
      blockSweep(pool, accounts),
      promiseExpiry(pool, accounts),
      billingWorker(pool, accounts, () => ({
        timeZone: settings.get('TIME_ZONE'),
        mode: settings.get('TARIFF_CHARGE_MODE'),
        chargesPromises: settings.get('LK_PROMISE_PAY_DAILY_CHARGE'),
      })),
      promiseExpiring(
        pool,
        () => ({
          push: settings.get('MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS'),
          other: settings.get('LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS'),
        }),
        tellOfPromises,
      ),
      promiseExpired(pool, () => settings.get('TIME_ZONE'), tellOfPromises),
      ledgerCheck(pool),
      { name: 'reconcile_payments', run: (now, stopping) => payments.reconcile(now, stopping) },
      rowCountsCompaction(pool),
      retention(pool),
      {
        name: 'close_silent_sessions',
        run: async (now) => ({
          closed: await accounting.closeSilentSessions(now, settings.get('RADIUS_INTERIM_INTERVAL')),
        }),
      },
    ],
    timetable: timetable(settings),
    ledger: jobLedger(pool),
    clock,
    log,
    observe: ({ name, startedAt, endedAt, ok }) =>
      metrics.jobs.run(name, (endedAt.getTime() - startedAt.getTime()) / 1000, ok),
  })
  const sweepAll = () =>
    void jobs.run('process_blocks').catch((error) => log.warn('process_blocks could not run', { error }))
  const follower = new ChangeFollower({ pool, accounts, subscribers, book, sweepAll, log })
  onStop(watchChanges(database, (change) => follower.noticed(change)))
  await jobs.start()
  onStop(() => jobs.stop())
  settings.onChange(() => jobs.replan())

  // Papers and receipts
  const printer = new Printer()
  onStop(() => printer.stop())
  const fiscal = new FiscalQueue({ pool, secrets, clock, log, observe: metrics.fiscal.call })
  fiscal.start()
  onStop(() => fiscal.stop())

  // The outside interfaces, and what is seen of all this
  const { live, phones, address } = await startEdges({
    config,
    log,
    clock,
    events,
    followers,
    metrics,
    database,
    secrets,
    settings,
    book,
    sessions,
    spool,
    accounts,
    subscribers,
    disconnects,
    radius,
    jobs,
    messages,
    follower,
    printer,
    fiscal,
    payments,
    version,
    onStop,
  })
  httpAddress = address
  showOutside(metrics, {
    radius,
    accounting,
    spool,
    sessions,
    book,
    accounts,
    subscribers,
    outbox,
    messages,
    live,
    phones,
    database,
    fiscal,
    lastVerification: () => lastVerification(pool),
  })
  const metricsServer = await startMetricsServer({ ...config.metrics, metrics, log })
  onStop(() => metricsServer.stop())
  onStop(() => database.hurry(databasePatienceMs))

  return {
    addresses: {
      http: address,
      radius_auth_port: radius.addresses.authPort,
      radius_acct_port: radius.addresses.acctPort,
      radius_udp: radius.way.kind,
      metrics: `http://${metricsServer.host}:${metricsServer.port}/metrics`,
    },
    radius: radius.addresses,
    ledger: { accounts, database, secrets, log },
  }
}

const radiusSettings = (settings: Settings): RadiusSettings => ({
  interimSeconds: settings.get('RADIUS_INTERIM_INTERVAL'),
  simultaneous: settings.get('RADIUS_SIMULTANEOUS'),
  walledGardenList: settings.get('LK_WALLED_GARDEN_LIST'),
})

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

/** Printed once and kept nowhere. */
async function announceFirstStaff({ firstStaff }: Config, database: Database, secrets: Secrets): Promise<void> {
  const { username, password } = firstStaff
  const seal = (text: string) => secrets.seal(text)
  const made = await ensureFirstStaff(database.pool, { username, password: password ?? undefined, seal })
  if (made.kind === 'notNeeded') return
  const shown =
    made.password === null ? 'with the password that was set for it' : `password ${made.password} (shown only now)`
  process.stdout.write(`\nFirst sign-in: user ${made.username}, ${shown}.\n\n`)
}

/** Shown to the operator; kept so that a restart does not begin the learning anew. */
async function keepLearned(
  { ledger }: Database,
  { nasId: id, messageAuthenticator, proxyState }: NasLearned,
): Promise<void> {
  await ledger.query('UPDATE nas SET learned_message_authenticator = $2, learned_proxy_state = $3 WHERE id = $1', [
    nasId(id),
    messageAuthenticator,
    proxyState,
  ])
}
