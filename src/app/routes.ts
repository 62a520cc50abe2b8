import type { ClientViews } from '../billing/clients/client-views.ts'
import { CashDesk } from '../billing/cash/limits.ts'
import type { PhoneSessions } from '../billing/clients/phone-sessions.ts'
import type { PortalSessions } from '../billing/clients/portal-sessions.ts'
import { loginId } from '../domain/ids.ts'
import { ownAccountRoutes } from '../interfaces/admin/account/routes.ts'
import { meRoutes } from '../interfaces/admin/console/me.ts'
import { consoleRoutes, homePage } from '../interfaces/admin/console/shell.ts'
import { accountRoutes } from '../interfaces/admin/accounts/routes.ts'
import { cashRoutes } from '../interfaces/admin/cash/routes.ts'
import { finopsRoutes } from '../interfaces/admin/finops/routes.ts'
import { ajaxRoutes } from '../interfaces/admin/network/ajax.ts'
import { byHouseRoutes } from '../interfaces/admin/network/by-house.ts'
import { authLogRoutes } from '../interfaces/admin/network/auth-log.ts'
import { coaHistoryRoutes } from '../interfaces/admin/network/coa-history.ts'
import { nasHealthRoutes } from '../interfaces/admin/network/nas-health.ts'
import { nasTestRoutes } from '../interfaces/admin/network/nas-test.ts'
import { poolRoutes } from '../interfaces/admin/network/pools/routes.ts'
import { ReverseLookup } from '../interfaces/admin/network/reverse-lookup.ts'
import { sessionCoaRoutes } from '../interfaces/admin/network/session-coa.ts'
import { sessionDisconnectRoutes } from '../interfaces/admin/network/session-disconnect.ts'
import { sessionListRoutes } from '../interfaces/admin/network/sessions.ts'
import { nasTemplateRoutes } from '../interfaces/admin/network/templates.ts'
import { unknownLoginRoutes } from '../interfaces/admin/network/unknown-logins.ts'
import { usageRoutes } from '../interfaces/admin/network/usage.ts'
import { documentRoutes } from '../interfaces/admin/documents/documents.ts'
import { fiscalRoutes } from '../interfaces/admin/documents/fiscal.ts'
import { paymentRoutes } from '../interfaces/admin/payments/routes.ts'
import { importRoutes } from '../interfaces/admin/imports/routes.ts'
import { apiRoutes } from '../interfaces/admin/provider/api.ts'
import { doctorRoutes } from '../interfaces/admin/provider/doctor.ts'
import { jobRoutes } from '../interfaces/admin/provider/jobs.ts'
import { nodeRoutes } from '../interfaces/admin/provider/nodes.ts'
import { homeListRoutes } from '../interfaces/admin/provider/lists/homes.ts'
import { serviceListRoutes } from '../interfaces/admin/provider/lists/services.ts'
import { switchListRoutes } from '../interfaces/admin/provider/lists/switches.ts'
import { tariffListRoutes } from '../interfaces/admin/provider/lists/tariffs.ts'
import { providerRoutes } from '../interfaces/admin/provider/routes.ts'
import { sormRoutes } from '../interfaces/admin/provider/sorm.ts'
import { userAttributeRoutes } from '../interfaces/admin/provider/user-attributes.ts'
import { withScreens } from '../interfaces/admin/screens.ts'
import { searchRoutes } from '../interfaces/admin/search/door.ts'
import { reportRoutes } from '../interfaces/admin/reports/routes.ts'
import { runRoutes } from '../interfaces/admin/runs/routes.ts'
import { blockManyRoutes } from '../interfaces/admin/subscribers/many/blocks.ts'
import { asClientRoutes } from '../interfaces/admin/subscribers/as-client.ts'
import { Countings, countedRoutes } from '../interfaces/admin/countings.ts'
import { promiseManyRoutes } from '../interfaces/admin/subscribers/many/promises.ts'
import { restRoutes } from '../interfaces/admin/subscribers/many/rest.ts'
import { tariffManyRoutes } from '../interfaces/admin/subscribers/many/tariffs.ts'
import { adminBlockRoutes } from '../interfaces/admin/subscribers/blocks.ts'
import { newSubscriberRoutes } from '../interfaces/admin/subscribers/create/routes.ts'
import { subscriberCardRoutes } from '../interfaces/admin/subscribers/card.ts'
import { subscriberListRoutes } from '../interfaces/admin/subscribers/list.ts'
import { subscriberLoginRoutes } from '../interfaces/admin/subscribers/logins/routes.ts'
import { leftOutRoutes } from '../interfaces/admin/messages/left-out.ts'
import { messageRoutes } from '../interfaces/admin/messages/list.ts'
import { mailingRoutes } from '../interfaces/admin/messages/mailing.ts'
import { messageTemplateRoutes } from '../interfaces/admin/messages/templates.ts'
import { subscriberLogRoutes } from '../interfaces/admin/subscribers/log/routes.ts'
import { ticketListRoutes } from '../interfaces/admin/subscribers/tickets/list.ts'
import { subscriberTicketRoutes } from '../interfaces/admin/subscribers/tickets/routes.ts'
import { promiseOperatorRoutes } from '../interfaces/admin/subscribers/promises.ts'
import { serviceOfferRoutes } from '../interfaces/admin/subscribers/services/offer.ts'
import { subscriberServiceRoutes } from '../interfaces/admin/subscribers/services/routes.ts'
import { servicesTabRoutes } from '../interfaces/admin/subscribers/services/tab.ts'
import { subscriberTariffRoutes } from '../interfaces/admin/subscribers/tariff/routes.ts'
import { whyRoutes } from '../interfaces/admin/subscribers/why/routes.ts'
import { webhookRoutes } from '../interfaces/gateways/webhook.ts'
import { mobileRoutes } from '../interfaces/mobile/routes.ts'
import { portalRoutes } from '../interfaces/portal/routes.ts'
import { viewRoutes } from '../interfaces/portal/view.ts'
import { restSection } from '../interfaces/rest/openapi.ts'
import type { RestParts } from '../interfaces/rest/parts.ts'
import { promiseRestRoutes } from '../interfaces/rest/promises/routes.ts'
import { restV2Routes } from '../interfaces/rest/routes.ts'
import { restV1Routes } from '../interfaces/rest/v1/routes.ts'
import { soapRoutes } from '../interfaces/soap/routes.ts'
import { systemRoutes } from '../interfaces/system/routes.ts'
import { webhookOutRoutes } from '../interfaces/admin/webhooks/routes.ts'
import { daySummaryRoutes } from '../interfaces/admin/day-summary.ts'
import { formerPageRoutes } from '../interfaces/admin/former-pages.ts'
import type { Route } from '../platform/http/call.ts'
import { plainRequests } from '../live/plain-requests.ts'
import { healthRoutes } from '../platform/http/health.ts'
import { redirect } from '../platform/http/reply.ts'
import type { PasswordTries } from '../platform/passwords/tries.ts'
import type { SignIn } from '../platform/staff/sign-in.ts'
import type { SecondFactors } from '../platform/staff/second-factors.ts'
import { signInRoutes } from '../platform/staff/sign-in-routes.ts'
import type { Inside } from './office.ts'
import { systemApi } from './system-api.ts'

