import { missingRight, type Right, type StaffUser } from '../../domain/staff-user.ts'
import { readBearer } from '../http/bearer.ts'
import type { Door, Reply } from '../http/call.ts'
import { type ClientUser, type PortalSession, portalCookie } from '../http/client-user.ts'
import { readCookie } from '../http/cookies.ts'
import { csrfFault, csrfFaultText, isCrossSite, isOwnOrigin } from '../http/csrf.ts'
import { notAllowed, notSignedIn, refusal, refusalText } from '../http/errors.ts'
import type { Admission, Arrival, EndedSessions, Gate, Guarded, Refused, SocketAdmission } from '../http/gate.ts'
import { redirect } from '../http/reply.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

/** Identifies clients by the credentials that each door takes; null when they are not valid. */
type ClientSessions = {
  readonly ofCookie: (key: string) => PortalSession | null | Promise<PortalSession | null>
  readonly ofToken: (token: string) => Promise<ClientUser | null>
}

export type GateParts = {
  readonly signIn: SignIn
  /** The setting READ_ONLY_MODE, read for every write. */
  readonly isReadOnly: () => boolean
  /** Why a caller may not use the System API; null: they may. Left out, nobody may. */
  readonly refuseSystem?: ((caller: Arrival) => Promise<Reply | null>) | undefined
  /** Sessions of clients at the portal and on phones. Left out, no client is ever signed in. */
  readonly clients?: ClientSessions | undefined
}

const refuseEverybody = async (): Promise<Reply> => refusal('system', 403, refusalText.noSystemAccess)
const noClients: ClientSessions = { ofCookie: () => null, ofToken: async () => null }
/** Doors that the gate lets everybody through, in some cases because the handler authenticates the caller itself. */
const openDoors: ReadonlySet<Door> = new Set(['public', 'guest'])

const refused = (reply: Reply): Refused => ({ kind: 'refused', reply })
const admitted = (staff: StaffUser | null = null, client: ClientUser | null = null): Admission => ({
  kind: 'admitted',
  staff,
  client,
})

/** Admits calls by the sessions and tokens of staff and by the sessions of clients. */
export class StaffGate implements Gate {
  readonly #parts: { readonly [Name in keyof GateParts]-?: NonNullable<GateParts[Name]> }

  constructor({ signIn, isReadOnly, refuseSystem = refuseEverybody, clients = noClients }: GateParts) {
    this.#parts = { signIn, isReadOnly, refuseSystem, clients }
  }

