import { AccountStore } from '../../src/accounts/account-store.ts'
import { AccountActors } from '../../src/accounts/accounts.ts'
import { SubscriberActors } from '../../src/accounts/subscribers.ts'
import { systemClock } from '../../src/actors/clock.ts'
import { organizationId } from '../../src/domain/ids.ts'
import { Printer } from '../../src/documents/printer.ts'
import { Events } from '../../src/events.ts'
import { accountRoutes } from '../../src/faces/admin/accounts.ts'
import { ajaxRoutes } from '../../src/faces/admin/ajax.ts'
import { apiRoutes } from '../../src/faces/admin/api.ts'
import { adminBlockRoutes } from '../../src/faces/admin/blocks.ts'
import { documentRoutes } from '../../src/faces/admin/documents.ts'
import { finopsRoutes } from '../../src/faces/admin/finops/routes.ts'
import { fiscalRoutes } from '../../src/faces/admin/fiscal.ts'
import { messageRoutes } from '../../src/faces/admin/messages.ts'
import { jobRoutes } from '../../src/faces/admin/jobs.ts'
import { homeRoutes } from '../../src/faces/admin/home.ts'
import { officeRoutes } from '../../src/faces/admin/office.ts'
import { ReverseLookup } from '../../src/faces/admin/reverse-lookup.ts'
import { sormRoutes } from '../../src/faces/admin/sorm.ts'
import { subscriberServiceRoutes } from '../../src/faces/admin/subscriber-services/doors.ts'
import { userAttributeRoutes } from '../../src/faces/admin/user-attributes.ts'
import { watchRoutes } from '../../src/faces/admin/watch.ts'
import { paymentRoutes } from '../../src/faces/payments/routes.ts'
import { promiseOperatorRoutes } from '../../src/faces/promises/operator.ts'
import { restV2Routes } from '../../src/faces/rest-v2/routes.ts'
import { FiscalQueue, type FiscalQueueParts } from '../../src/fiscal/queue.ts'
import type { Route } from '../../src/http/call.ts'
import { SignIn } from '../../src/http/sign-in.ts'
import { createStaff } from '../../src/http/staff-table.ts'
import { blockSweep } from '../../src/jobs/block-sweep.ts'
import { jobLedger } from '../../src/jobs/job-ledger.ts'
import { Jobs } from '../../src/jobs/jobs.ts'
import { ledgerCheck } from '../../src/jobs/ledger-check.ts'
import { timetable } from '../../src/jobs/timetable.ts'
import { silentLog } from '../../src/log.ts'
import { Messages } from '../../src/messages/messages.ts'
import { Payments } from '../../src/payments/payments.ts'
import { loadSettings, type Settings } from '../../src/settings/settings.ts'
import { asUnavailable, type Database } from '../../src/storage/database.ts'
import { Secrets } from '../../src/storage/secrets.ts'
import { startServer } from '../http/parts.ts'
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
  const store = new AccountStore(database.heart)
  const accounts = new AccountActors({ store, events, clock: systemClock, asUnavailable })
  const subscribers = new SubscriberActors({ store, accounts, events, clock: systemClock, sessionsOf: () => [] })
  const seat = { database, timeZone: () => settings.get('TIME_ZONE') }
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
  const face = { ...seat, accounts, secrets, changed: async () => {}, publicUrl, log }
  const routes: Route[] = [
    ...officeRoutes({ ...seat, settings, secrets, signIn }),
    ...finopsRoutes({ ...seat, accounts }),
    ...documentRoutes({ ...seat, printer, isReadOnly: () => settings.get('READ_ONLY_MODE') }),
    ...fiscalRoutes({ ...seat, fiscal }),
    ...adminBlockRoutes({ database, subscribers, publicUrl }),
    ...promiseOperatorRoutes({ ...seat, subscribers }),
    ...subscriberServiceRoutes({ ...seat, subscribers }),
    ...ajaxRoutes({ database, pools, sessions: { liveOf: () => [] }, reverseLookup: new ReverseLookup() }),
    ...sormRoutes({ ...seat, log }),
    ...userAttributeRoutes(seat),
    ...paymentRoutes({ ...seat, settings, payments }),
    ...messageRoutes({ ...seat, messages }),
    ...jobRoutes(jobs),
    ...homeRoutes(),
    ...watchRoutes(),
    ...apiRoutes({ routes: () => routes, publicUrl, version: '0' }),
    ...accountRoutes(face),
    ...restV2Routes(face),
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
