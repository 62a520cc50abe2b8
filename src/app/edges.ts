import type { AccountActors } from '../billing/accounts/accounts.ts'
import { readBlockCounts } from '../billing/accounts/block-counts.ts'
import type { SubscriberActors } from '../billing/accounts/subscribers.ts'
import { concernedBy } from '../billing/clients/concerned.ts'
import { PhoneSessions } from '../billing/clients/phone-sessions.ts'
import { PortalSessions } from '../billing/clients/portal-sessions.ts'
import { clientStatuses } from '../billing/clients/status.ts'
import type { Printer } from '../billing/documents/printer.ts'
import type { FiscalQueue } from '../billing/fiscal/queue.ts'
import type { Jobs } from '../billing/jobs/jobs.ts'
import type { Messages } from '../billing/messages/messages.ts'
import type { Payments } from '../billing/payments/payments.ts'
import type { Events } from '../domain/events.ts'
import { loginId } from '../domain/ids.ts'
import { accountRoutes } from '../interfaces/admin/accounts/routes.ts'
import { finopsRoutes } from '../interfaces/admin/finops/routes.ts'
import { ajaxRoutes } from '../interfaces/admin/network/ajax.ts'
import { ReverseLookup } from '../interfaces/admin/network/reverse-lookup.ts'
import { watchRoutes } from '../interfaces/admin/network/watch.ts'
import { documentRoutes } from '../interfaces/admin/papers/documents.ts'
import { fiscalRoutes } from '../interfaces/admin/papers/fiscal.ts'
import { paymentRoutes } from '../interfaces/admin/payments/routes.ts'
import { apiRoutes } from '../interfaces/admin/provider/api.ts'
import { homeRoutes, officePages } from '../interfaces/admin/provider/home.ts'
import { jobRoutes } from '../interfaces/admin/provider/jobs.ts'
import { officeRoutes } from '../interfaces/admin/provider/office.ts'
import { sormRoutes } from '../interfaces/admin/provider/sorm.ts'
import { userAttributeRoutes } from '../interfaces/admin/provider/user-attributes.ts'
import { adminBlockRoutes } from '../interfaces/admin/subscribers/blocks.ts'
import { messageRoutes } from '../interfaces/admin/subscribers/messages.ts'
import { promiseOperatorRoutes } from '../interfaces/admin/subscribers/promises.ts'
import { subscriberServiceRoutes } from '../interfaces/admin/subscribers/services/doors.ts'
import { mobileRoutes } from '../interfaces/mobile/routes.ts'
import { problemPage } from '../interfaces/portal/problem.ts'
import { portalRoutes } from '../interfaces/portal/routes.ts'
import { restSection } from '../interfaces/rest/openapi.ts'
import type { RestParts } from '../interfaces/rest/parts.ts'
import { promiseRestRoutes } from '../interfaces/rest/promises/routes.ts'
import { restV2Routes } from '../interfaces/rest/routes.ts'
import { restV1Routes } from '../interfaces/rest/v1/routes.ts'
import { soapRoutes } from '../interfaces/soap/routes.ts'
import { systemAdmission } from '../interfaces/system/admission.ts'
import { systemRoutes } from '../interfaces/system/routes.ts'
import { liveEndpoint, livePath } from '../live/endpoint.ts'
import { type Live, startLive } from '../live/live.ts'
import { Phones, phonesPath } from '../live/phones.ts'
import type { AccessBook } from '../network/access/book.ts'
import type { SessionBook } from '../network/radius/accounting/sessions.ts'
import type { Spool } from '../network/radius/accounting/spool.ts'
import type { Disconnects } from '../network/radius/coa/disconnects.ts'
import type { RadiusEngine } from '../network/radius/engine.ts'
import type { Clock } from '../platform/actors/clock.ts'
import type { Route } from '../platform/http/call.ts'
import { healthRoutes } from '../platform/http/health.ts'
import { redirect } from '../platform/http/reply.ts'
import { HttpServer } from '../platform/http/server.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { SignIn } from '../platform/staff/sign-in.ts'
import { readStaffUser } from '../platform/staff/staff-table.ts'
import { SignInThrottle } from '../platform/staff/throttle.ts'
import { type Change, watchChanges } from '../platform/storage/changes.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Config } from './config.ts'
import type { Followers } from './event-followers.ts'
import type { ChangeFollower } from './follow-changes.ts'
import { systemApi } from './system-api.ts'