  admit(call: Arrival, route: Guarded): Admission | Promise<Admission> {
    const { door } = route
    if (door === 'system')
      return this.#parts.refuseSystem(call).then((reply) => (reply ? refused(reply) : this.#admitProgram(call, route)))
    if (door === 'soap') return this.#admitProgram(call, route)
    if (door === 'app') return this.#admitProgram(call, route)
    if (openDoors.has(door)) return this.#refusesWrite(call, route) ? readOnlyRefusal(door) : admitted()
    if (door === 'mobile') return this.#admitPhone(call, route)
    if (door === 'client') return this.#admitPortal(call, route)
    const signedIn = this.#parts.signIn.authenticate(call)
    if (signedIn instanceof Promise) return signedIn.then((known) => this.#admitStaff(call, route, known))
    return this.#admitStaff(call, route, signedIn)
  }

  /** A page of another site must not make a browser call in place of a program. */
  #admitProgram(call: Arrival, route: Guarded, client: ClientUser | null = null): Admission {
    const { door } = route
    if (isWrite(call) && isCrossSite(call, this.#parts.signIn.publicOrigin))
      return refused(refusal(door, 403, csrfFaultText.crossSite))
    return this.#refusesWrite(call, route) ? readOnlyRefusal(door) : admitted(null, client)
  }

  async admitSocket(call: Arrival, door: Door): Promise<SocketAdmission> {
    if (door === 'public') return { kind: 'admitted', session: null }
    const signedIn = await this.#parts.signIn.authenticate(call)
    if (!signedIn) return refused(notSignedIn(door, null))
    // Browsers always send Origin when they open a WebSocket, so a caller without one is not a page of another site.
    const origin = call.header('origin')
    if (origin !== '' && !isOwnOrigin(origin, call, this.#parts.signIn.publicOrigin))
      return refused(refusal(door, 403, 'The Origin of this connection is another site.'))
    const { session } = signedIn
    if (this.#parts.signIn.mustEnrol(session)) return mustEnrolRefusal(door)
    if (!session.staff.rights.includes('view')) return refused(notAllowed(door, 'view'))
    const stillHolds = () => this.#parts.signIn.stillHolds(session)
    return { kind: 'admitted', session: { id: session.keyHash, staff: session.staff, stillHolds } }
  }

  onSessionEnd(listener: (ended: EndedSessions) => void): void {
    this.#parts.signIn.onEnd(listener)
  }

  #refusesWrite(call: Arrival, route: Guarded): boolean {
    return isWrite(call) && !route.allowedReadOnly && this.#parts.isReadOnly()
  }

  #admitStaff(call: Arrival, route: Guarded, signedIn: SignedIn | null): Admission {
    const { door } = route
    if (!signedIn) return refused(unknownCaller(call, door))
    const { session, via } = signedIn
    const csrf = this.#csrfRefusal(call, door, via, session.csrfToken)
    if (csrf) return csrf
    if (!route.beforeSecondFactor && this.#parts.signIn.mustEnrol(session)) return mustEnrolRefusal(door)
    const missing = missingRight(session.staff, route.right ?? defaultRight(call))
    if (missing) return refused(notAllowed(door, missing))
    if (route.forAllOrganizations && session.staff.organizations !== null)
      return refused(refusal(door, 403, refusalText.forAllOrganizations))
    return this.#refusesWrite(call, route) ? readOnlyRefusal(door) : admitted(session.staff)
  }

  async #admitPhone(call: Arrival, route: Guarded): Promise<Admission> {
    const token = readBearer(call.header('authorization'))
    const client = token === null ? null : await this.#parts.clients.ofToken(token)
    if (!client) {
      const sentence = token === null ? refusalText.notSignedIn : refusalText.tokenInvalid
      return refused(notSignedIn('mobile', null, sentence))
    }
    return this.#admitProgram(call, route, client)
  }

  async #admitPortal(call: Arrival, route: Guarded): Promise<Admission> {
    const session = await this.#parts.clients.ofCookie(readCookie(call.header('cookie'), portalCookie(call)))
    if (!session) return refused(notSignedIn('client', returnAddress(call)))
    const csrf = this.#csrfRefusal(call, 'client', 'cookie', session.csrfToken)
    if (csrf) return csrf
    return this.#refusesWrite(call, route) ? readOnlyRefusal('client') : admitted(null, session.client)
  }

  #csrfRefusal(call: Arrival, door: Door, via: SignedIn['via'], sessionToken: string): Refused | null {
    if (!isWrite(call)) return null
    const fault = csrfFault({ call, door, via, sessionToken, publicOrigin: this.#parts.signIn.publicOrigin })
    return fault && refused(refusal(door, 403, csrfFaultText[fault]))
  }
}

const isWrite = ({ method }: Arrival): boolean => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

const defaultRight = (call: Arrival): Right => (isWrite(call) ? 'change' : 'view')

/** A page leads to where the second factor is set up. */
const mustEnrolRefusal = (door: Door): Refused =>
  refused(
    door === 'page'
      ? redirect('/admin/account/?enrol=1')
      : refusal(door, 403, 'Your role needs a second factor; set it up at /admin/account/.'),
  )

const readOnlyRefusal = (door: Door): Refused => refused(refusal(door, 403, refusalText.readOnly))

function unknownCaller(call: Arrival, door: Door): Reply {
  const sentToken = readBearer(call.header('authorization')) !== null
  return notSignedIn(door, returnAddress(call), sentToken ? refusalText.tokenInvalid : refusalText.notSignedIn)
}

/**
 * The address that a browser returns to after the sign-in; null for a write, which cannot be repeated by a redirect.
 */
const returnAddress = ({ method, rawPath, queryText }: Arrival): string | null =>
  method !== 'GET' ? null : queryText === '' ? rawPath : `${rawPath}?${queryText}`