/** Who may sign in, and how. */
export type Entrance = {
  readonly signIn: SignIn
  readonly factors: SecondFactors
  readonly portal: PortalSessions
  readonly phones: PhoneSessions
  readonly views: ClientViews
  /** Counts wrong passwords, wherever one is asked for. */
  readonly tries: PasswordTries
}

/** Every route of the program. */
export function routesOf(inside: Inside, entrance: Entrance): readonly Route[] {
  const { database, secrets, settings, accounts, clock, log, publicUrl, version, builtConsole } = inside
  const { signIn, tries } = entrance
  const rest = restParts(inside, entrance)
  const system = systemApi({ ...inside, forgetStaff: () => signIn.forgetAll() })
  const routes: Route[] = [
    ...signInRoutes(signIn, homePage(builtConsole)),
    { method: 'GET', path: '/', door: 'public', handler: () => redirect('/admin/') },
    ...healthRoutes(inside.notReady),
    ...plainRequests,
    ...restV2Routes(rest),
    ...restV1Routes(rest),
    ...promiseRestRoutes(rest),
    ...consoleRoutes(builtConsole),
    ...staffRoutes(inside, entrance, rest),
    ...clientRoutes(inside, entrance, rest),
    ...systemRoutes(system),
    ...soapRoutes({ pool: database.pool, accounts, secrets, settings, tries, clock, log, publicUrl }),
    ...webhookRoutes({ payments: inside.payments, settings, clock }),
    ...apiRoutes({ routes: () => routes, sections: () => [restSection()], publicUrl, version }),
  ]
  return routes
}

