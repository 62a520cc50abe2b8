import type { Route } from '../../../platform/http/call.ts'
import { accountDoors, type AccountParts } from './doors.ts'
import { passkeyRoutes } from './passkeys.ts'
import { ownSessionRoutes } from './sessions.ts'

/** What staff users change of their own: every role may, and no API token. The console has the screen. */
export const ownAccountRoutes = (parts: AccountParts): Route[] =>
  [...accountDoors(parts), ...passkeyRoutes(parts), ...ownSessionRoutes(parts)].map((route) => ({
    ...route,
    beforeSecondFactor: true,
  }))