/** What the outside interfaces stand on. */
export type EdgeParts = {
  config: Config
  log: Log
  clock: Clock
  events: Events
  followers: Followers
  metrics: Metrics
  database: Database
  secrets: Secrets
  settings: Settings
  book: AccessBook
  sessions: SessionBook
  spool: Spool
  accounts: AccountActors
  subscribers: SubscriberActors
  disconnects: Disconnects
  radius: RadiusEngine
  jobs: Jobs
  messages: Messages
  follower: ChangeFollower
  printer: Printer
  fiscal: FiscalQueue
  payments: Payments
  version: string
  onStop: (end: () => unknown) => void
}

export type Edges = { live: Live; phones: Phones /** Where HTTP listens: `http://127.0.0.1:8080`. */; address: string }

/** Everything that is reached by HTTP and WebSocket: one listener, its doors in one list. */
export async function startEdges(parts: EdgeParts): Promise<Edges> {
  const {
    config,
    log,
    clock,
    followers,
    metrics,
    database,
    secrets,
    settings,
    sessions,
    spool,
    subscribers,
    radius,
    onStop,
  } = parts
  const { pool } = database
  const isReadOnly = () => settings.get('READ_ONLY_MODE')
  const notReady = () =>
    !database.isUp() ? 'The database is away.' : !radius.isReady() ? 'A RADIUS worker is not listening.' : null
  const signIn = new SignIn({
    database: pool,
    log,
    clock,
    pages: officePages,
    ...(config.http.publicUrl && { publicUrl: config.http.publicUrl }),
  })
  const portal = new PortalSessions(pool, clock)
  const phones = new PhoneSessions({ pool, key: secrets.derive('jwt'), clock })
  let address = ''
  const publicUrl = () => config.http.publicUrl ?? address
  const http = new HttpServer({
    host: config.http.host,
    port: config.http.port,
    tls: config.http.tls ?? undefined,
    trustProxy: config.http.trustProxy,
    log,
    signIn,
    isReadOnly,
    admitsSystem: systemAdmission(settings),
    clients: { ofCookie: (key) => portal.find(key), ofToken: (token) => phones.find(token) },
    clientPage: problemPage,
    observe: metrics.http.request,
    routes: routesOf(parts, { signIn, portal, phones, publicUrl, notReady }),
  })
  const live = startLive({
    clock,
    log,
    sessions,
    accountOf: async (id) => (await subscribers.status(id))?.account ?? null,
    blockCounts: (organizations) => readBlockCounts(pool, organizations),
    staffNow: (id) => readStaffUser(pool, id),
    radius: () => radius.snapshot().counts,
    system: () => {
      const reason = notReady()
      return {
        ready: reason === null,
        reason,
        databaseUp: database.isUp(),
        readOnly: isReadOnly(),
        spoolBytes: spool.bytes,
      }
    },
    observe: { frame: metrics.live.frames, cut: metrics.live.cut },
  })
  followers.live = live
  http.ws(livePath, liveEndpoint(live))
  const phonesLive = livePhones(parts, phones)
  followers.phones = phonesLive
  http.ws(phonesPath, phonesLive.endpoint)
  address = addressOf(config, await http.listen())
  onStop(() => http.stop())
  onStop(() => live.stop())
  onStop(() => phonesLive.stop())
  onStop(
    watchChanges(database, ({ table }) => {
      if (table !== 'staff') return
      // Somebody's rights may have been taken: the next call and every open socket are asked again.
      signIn.forgetAll()
      http.recheckSockets()
    }),
  )
  return { live, phones: phonesLive, address }
}

