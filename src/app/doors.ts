import { readBlockCounts } from '../billing/accounts/block-counts.ts'
import { concernedBy } from '../billing/clients/concerned.ts'
import { PhoneSessions } from '../billing/clients/phone-sessions.ts'
import { ClientViews } from '../billing/clients/client-views.ts'
import { PortalSessions } from '../billing/clients/portal-sessions.ts'
import { HeldStatuses } from '../billing/clients/held-statuses.ts'
import { readTicketCounts } from '../billing/clients/ticket-inbox.ts'
import { type Account, subscribersById } from '../domain/account.ts'
import { problemPage } from '../interfaces/portal/problem.ts'
import { systemAdmission } from '../interfaces/system/admission.ts'
import { liveEndpoint, livePath } from '../live/endpoint.ts'
import { Live } from '../live/live.ts'
import { Phones, phonesPath } from '../live/phones.ts'
import type { Route } from '../platform/http/call.ts'
import { chooseTransport } from '../platform/http/choose-transport.ts'
import { HttpServer } from '../platform/http/server.ts'
import type { Transport } from '../platform/http/transport.ts'
import { PasswordTries } from '../platform/passwords/tries.ts'
import { StaffGate } from '../platform/staff/gate.ts'
import { SecondFactors } from '../platform/staff/second-factors.ts'
import { SignIn } from '../platform/staff/sign-in.ts'
import { type Change, watchChanges } from '../platform/storage/changes.ts'
import { reading } from '../platform/storage/transactions.ts'
import type { Config } from './config.ts'
import type { Followers } from './event-followers.ts'
import { ForeignReports } from './foreign-reports.ts'
import type { Inside } from './office.ts'
import { type Entrance, routesOf } from './routes.ts'

/** Everything that is reached by HTTP and WebSocket. */
export type Doors = Entrance & {
  readonly http: HttpServer
  readonly routes: readonly Route[]
  readonly live: Live
  readonly livePhones: Phones
  /** Starts to listen and returns the address: `http://127.0.0.1:8080`. */
  readonly listen: () => Promise<string>
}

/** One HTTP server with all routes, which does not listen before `listen` is called. */
export async function openDoors(inside: Inside): Promise<Doors> {
  const { config, log, onStop } = inside
  const entrance = openEntrance(inside)
  const routes = routesOf(inside, entrance)
  const { transport, reason } = await chooseTransport(config.http.server)
  if (reason !== null) log.info(`HTTP is served by node:http: ${reason}.`)
  const http = httpServer(inside, entrance, routes, transport)
  const live = openLive(inside)
  const livePhones = openLivePhones(inside, entrance.phones)
  http.ws(livePath, liveEndpoint(live))
  http.ws(phonesPath, livePhones.endpoint)
  inside.followers.clientSessions = clientSessions(entrance)
  onStop(() => http.stop())
  onStop(() => live.stop())
  onStop(() => livePhones.stop())
  onStop(
    watchChanges(inside.database, ({ table }) => {
      if (table === 'client_sessions') entrance.portal.forgetAll()
      if (table === 'phone_sessions') {
        entrance.phones.forgetAll()
        livePhones.recheckSessions()
      }
      if (table !== 'staff') return
      // Rights may have been withdrawn, so the next call and every open socket are checked again.
      entrance.signIn.forgetAll()
      http.recheckSockets()
    }),
  )
  return { ...entrance, http, routes, live, livePhones, listen: async () => addressOf(config, await http.listen()) }
}

/** Sessions of clients are held in memory for some seconds; a subscriber who is deleted is signed out at once. */
const clientSessions = ({ portal, phones }: Entrance): Required<Followers>['clientSessions'] => ({
  accountCommitted: ({ before, after }) => {
    if (!hasLost(before, after)) return
    portal.forgetAll()
    phones.forgetAll()
  },
})

/** Whether one of the account's subscribers has been deleted. */
function hasLost(before: Account, after: Account): boolean {
  if (after.subscribers === before.subscribers || !after.subscribers.some(({ deleted }) => deleted)) return false
  const earlier = subscribersById(before)
  return after.subscribers.some(({ id, deleted }) => deleted && !earlier.get(id)?.deleted)
}

