import type { PhoneSessions } from '../billing/clients/phone-sessions.ts'
import type { PortalSessions } from '../billing/clients/portal-sessions.ts'
import { loginId } from '../domain/ids.ts'
import { ownAccountRoutes } from '../interfaces/admin/account/routes.ts'
import { accountRoutes } from '../interfaces/admin/accounts/routes.ts'
import { finopsRoutes } from '../interfaces/admin/finops/routes.ts'
import { ajaxRoutes } from '../interfaces/admin/network/ajax.ts'
import { nasTestRoutes } from '../interfaces/admin/network/nas-test.ts'
import { ReverseLookup } from '../interfaces/admin/network/reverse-lookup.ts'
import { nasTemplateRoutes } from '../interfaces/admin/network/templates.ts'
import { watchRoutes } from '../interfaces/admin/network/watch.ts'
import { documentRoutes } from '../interfaces/admin/documents/documents.ts'
import { fiscalRoutes } from '../interfaces/admin/documents/fiscal.ts'
import { paymentRoutes } from '../interfaces/admin/payments/routes.ts'
import { apiRoutes } from '../interfaces/admin/provider/api.ts'
import { jobRoutes } from '../interfaces/admin/provider/jobs.ts'
import { providerRoutes } from '../interfaces/admin/provider/routes.ts'
import { sormRoutes } from '../interfaces/admin/provider/sorm.ts'
import { userAttributeRoutes } from '../interfaces/admin/provider/user-attributes.ts'
import { withScreens } from '../interfaces/admin/screens.ts'
import { adminBlockRoutes } from '../interfaces/admin/subscribers/blocks.ts'
import { messageRoutes } from '../interfaces/admin/subscribers/messages.ts'
import { promiseOperatorRoutes } from '../interfaces/admin/subscribers/promises.ts'
import { subscriberServiceRoutes } from '../interfaces/admin/subscribers/services/routes.ts'
import { webhookRoutes } from '../interfaces/gateways/webhook.ts'
import { mobileRoutes } from '../interfaces/mobile/routes.ts'
import { portalRoutes } from '../interfaces/portal/routes.ts'
import { restSection } from '../interfaces/rest/openapi.ts'
import type { RestParts } from '../interfaces/rest/parts.ts'
import { promiseRestRoutes } from '../interfaces/rest/promises/routes.ts'
import { restV2Routes } from '../interfaces/rest/routes.ts'
import { restV1Routes } from '../interfaces/rest/v1/routes.ts'
import { soapRoutes } from '../interfaces/soap/routes.ts'
import { systemRoutes } from '../interfaces/system/routes.ts'
import { homeRoutes, adminPages } from '../interfaces/admin/provider/home.ts'
import type { Route } from '../platform/http/call.ts'
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
  /** Counts wrong passwords, wherever one is asked for. */
  readonly tries: PasswordTries
}

/** Every route of the program. */
export function routesOf(inside: Inside, entrance: Entrance): readonly Route[] {
  const { database, secrets, settings, accounts, clock, log, publicUrl, version } = inside
  const { signIn, tries } = entrance
  const rest = restParts(inside, entrance)
  const system = systemApi({ ...inside, forgetStaff: () => signIn.forgetAll() })
  const routes: Route[] = [
    ...signInRoutes(signIn, adminPages),
    { method: 'GET', path: '/', door: 'public', handler: () => redirect('/admin/') },
    ...healthRoutes(inside.notReady),
    ...restV2Routes(rest),
    ...restV1Routes(rest),
    ...promiseRestRoutes(rest),
    ...staffRoutes(inside, entrance, rest),
    ...clientRoutes(inside, entrance, rest),
    ...systemRoutes(system),
    ...soapRoutes({ pool: database.pool, accounts, secrets, settings, tries, clock, log, publicUrl }),
    ...webhookRoutes({ payments: inside.payments, settings, clock }),
    ...apiRoutes({ routes: () => routes, sections: [restSection()], publicUrl, version }),
  ]
  return routes
}

type Rest = ReturnType<typeof restParts>

function restParts(inside: Inside, { portal, phones }: Entrance) {
  const { database, accounts, subscribers, secrets, settings, follower, log, publicUrl } = inside
  const timeZone = () => settings.get('TIME_ZONE')
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
  return { ...rest, database, subscribers, settings, isReadOnly: () => settings.get('READ_ONLY_MODE') }
}

/** For the provider's staff. */
function staffRoutes(inside: Inside, { signIn, factors }: Entrance, rest: Rest): readonly Route[] {
  const {
    printer,
    fiscal,
    payments,
    messages,
    jobs,
    secrets,
    sessions,
    access,
    disconnects,
    preview,
    clock,
    outgoingHttp,
  } = inside
  return withScreens([
    ...accountRoutes(rest),
    ...adminBlockRoutes(rest),
    ...promiseOperatorRoutes(rest),
    ...subscriberServiceRoutes(rest),
    ...providerRoutes({ ...rest, secrets, signIn, outgoingHttp }),
    ...ownAccountRoutes({ ...rest, secrets, signIn, factors }),
    ...finopsRoutes(rest),
    ...documentRoutes({ ...rest, printer }),
    ...fiscalRoutes({ ...rest, fiscal }),
    ...paymentRoutes({ ...rest, payments }),
    ...messageRoutes({ ...rest, messages }),
    ...jobRoutes(jobs),
    ...homeRoutes(),
    ...watchRoutes(),
    ...ajaxRoutes({ ...rest, pools: access.pools, sessions, reverseLookup: new ReverseLookup() }),
    ...nasTemplateRoutes(rest),
    ...nasTestRoutes({ access, disconnects, preview, clock }),
    ...sormRoutes(rest),
    ...userAttributeRoutes(rest),
  ])
}

/** For clients: their pages and their phones. */
function clientRoutes(inside: Inside, entrance: Entrance, rest: Rest): readonly Route[] {
  const { database, secrets, isPassword, clock, payments, messages, version } = inside
  const { signIn, portal, phones, tries } = entrance
  const clients = { ...rest, pool: database.pool, secrets, isPassword, clock, portal, phones, tries, payments }
  return [
    ...portalRoutes({ ...clients, publicOrigin: signIn.publicOrigin }),
    ...mobileRoutes({ ...clients, devices: messages.devices, hasPush: () => messages.hasPush, version }),
  ]
}