/** The live sockets of the application, and what they hear of. */
function livePhones(parts: EdgeParts, sessions: PhoneSessions): Phones {
  const { clock, log, database, subscribers, settings, messages, metrics, onStop } = parts
  const { pool } = database
  const phones = new Phones({
    clock,
    log,
    find: (token) => sessions.find(token),
    going: (ids) => sessions.going(ids),
    statuses: (ids, language) => clientStatuses({ pool, subscribers, settings, clock }, ids, language),
    observe: metrics.live.frames,
  })
  sessions.onEnd((session) => phones.sessionEnded(session))
  messages.onTold((told) => phones.told(told))
  const follow = async (change: Change) => {
    const ids = await concernedBy(pool, change, phones.subscribers)
    // They may still hold what the rows said before.
    for (const id of ids) subscribers.invalidate(id)
    phones.mayHaveChanged(ids)
  }
  onStop(
    watchChanges(database, (change) => {
      follow(change).catch((error: unknown) => log.debug('phones could not be told of a change', { error }))
    }),
  )
  return phones
}

/** Who comes in, and by which address. */
type Entrance = {
  readonly signIn: SignIn
  readonly portal: PortalSessions
  readonly phones: PhoneSessions
  readonly publicUrl: () => string
  readonly notReady: () => string | null
}

/** Every door of the program. */
function routesOf(parts: EdgeParts, { signIn, portal, phones, publicUrl, notReady }: Entrance): readonly Route[] {
  const { config, log, database, secrets, settings, book, sessions, accounts, subscribers, follower, version } = parts
  const timeZone = () => settings.get('TIME_ZONE')
  const system = systemApi({
    ...parts,
    workers: config.radius.workers,
    notReady,
    forgetStaff: () => signIn.forgetAll(),
  })
  const rest: RestParts = {
    database,
    accounts,
    secrets,
    changed: async (change) => {
      await follower.changed(change)
      if (!change.signsOut) return
      const logins = change.ids.map(loginId)
      await Promise.all(logins.flatMap((login) => [portal.endOthers(login, null), phones.endOthers(login, null)]))
    },
    publicUrl,
    timeZone,
    log,
  }
  const clients = {
    ...rest,
    pool: database.pool,
    subscribers,
    settings,
    secrets,
    clock: parts.clock,
    portal,
    phones,
    throttle: new SignInThrottle(),
    isReadOnly: () => settings.get('READ_ONLY_MODE'),
    payments: parts.payments,
  }
  const routes: Route[] = [
    { method: 'GET', path: '/', door: 'public', handler: () => redirect('/admin/') },
    ...healthRoutes(notReady),
    ...restV2Routes(rest),
    ...restV1Routes(rest),
    ...accountRoutes(rest),
    ...adminBlockRoutes({ database, subscribers, publicUrl }),
    ...promiseRestRoutes({ database, timeZone, subscribers }),
    ...promiseOperatorRoutes({ database, timeZone, subscribers }),
    ...subscriberServiceRoutes({ database, timeZone, subscribers }),
    ...officeRoutes({ database, timeZone, settings, secrets, signIn }),
    ...finopsRoutes({ database, timeZone, accounts }),
    ...documentRoutes({ database, timeZone, printer: parts.printer, isReadOnly: () => settings.get('READ_ONLY_MODE') }),
    ...fiscalRoutes({ database, timeZone, fiscal: parts.fiscal }),
    ...portalRoutes({ ...clients, publicOrigin: signIn.publicOrigin }),
    ...paymentRoutes({ database, timeZone, settings, payments: parts.payments }),
    ...mobileRoutes({
      ...clients,
      devices: parts.messages.devices,
      hasPush: () => parts.messages.hasPush,
      version,
    }),
    ...messageRoutes({ database, timeZone, messages: parts.messages }),
    ...jobRoutes(parts.jobs),
    ...homeRoutes(),
    ...watchRoutes(),
    ...ajaxRoutes({ database, pools: book.pools, sessions, reverseLookup: new ReverseLookup() }),
    ...sormRoutes({ database, timeZone, log }),
    ...userAttributeRoutes({ database, timeZone }),
    ...systemRoutes(system),
    ...soapRoutes({ pool: database.pool, accounts, secrets, settings, clock: parts.clock, log, publicUrl }),
    ...apiRoutes({ routes: () => [...signIn.routes, ...routes], sections: [restSection()], publicUrl, version }),
  ]
  return routes
}

function addressOf({ http }: Config, port: number): string {
  const host = http.host.includes(':') ? `[${http.host}]` : http.host
  return `${http.tls ? 'https' : 'http'}://${host}:${port}`
}