function openEntrance({ config, log, clock, database: { pool }, secrets, settings, metrics }: Inside): Entrance {
  const { publicUrl } = config.http
  const tries = new PasswordTries({ clock, observe: metrics.passwords.tried })
  metrics.passwords.locked.source = () => tries.locked
  const setting = () => settings.get('STAFF_SECOND_FACTOR')
  const factors = new SecondFactors({ database: pool, clock, secrets, setting })
  return {
    factors,
    signIn: new SignIn({ database: pool, log, clock, tries, factors, ...(publicUrl && { publicUrl }) }),
    portal: new PortalSessions(pool, clock),
    views: new ClientViews({ secrets, clock }),
    phones: new PhoneSessions({ pool, key: secrets.derive('jwt'), clock }),
    tries,
  }
}

function httpServer(
  inside: Inside,
  { signIn, portal, phones, tries }: Entrance,
  routes: readonly Route[],
  transport: Transport,
): HttpServer {
  const { config, log, settings, metrics, inFlight, tracing, readingTimes } = inside
  const { host, port, tls, trustProxy } = config.http
  return new HttpServer({
    transport,
    host,
    port,
    tls: tls ?? undefined,
    trustProxy,
    log,
    gate: new StaffGate({
      signIn,
      isReadOnly: () => settings.get('READ_ONLY_MODE'),
      refuseSystem: systemAdmission(settings, tries),
      clients: { ofCookie: (key) => portal.find(key), ofToken: (token) => phones.find(token) },
    }),
    clientPage: (...refused) => problemPage(inside, ...refused),
    observe: metrics.http.request,
    inFlight,
    tracing,
    readingTimes,
    routes,
  })
}

/** The live sockets of the provider's staff. */
function openLive(inside: Inside): Live {
  const { followers, clock, log, sessions, subscribers, database, settings, metrics, foreignCounters, onStop } = inside
  const { pool } = database
  const live = new Live({
    clock,
    log,
    sessions,
    accountOf: async (id) => (await subscribers.status(id))?.account ?? null,
    blockCounts: (organizations) => readBlockCounts(pool, organizations),
    ticketCounts: ({ id, organizations }) =>
      reading({ database, timeZone: () => settings.get('TIME_ZONE') }, (client) =>
        readTicketCounts(client, id, organizations),
      ),
    radius: () => inside.radius.snapshot().counts,
    system: () => {
      const reason = inside.notReady()
      return {
        ready: reason === null,
        reason,
        databaseUp: database.isUp(),
        readOnly: settings.get('READ_ONLY_MODE'),
        spoolBytes: inside.spool.bytes,
        unansweredNas: inside.disconnects.unanswered,
      }
    },
    observe: { frame: metrics.live.frames, cut: metrics.live.cut },
  })
  followers.live = live
  if (inside.nodes) {
    const reports = new ForeignReports({ live, sessions, foreignCounters, clock })
    onStop(() => reports.stop())
  }
  inside.messages.mailings.onProgress((progress) => live.mailingProgressed(progress))
  return live
}

/** The live sockets of the mobile application, and the changes they are notified of. */
function openLivePhones(inside: Inside, sessions: PhoneSessions): Phones {
  const { followers, clock, log, database, subscribers, settings, messages, metrics, onStop } = inside
  const { pool } = database
  const statuses = new HeldStatuses({ pool, subscribers, settings, clock })
  const phones = new Phones({
    clock,
    log,
    find: (token) => sessions.find(token),
    going: (ids) => sessions.active(ids),
    statuses: (ids, language) => statuses.read(ids, language),
    statusAfter: (event) => statuses.committed(event),
    observe: metrics.live.frames,
  })
  followers.phones = phones
  sessions.onEnd((session) => phones.sessionEnded(session))
  messages.notices.onShown((messages) => phones.messagesWritten(messages))
  const follow = async (change: Change) => {
    const ids = await concernedBy(pool, change, phones.subscribers)
    // The actors may still hold the values from before the change.
    for (const id of ids) subscribers.invalidate(id)
    phones.mayHaveChanged(ids)
  }
  onStop(
    watchChanges(database, (change) => {
      statuses.noticed(change)
      follow(change).catch((error: unknown) => {
        log.debug('the phones that a change concerns could not be read; all are looked at', { error })
        subscribers.invalidateAll()
        phones.mayHaveChanged(phones.subscribers)
      })
    }),
  )
  // A setting counts from when it has been read, which is after the notice of its row.
  onStop(
    settings.onChange(() => {
      statuses.noticed({ table: 'system_settings', ids: '*' })
      phones.mayHaveChanged(phones.subscribers)
    }),
  )
  return phones
}

/** Where an HTTP server that listens on this port is reached. */
export function addressOf({ http }: Pick<Config, 'http'>, port: number): string {
  const host = http.host.includes(':') ? `[${http.host}]` : http.host
  return `${http.tls ? 'https' : 'http'}://${host}:${port}`
}