type Rest = ReturnType<typeof restParts>

function restParts(inside: Inside, { portal, phones }: Entrance) {
  const { database, accounts, subscribers, secrets, settings, follower, clock, log, publicUrl } = inside
  const timeZone = () => settings.get('TIME_ZONE')
  const scope = { database, timeZone }
  const cashDesk = new CashDesk(scope, () => ({
    cashier: settings.get('CASH_LIMIT_CASHIER'),
    day: settings.get('CASH_LIMIT_DAY'),
  }))
  const rest: RestParts & { readonly cashDesk: CashDesk } = {
    ...scope,
    cashDesk,
    accounts,
    secrets,
    changed: async (change) => {
      await follower.changed(change)
      if (!change.signsOut) return
      const logins = change.ids.map(loginId)
      await Promise.all(logins.flatMap((login) => [portal.endOthers(login, null), phones.endOthers(login, null)]))
    },
    publicUrl,
    log,
  }
  const countings = new Countings(clock)
  return { ...rest, database, subscribers, settings, countings, isReadOnly: () => settings.get('READ_ONLY_MODE') }
}

/** The routes for the provider's staff. */
function staffRoutes(inside: Inside, { signIn, factors, views }: Entrance, rest: Rest): readonly Route[] {
  const { printer, fiscal, payments, messages, jobs, secrets, sessions, clock, outgoingHttp, runs, webhooks } = inside
  const routes = [
    ...searchRoutes(rest),
    ...accountRoutes(rest),
    ...cashRoutes({ ...rest, printer, clock }),
    ...subscriberRoutes(inside, rest),
    ...asClientRoutes({ ...rest, views }),
    ...providerRoutes({ ...rest, secrets, signIn, outgoingHttp }),
    ...tariffListRoutes({ ...rest, clock }),
    ...serviceListRoutes({ ...rest, clock }),
    ...homeListRoutes(rest),
    ...switchListRoutes({ ...rest, sessions }),
    ...ownAccountRoutes({ ...rest, secrets, signIn, factors }),
    ...finopsRoutes({ ...rest, payments }),
    ...reportRoutes({ ...rest, clock }),
    ...documentRoutes({ ...rest, printer, clock }),
    ...fiscalRoutes({ ...rest, fiscal, clock }),
    ...paymentRoutes({ ...rest, payments }),
    ...messageRoutes({ ...rest, messages }),
    ...messageTemplateRoutes(rest),
    ...leftOutRoutes({ ...rest, messages }),
    ...webhookOutRoutes({ ...rest, webhooks, secrets, clock, destinations: outgoingHttp.destinations }),
    ...mailingRoutes({
      ...rest,
      messages,
      brand: () => rest.settings.get('MOBILE_BRAND_NAME'),
    }),
    ...jobRoutes(jobs),
    ...nodeRoutes(rest),
    ...doctorRoutes(inside),
    ...runRoutes({ runs }),
    ...importRoutes({ runs, secrets, clock, url: rest.database.url }),
    ...daySummaryRoutes({ ...rest, clock, sessions }),
    ...formerPageRoutes(),
    ...meRoutes({ ...rest, signIn, version: inside.version }),
    ...networkRoutes(inside, rest),
    ...sormRoutes(rest),
    ...userAttributeRoutes(rest),
  ]
  return countedRoutes(rest.countings, withScreens(routes))
}

