import type { SignedIn, SignIn } from '../staff/sign-in.ts'
import type { Right } from '../staff/staff.ts'
import { readBearer } from '../staff/tokens.ts'
import type { Call, Reply, Route } from './call.ts'
import type { ClientUser } from './client-user.ts'
import { type PortalSession, portalCookie } from './client-user.ts'
import { readCookie } from './cookies.ts'
import { csrfFault, csrfFaultText, isFromElsewhere } from './csrf.ts'
import { notAllowed, notSignedIn, refusal, refusalText } from './errors.ts'
import type { CopiedRequest } from './request.ts'

/** What the gate has to know of a route. */
export type Guarded = Pick<Route, 'door' | 'right' | 'allowedReadOnly'>

/** The one place before all handlers: 401, then 403 for CSRF, for a missing right, for READ_ONLY_MODE. */
export type Gate = {
  /** null lets the request in, with `request.staff` set. Immediate, unless the session has to be read from the table. */
  admit(request: CopiedRequest, route: Guarded): Reply | null | Promise<Reply | null>
}

const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

/** Who a client is, by the proof that the door takes. Without it these doors are closed to everybody. */
export type ClientDoors = {
  ofCookie(key: string): PortalSession | null | Promise<PortalSession | null>
  ofToken(token: string): Promise<ClientUser | null>
}

const noClients: ClientDoors = { ofCookie: () => null, ofToken: async () => null }

export function createGate(
  signIn: SignIn,
  isReadOnly: () => boolean,
  admitsSystem: (caller: Pick<Call, 'address' | 'header'>) => boolean = () => false,
  clients: ClientDoors = noClients,
): Gate {
  return {
    admit(request, route) {
      const { door } = route
      const refusesWrites = isWrite(request.method) && !route.allowedReadOnly && isReadOnly()
      if (door === 'system' && !admitsSystem(request)) return refusal(door, 403, refusalText.noSystemAccess)
      if (
        (door === 'system' || door === 'soap') &&
        isWrite(request.method) &&
        isFromElsewhere(request, signIn.publicOrigin)
      )
        return refusal(door, 403, csrfFaultText.foreignOrigin)
      if (door === 'public' || door === 'app' || door === 'guest' || door === 'soap' || door === 'system')
        return refusesWrites ? readOnlyRefusal(route) : null
      if (door === 'mobile') return admitPhone(request, refusesWrites, clients)
      if (door === 'client') return admitPortal(request, route, refusesWrites, clients, signIn.publicOrigin)
      const signedIn = signIn.authenticate(request)
      if (signedIn instanceof Promise)
        return signedIn.then((known) => decide(request, route, known, refusesWrites, signIn))
      return decide(request, route, signedIn, refusesWrites, signIn)
    },
  }
}

async function admitPhone(request: CopiedRequest, refusesWrites: boolean, clients: ClientDoors): Promise<Reply | null> {
  const token = readBearer(request.header('authorization'))
  const client = token === null ? null : await clients.ofToken(token)
  if (!client) return notSignedIn('mobile', null, token === null ? refusalText.notSignedIn : refusalText.tokenInvalid)
  if (refusesWrites) return readOnlyRefusal({ door: 'mobile' })
  request.client = client
  return null
}

async function admitPortal(
  request: CopiedRequest,
  route: Guarded,
  refusesWrites: boolean,
  clients: ClientDoors,
  publicOrigin: string | null,
): Promise<Reply | null> {
  const session = await clients.ofCookie(readCookie(request.header('cookie'), portalCookie))
  if (!session) return notSignedIn('client', request.method === 'GET' ? addressOf(request) : null)
  if (isWrite(request.method)) {
    const { door } = route
    const fault = csrfFault({ call: request, door, via: 'cookie', sessionToken: session.csrfToken, publicOrigin })
    if (fault) return refusal(door, 403, csrfFaultText[fault])
  }
  if (refusesWrites) return readOnlyRefusal(route)
  request.client = session.client
  return null
}

const readOnlyRefusal = ({ door }: Guarded): Reply => refusal(door, 403, refusalText.readOnly)

function decide(
  request: CopiedRequest,
  route: Guarded,
  signedIn: SignedIn | null,
  refusesWrites: boolean,
  { publicOrigin }: SignIn,
): Reply | null {
  const { door } = route
  if (!signedIn) return unknownCaller(request, route)
  const { session, via } = signedIn
  if (isWrite(request.method)) {
    const fault = csrfFault({ call: request, door, via, sessionToken: session.csrfToken, publicOrigin })
    if (fault) return refusal(door, 403, csrfFaultText[fault])
  }
  const right = route.right ?? usualRight(request.method)
  if (!session.staff.rights.includes(right)) return notAllowed(door, right)
  if (refusesWrites) return readOnlyRefusal(route)
  request.staff = session.staff
  return null
}

const usualRight = (method: string): Right => (isWrite(method) ? 'change' : 'view')

function unknownCaller(request: CopiedRequest, { door }: Guarded): Reply {
  const from = request.method === 'GET' ? addressOf(request) : null
  const sentToken = readBearer(request.header('authorization')) !== null
  return notSignedIn(door, from, sentToken ? refusalText.tokenInvalid : refusalText.notSignedIn)
}

const addressOf = ({ rawPath, queryText }: CopiedRequest): string =>
  queryText === '' ? rawPath : `${rawPath}?${queryText}`
