import type { StaffId } from '../../domain/ids.ts'
import { type Clock, systemClock } from '../actors/clock.ts'
import type { Call } from '../http/call.ts'
import { readCookie } from '../http/cookies.ts'
import { originOf } from '../http/csrf.ts'
import type { EndedSessions } from '../http/gate.ts'
import type { Log } from '../log.ts'
import { type EndedCredentials, endCredentials } from './ended-credentials.ts'
import { passwordLengthMax, verifyPassword } from './passwords.ts'
import type { Session } from './credentials.ts'
import { Sessions } from './sessions.ts'
import { type Queries, usernameForm } from './staff-table.ts'
import { SignInThrottle } from './throttle.ts'
import { readBearer, Tokens } from './tokens.ts'

export const sessionCookie = 'sessionid'

export type SignedIn = { readonly session: Session; readonly via: 'cookie' | 'header' }

type SignInOptions = {
  readonly database: Queries
  readonly log: Log
  readonly clock?: Clock
  /** TOLLGATE_PUBLIC_URL. Its origin is accepted as our own besides that of the Host header. */
  readonly publicUrl?: string
  readonly throttle?: SignInThrottle
}

export type Attempt =
  | { kind: 'signedIn'; staffId: StaffId; key: string; csrfToken: string }
  | { kind: 'wrong' }
  | { kind: 'throttled'; retryAfterSeconds: number }

export type Confirmation =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

/** Authenticates staff by password, session or token (specification 4.1). */
export class SignIn {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly publicOrigin: string | null
  readonly #database: Queries
  readonly #log: Log
  readonly #clock: Clock
  readonly #throttle: SignInThrottle
  readonly #endListeners: ((ended: EndedSessions) => void)[] = []

  constructor(options: SignInOptions) {
    const { database, log, clock = systemClock } = options
    this.#database = database
    this.#log = log
    this.#clock = clock
    this.#throttle = options.throttle ?? new SignInThrottle()
    this.sessions = new Sessions({ database, clock, log })
    this.tokens = new Tokens({ database, clock, log })
    this.publicOrigin = options.publicUrl === undefined ? null : originOf(options.publicUrl)
  }

  /**
   * Who a call comes from, by its API token, its X-Session-Hash or its cookie. Only the first of these that was sent is
   * looked at. Usually answered from the cache, without a query.
   */
  authenticate(call: Pick<Call, 'header'>): SignedIn | null | Promise<SignedIn | null> {
    const bearer = readBearer(call.header('authorization'))
    const key = call.header('x-session-hash')
    const via = bearer === null && key === '' ? 'cookie' : 'header'
    const found =
      bearer === null
        ? this.sessions.find(key || readCookie(call.header('cookie'), sessionCookie))
        : this.tokens.find(bearer)
    if (found instanceof Promise) return found.then((session) => session && { session, via })
    return found && { session: found, via }
  }

  /** Whether a session or token is still valid and its owner still has the right `view`. */
  async stillHolds({ keyHash }: Session): Promise<boolean> {
    const now = (await this.sessions.findByHash(keyHash)) ?? (await this.tokens.findByHash(keyHash))
    return now?.staff.rights.includes('view') ?? false
  }

  /** Ends every session and token of a staff user. */
  async endAllOf(staffId: StaffId): Promise<EndedCredentials> {
    const ended = await endCredentials(this.#database, staffId)
    this.endedAllOf(staffId)
    return ended
  }

  /** To be called after `endCredentials` is committed: closes the sockets and drops what is cached. */
  endedAllOf(staffId: StaffId): void {
    this.forgetAll()
    this.#tellEnd({ kind: 'staff', id: staffId })
  }

  onEnd(listener: (ended: EndedSessions) => void): void {
    this.#endListeners.push(listener)
  }

  #tellEnd(ended: EndedSessions): void {
    for (const listener of this.#endListeners) listener(ended)
  }

  /** Drops everything cached, because staff or tokens have changed. */
  forgetAll(): void {
    this.sessions.forgetAll()
    this.tokens.forgetAll()
  }

  /**
   * Starts a session if name and password are right. The call gives the address that failures are counted for. Rejects
   * Unavailable.
   */
  async attempt(call: Call, username: string, password: string): Promise<Attempt> {
    // No staff user can have such a name or password, and refusing early keeps such names out of the throttle.
    if (!usernameForm.test(username) || password === '' || password.length > passwordLengthMax) return { kind: 'wrong' }
    const nowMs = () => this.#clock.now().getTime()
    const made = await this.#throttle.attempt(username, call.address, nowMs, () => this.#staffOf(username, password))
    if (made.kind === 'throttled' || made.result === null) {
      this.#log.warn('A sign-in failed', {
        username,
        address: call.address,
        throttled: made.kind === 'throttled',
        requestId: call.id,
      })
      return made.kind === 'throttled' ? made : { kind: 'wrong' }
    }
    const staffId = made.result
    const session = await this.sessions.start(staffId, call.address, call.header('user-agent'))
    this.#log.info('Signed in', { username, staffId, address: call.address, requestId: call.id })
    return { kind: 'signedIn', staffId, ...session }
  }

  /**
   * Whether this is the present password of the caller. Failures count like those of a sign-in. Rejects Unavailable.
   */
  async confirm({ staff, address }: Call, password: string): Promise<Confirmation> {
    const nowMs = () => this.#clock.now().getTime()
    const check = () => this.#staffOf(staff!.username, password)
    const made = await this.#throttle.attempt(staff!.username, address, nowMs, check)
    if (made.kind === 'throttled') return made
    return { kind: made.result === staff!.id ? 'right' : 'wrong' }
  }

  /** Takes the same time whether the name is known, unknown or disabled. */
  async #staffOf(username: string, password: string): Promise<StaffId | null> {
    const found = await this.#database.query('SELECT id, password_hash FROM staff WHERE username = $1 AND enabled', [
      username,
    ])
    const row = found.rows[0]
    const stored = row ? String(row.password_hash) : null
    return (await verifyPassword(password, stored)) && row ? (Number(row.id) as StaffId) : null
  }

  /** Ends the session of a call, if it has one. */
  async end(call: Call): Promise<void> {
    const signedIn = await this.authenticate(call)
    if (!signedIn) return
    const { session } = signedIn
    await this.sessions.end(session)
    this.#tellEnd({ kind: 'session', id: session.keyHash })
    this.#log.info('Signed out', { username: session.staff.username, address: call.address, requestId: call.id })
  }
}