/** The routes for staff that are about subscribers. */
function subscriberRoutes(
  { accounts, secrets, settings, sessions, foreignCounters, access, clock, runs }: Inside,
  rest: Rest,
): readonly Route[] {
  const billed = { ...rest, pool: rest.database.pool, clock }
  const many = { ...rest, clock, runs }
  const contractNumbers = () => settings.get('CONTRACT_NUMBER_PATTERN')
  return [
    ...newSubscriberRoutes({ ...rest, accounts, secrets, clock, pools: access.pools, contractNumbers }),
    ...subscriberLoginRoutes({ ...rest, pools: access.pools }),
    ...subscriberLogRoutes(rest),
    ...subscriberTicketRoutes(rest),
    ...ticketListRoutes(rest),
    ...adminBlockRoutes(rest),
    ...promiseOperatorRoutes(rest),
    ...subscriberServiceRoutes({ ...rest, clock }),
    ...servicesTabRoutes(billed),
    ...serviceOfferRoutes(billed),
    ...subscriberTariffRoutes(billed),
    ...blockManyRoutes({ ...many, sessions }),
    ...tariffManyRoutes(many),
    ...promiseManyRoutes(many),
    ...restRoutes(many),
    ...subscriberListRoutes({ ...rest, sessions }),
    ...subscriberCardRoutes({ ...rest, sessions, foreignCounters }),
  ]
}

/** The routes for staff that are about NAS, sessions and addresses. */
function networkRoutes(
  { access, sessions, foreignCounters, houses, disconnects, preview, nasHealth, radius, authLog, clock }: Inside,
  rest: Rest,
): readonly Route[] {
  return [
    ...ajaxRoutes({ ...rest, pools: access.pools, sessions, reverseLookup: new ReverseLookup() }),
    ...poolRoutes({
      ...rest,
      pools: access.pools,
      sessions,
      ownAddressOf: (login) => access.table.get(login)?.ip ?? -1,
    }),
    ...nasTemplateRoutes(rest),
    ...byHouseRoutes({ ...rest, houses }),
    ...authLogRoutes({ ...rest, clock }),
    ...unknownLoginRoutes(rest),
    ...coaHistoryRoutes(rest),
    ...sessionListRoutes({ ...rest, sessions, foreignCounters, access }),
    ...sessionCoaRoutes({ ...rest, sessions, disconnects }),
    ...sessionDisconnectRoutes({ ...rest, sessions, access, disconnects }),
    ...nasHealthRoutes({ nasHealth, radius }),
    ...usageRoutes({ ...rest, clock }),
    ...nasTestRoutes({ access, disconnects, preview, clock }),
    ...whyRoutes({ ...rest, preview, sessions, foreignCounters, authLog, nasHealth, clock }),
  ]
}

/** The routes for clients: their pages and their phones. */
function clientRoutes(inside: Inside, entrance: Entrance, rest: Rest): readonly Route[] {
  const { database, secrets, isPassword, clock, payments, messages, optOutLinks, version } = inside
  const { signIn, portal, phones, views, tries } = entrance
  const clients = { ...rest, pool: database.pool, secrets, isPassword, clock, portal, phones, tries, payments }
  return [
    ...portalRoutes({ ...clients, optOutLinks, publicOrigin: signIn.publicOrigin }),
    ...viewRoutes({ ...clients, optOutLinks, publicOrigin: signIn.publicOrigin, views }),
    ...mobileRoutes({ ...clients, devices: messages.devices, hasPush: () => messages.hasPush, version }),
  ]
}
