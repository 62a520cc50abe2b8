import type { Call, Door, Reply, Route } from './call.ts'
import { csrfFault, csrfFaultText } from './csrf.ts'
import { notSignedIn, refusal, refusalText } from './errors.ts'
import type { CopiedRequest } from './request.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

/** The one place before all handlers: 401, then 403 for CSRF, then 403 for READ_ONLY_MODE. */
export type Gate = {
  /** null lets the request in, with `request.staff` set. Immediate, unless the session has to be read from the table. */
  admit(request: CopiedRequest, route: Pick<Route, 'door' | 'allowedReadOnly'>): Reply | null | Promise<Reply | null>
}

const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

export function createGate(
  signIn: SignIn,
  isReadOnly: () => boolean,
  admitsSystem: (caller: Pick<Call, 'address' | 'header'>) => boolean = () => false,
): Gate {
  return {
    admit(request, { door, allowedReadOnly = false }) {
      const refusesWrites = isWrite(request.method) && !allowedReadOnly && isReadOnly()
      if (door === 'system' && !admitsSystem(request)) return refusal(door, 403, refusalText.noSystemAccess)
      if (door === 'public' || door === 'system') return refusesWrites ? readOnlyRefusal(door) : null
      const signedIn = signIn.authenticate(request)
      if (signedIn instanceof Promise)
        return signedIn.then((known) => decide(request, door, known, refusesWrites, signIn))
      return decide(request, door, signedIn, refusesWrites, signIn)
    },
  }
}

const readOnlyRefusal = (door: Door): Reply => refusal(door, 403, refusalText.readOnly)

function decide(
  request: CopiedRequest,
  door: Door,
  signedIn: SignedIn | null,
  refusesWrites: boolean,
  { publicOrigin }: SignIn,
): Reply | null {
  if (!signedIn) return notSignedIn(door, request.method === 'GET' ? addressOf(request) : null)
  const { session, via } = signedIn
  if (isWrite(request.method)) {
    const fault = csrfFault({ call: request, door, via, sessionToken: session.csrfToken, publicOrigin })
    if (fault) return refusal(door, 403, csrfFaultText[fault])
  }
  if (refusesWrites) return readOnlyRefusal(door)
  request.staff = session.staff
  return null
}

const addressOf = ({ rawPath, queryText }: CopiedRequest): string =>
  queryText === '' ? rawPath : `${rawPath}?${queryText}`
