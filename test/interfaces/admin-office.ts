import { followEvents } from '../../src/app/event-followers.ts'
import { AccountStore } from '../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../src/billing/accounts/accounts.ts'
import { SubscriberActors } from '../../src/billing/accounts/subscribers.ts'
import { Printer } from '../../src/billing/documents/printer.ts'
import { FiscalQueue, type FiscalQueueParts } from '../../src/billing/fiscal/queue.ts'
import { blockSweep } from '../../src/billing/jobs/block-sweep.ts'
import { jobLedger } from '../../src/billing/jobs/job-ledger.ts'
import { Jobs } from '../../src/billing/jobs/jobs.ts'
import { ledgerCheck } from '../../src/billing/jobs/ledger-check.ts'
import { timetable } from '../../src/billing/jobs/timetable.ts'
import { Messages } from '../../src/billing/messages/messages.ts'
import { Payments } from '../../src/billing/payments/payments.ts'
import { Events } from '../../src/domain/events.ts'
import { organizationId } from '../../src/domain/ids.ts'
import { accountRoutes } from '../../src/interfaces/admin/accounts/routes.ts'
import { finopsRoutes } from '../../src/interfaces/admin/finops/routes.ts'
import { ajaxRoutes } from '../../src/interfaces/admin/network/ajax.ts'
import { ReverseLookup } from '../../src/interfaces/admin/network/reverse-lookup.ts'
import { watchRoutes } from '../../src/interfaces/admin/network/watch.ts'
import { documentRoutes } from '../../src/interfaces/admin/papers/documents.ts'
import { fiscalRoutes } from '../../src/interfaces/admin/papers/fiscal.ts'
import { paymentRoutes } from '../../src/interfaces/admin/payments/routes.ts'
import { apiRoutes } from '../../src/interfaces/admin/provider/api.ts'
import { homeRoutes } from '../../src/interfaces/admin/provider/home.ts'
import { jobRoutes } from '../../src/interfaces/admin/provider/jobs.ts'
import { officeRoutes } from '../../src/interfaces/admin/provider/office.ts'
import { sormRoutes } from '../../src/interfaces/admin/provider/sorm.ts'
import { userAttributeRoutes } from '../../src/interfaces/admin/provider/user-attributes.ts'
import { adminBlockRoutes } from '../../src/interfaces/admin/subscribers/blocks.ts'
import { messageRoutes } from '../../src/interfaces/admin/subscribers/messages.ts'
import { promiseOperatorRoutes } from '../../src/interfaces/admin/subscribers/promises.ts'
import { subscriberServiceRoutes } from '../../src/interfaces/admin/subscribers/services/doors.ts'
import { restSection } from '../../src/interfaces/rest/openapi.ts'
import { restV2Routes } from '../../src/interfaces/rest/routes.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import type { Route } from '../../src/platform/http/call.ts'
import { silentLog } from '../../src/platform/log.ts'
import { loadSettings, type Settings } from '../../src/platform/settings/settings.ts'
import { SignIn } from '../../src/platform/staff/sign-in.ts'
import { createStaff } from '../../src/platform/staff/staff-table.ts'
import { asUnavailable, type Database } from '../../src/platform/storage/database.ts'
import { Secrets } from '../../src/platform/storage/secrets.ts'
import { startServer } from '../platform/http/parts.ts'
import { testDatabase } from '../support/database.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
export type Json = any
export type Answer = { status: number; body: Json }

/** One who calls the doors, by session key or token. */
export class Caller {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>

  constructor(base: string, headers: Readonly<Record<string, string>>) {
    this.base = base
    this.headers = headers
  }

  get = (path: string) => this.call('GET', path)
  post = (path: string, body: unknown = {}) => this.call('POST', path, body)
  put = (path: string, body: unknown = {}) => this.call('PUT', path, body)
  delete = (path: string) => this.call('DELETE', path)

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: { ...this.headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }
}

export type Office = {
  readonly base: string
  readonly database: Database
  readonly settings: Settings
  readonly signIn: SignIn
  readonly accounts: AccountActors
  readonly routes: readonly Route[]
  readonly fiscal: FiscalQueue
  rows(text: string, values?: unknown[]): Promise<Json[]>
  /** Makes a staff user and signs it in; no organizations: a superuser. */
  staff(username: string, role?: string, organizations?: readonly number[]): Promise<Caller>
  signedIn(username: string, password: string): Promise<Caller>
}

