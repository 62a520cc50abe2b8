import type { Route } from '../../platform/http/call.ts'
import { accountRoutes } from './account.ts'
import { MobileDoors } from './door.ts'
import { historyRoutes } from './history.ts'
import { mailingRoutes } from './mailings.ts'
import { openApiRoute } from './openapi.ts'
import type { MobileParts } from './parts.ts'
import { payRoutes } from './pay.ts'
import { promiseRoutes } from './promise.ts'
import { pushRoutes } from './push.ts'
import { serviceRoutes } from './services.ts'
import { signInRoutes } from './sign-in.ts'
import { startRoutes } from './start-screen.ts'
import { tariffRoutes } from './tariffs.ts'
import { ticketRoutes } from './tickets.ts'

/** The routes of `/mobile-api/v1/` (specification 4.9). The live WebSocket is in src/live/phones.ts. */
export function mobileRoutes(parts: MobileParts): Route[] {
  const doors = new MobileDoors(parts)
  const routes = [
    ...startRoutes(parts),
    ...signInRoutes(parts, doors),
    ...accountRoutes(parts, doors),
    ...tariffRoutes(parts, doors),
    ...historyRoutes(parts, doors),
    ...promiseRoutes(parts, doors),
    ...payRoutes(parts, doors),
    ...ticketRoutes(parts, doors),
    ...serviceRoutes(parts, doors),
    ...pushRoutes(parts, doors),
    ...mailingRoutes(parts, doors),
  ]
  return [...routes, openApiRoute(routes, parts)]
}