/** The doors of the web admin, and REST v2, over a real server, a real database and the real accounts. */
export async function openOffice(
  t: { teardown(deed: () => unknown): unknown },
  fiscalParts: Partial<FiscalQueueParts> = {},
): Promise<Office> {
  const { database } = await testDatabase(t)
  const { pool } = database
  const log = silentLog
  const secrets = new Secrets(Buffer.alloc(32, 1))
  const settings = await loadSettings({ database, secrets, log })
  const signIn = new SignIn({ database: pool, log })
  const events = new Events((error) => {
    throw error
  })
  const store = new AccountStore(database.ledger)
  const accounts = new AccountActors({ store, events, clock: systemClock, asUnavailable })
  const subscribers = new SubscriberActors({ store, accounts, clock: systemClock, sessionsOf: () => [] })
  followEvents(events, { subscribers })
  const scope = { database, timeZone: () => settings.get('TIME_ZONE') }
  const publicUrl = () => 'http://billing.example'
  const printer = new Printer({ threads: 1 })
  const fiscal = new FiscalQueue({ pool, secrets, clock: systemClock, log, ...fiscalParts })
  const messages = new Messages({
    pool,
    providers: [],
    style: () => ({ language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72 }),
    clock: systemClock,
    log,
    observe: () => {},
  })
  const pools = { enabledIds: () => [], nextFree: () => null }
  const payments = new Payments({ pool, accounts, settings, publicUrl, clock: systemClock, log })
  const jobs = new Jobs({
    jobs: [blockSweep(pool, accounts), ledgerCheck(pool)],
    timetable: timetable(settings),
    ledger: jobLedger(pool),
    clock: systemClock,
    log,
  })
  const parts = { ...scope, accounts, secrets, changed: async () => {}, publicUrl, log }
  const routes: Route[] = [
    ...officeRoutes({ ...parts, settings, signIn }),
    ...finopsRoutes(parts),
    ...documentRoutes({ ...scope, printer, isReadOnly: () => settings.get('READ_ONLY_MODE') }),
    ...fiscalRoutes({ ...scope, fiscal }),
    ...adminBlockRoutes({ database, subscribers, publicUrl }),
    ...promiseOperatorRoutes({ ...scope, subscribers }),
    ...subscriberServiceRoutes({ ...scope, subscribers }),
    ...ajaxRoutes({ database, pools, sessions: { liveOf: () => [] }, reverseLookup: new ReverseLookup() }),
    ...sormRoutes({ ...scope, log }),
    ...userAttributeRoutes(parts),
    ...paymentRoutes({ ...scope, settings, payments }),
    ...messageRoutes({ ...scope, messages }),
    ...jobRoutes(jobs),
    ...homeRoutes(),
    ...watchRoutes(),
    ...apiRoutes({ routes: () => routes, sections: [restSection()], publicUrl, version: '0' }),
    ...accountRoutes(parts),
    ...restV2Routes(parts),
  ]
  const isReadOnly = () => settings.get('READ_ONLY_MODE')
  const { server, base } = await startServer(routes, { signIn, isReadOnly })
  t.teardown(async () => {
    await server.stop()
    await jobs.stop()
    await fiscal.stop()
    await messages.stop()
    await printer.stop()
    settings.stop()
    await subscribers.stop()
    await accounts.stop()
  })
  const signedIn = async (username: string, password: string) => {
    const query = new URLSearchParams({ api: '1', username, password, format: 'json' })
    const { hash } = (await (await fetch(`${base}/admin/?${query}`)).json()) as { hash: string }
    return new Caller(base, { 'X-Session-Hash': hash })
  }
  return {
    base,
    database,
    settings,
    signIn,
    accounts,
    routes,
    fiscal,
    rows: async (text, values = []) => (await pool.query(text, values)).rows,
    signedIn,
    staff: async (username, role, organizations) => {
      const made = await createStaff(pool, {
        username,
        password: `${username}-password`,
        isSuperuser: organizations === undefined,
        ...(role !== undefined && { role }),
        ...(organizations && { organizations: organizations.map(organizationId) }),
      })
      if (made.kind === 'refused') throw new Error(made.reason)
      return signedIn(username, `${username}-password`)
    },
  }
}
