import { type StaffId, staffId as staffIdOf } from '../../domain/ids.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { type Clock, systemClock } from '../actors/clock.ts'
import { readBearer } from '../http/bearer.ts'
import type { Call } from '../http/call.ts'
import { readCookie } from '../http/cookies.ts'
import { originOf } from '../http/csrf.ts'
import type { EndedSessions } from '../http/gate.ts'
import type { Log } from '../log.ts'
import { PasswordTries, type Tried } from '../passwords/tries.ts'
import { type EndedCredentials, endCredentials } from './ended-credentials.ts'
import { passwordFault } from './password-rules.ts'
import { passwordLengthMax, verifyPassword } from './passwords.ts'
import type { Session } from './credentials.ts'
import { Sessions } from './sessions.ts'
import { SignInAudit } from './sign-in-audit.ts'
import { hasSecondFactor, type Queries, staffOwner, usernameForm } from './staff-table.ts'
import { passwordSuffices } from './second-factor-modes.ts'
import type { FactorAnswer, Proof, SecondFactors, TooManyCodes } from './second-factors.ts'
import { Tokens } from './tokens.ts'

export const sessionCookie = 'sessionid'

export type SignedIn = { readonly session: Session; readonly via: 'cookie' | 'header' }

type SignInOptions = {
  readonly database: Queries
  readonly log: Log
  readonly clock?: Clock
  /** TOLLGATE_PUBLIC_URL. Its origin is accepted as our own besides that of the Host header. */
  readonly publicUrl?: string
  /** Shared with every other place that asks for a password. */
  readonly tries?: PasswordTries
  /** Left out, nobody has a second factor. */
  readonly factors?: SecondFactors
}

export type Attempt =
  /** `isWeak`: the password was set before the rules for new ones, and breaks them. */
  | { kind: 'signedIn'; staffId: StaffId; key: string; csrfToken: string; isWeak: boolean }
  /** The password was right, and the browser is to send a code with this key. */
  | { kind: 'secondFactor'; challenge: string }
  /** The password alone does not sign a program in. */
  | { kind: 'needsFactor' }
  | { kind: 'wrong' }
  | { kind: 'throttled'; retryAfterSeconds: number }

type Known = {
  staffId: StaffId
  passwordHash: string
  isSuperuser: boolean
  role: string
  hasFactor: boolean
  /** Whether a session from the address that asks is stored. */
  hasSession: boolean
}

type Beginning = { staffId: StaffId; username: string; passwordHash: string; isWeak: boolean; by: string }

type SignedInNow = Extract<Attempt, { kind: 'signedIn' }>

export type Completion = SignedInNow | { kind: 'wrong' } | { kind: 'over' } | TooManyCodes

type WrongFactor = Extract<FactorAnswer, { kind: 'wrong' }>

type Checked =
  | ({ readonly kind: 'right' } & Known)
  | { readonly kind: 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

export type Confirmation =
  | { readonly kind: 'right'; readonly passwordHash: string }
  | Exclude<Checked, { kind: 'right' }>

/** Authenticates staff by password, session or token (specification 4.1). */
export class SignIn {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly audit: SignInAudit
  readonly factors: SecondFactors | null
  readonly publicOrigin: string | null
  readonly #database: Queries
  readonly #log: Log
  readonly #clock: Clock
  readonly #tries: PasswordTries
  readonly #endListeners: ((ended: EndedSessions) => void)[] = []

  constructor(options: SignInOptions) {
    const { database, log, clock = systemClock } = options
    this.#database = database
    this.#log = log
    this.#clock = clock
    this.#tries = options.tries ?? new PasswordTries({ clock })
    this.sessions = new Sessions({ database, clock, log })
    this.tokens = new Tokens({ database, clock, log })
    this.audit = new SignInAudit(database)
    this.factors = options.factors ?? null
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

  /**
   * Whether a session or token is still valid, and its owner still has the right `view` and sees the organizations that
   * were seen when it was found.
   */
  async stillHolds({ keyHash, staff }: Session): Promise<boolean> {
    const now = (await this.sessions.findByHash(keyHash)) ?? (await this.tokens.findByHash(keyHash))
    return now ? now.staff.rights.includes('view') && seesTheSame(now.staff, staff) : false
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

  /** To be called after `endOtherSessions` is committed. */
  endedSessions(keyHashes: readonly string[]): void {
    this.forgetAll()
    for (const id of keyHashes) this.#tellEnd({ kind: 'session', id })
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
  async attempt(call: Call, username: string, password: string, by: 'page' | 'api'): Promise<Attempt> {
    // No staff user can have such a name or password, so there is nothing to check and nothing to count.
    if (!usernameForm.test(username) || password === '' || password.length > passwordLengthMax) return { kind: 'wrong' }
    const checked = await this.#check(call, username, password, by)
    if (checked.kind !== 'right') return checked
    const { staffId, passwordHash } = checked
    const isWeak = passwordFault(password) !== null
    if (this.factors && !passwordSuffices(this.factors.modeOf(checked), checked.hasFactor, by === 'api')) {
      if (by === 'api') return { kind: 'needsFactor' }
      const begun = await this.factors.begin(staffId, isWeak, passwordHash)
      if (begun.kind === 'over') return { kind: 'wrong' }
      return begun.kind === 'begun' ? { kind: 'secondFactor', challenge: begun.challenge } : begun
    }
    return (await this.#begin(call, { staffId, username, passwordHash, isWeak, by })) ?? { kind: 'wrong' }
  }

  /** Completes a sign-in that `attempt` has begun, by a second factor. */
  async complete(call: Call, challenge: string, proof: Proof): Promise<Completion> {
    const answer = (await this.factors?.answer(challenge, proof)) ?? { kind: 'over' }
    if (answer.kind === 'right')
      return (await this.#begin(call, { ...answer, by: `page, ${answer.by}` })) ?? { kind: 'over' }
    if (answer.kind !== 'wrong') return answer
    await this.#noteWrongFactor(call, answer, 'page')
    return { kind: 'wrong' }
  }

  /** Whether this is a second factor of the caller. Wrong ones count as at the sign-in. */
  async confirmFactor(call: Call, proof: Proof): Promise<FactorAnswer> {
    const answer = (await this.factors?.confirm(call.staff!.id, proof)) ?? { kind: 'over' }
    if (answer.kind === 'wrong') await this.#noteWrongFactor(call, answer, 'confirmation')
    return answer
  }

  async #noteWrongFactor({ address, id }: Call, { staffId, username, by }: WrongFactor, step: string): Promise<void> {
    this.#log.warn('A second factor was wrong', { username, address, by, requestId: id })
    const failure = { action: 'sign_in_failed', staffId, username, address, by: `${step}, ${by}` } as const
    await this.audit.write(failure, this.#nowMs())
  }

  /** Whether the setting makes the owner of the session set up a second factor before anything else. */
  mustEnrol({ staff, role, hasSecondFactor }: Session): boolean {
    if (staff.byToken || hasSecondFactor) return false
    return this.factors?.modeOf({ isSuperuser: staff.isSuperuser, role }) === 'required'
  }

  /** Null: the password was changed, or the user disabled, while it was checked. */
  async #begin(call: Call, { staffId, username, passwordHash, isWeak, by }: Beginning): Promise<SignedInNow | null> {
    const session = await this.sessions.start(staffId, passwordHash, call.address, call.header('user-agent'))
    if (!session) return null
    await this.audit.write({ action: 'sign_in', staffId, username, address: call.address, by }, this.#nowMs())
    this.#log.info('Signed in', { username, staffId, address: call.address, requestId: call.id, isWeak })
    return { kind: 'signedIn', staffId, ...session, isWeak }
  }

  async #check({ address, id }: Call, username: string, password: string, by: string): Promise<Checked> {
    const found = await this.#read(username, address)
    const tried: Tried = {
      entrance: by === 'confirmation' ? 'password' : 'admin',
      address,
      owners: found ? [staffOwner(found.staffId)] : [],
      name: username,
      hasSession: found?.hasSession ?? false,
    }
    const made = await this.#tries.attempt(tried, async (place) => {
      // It takes the same time whether the name is known, unknown or disabled.
      const isRight = await verifyPassword(password, found?.passwordHash ?? null, place)
      return isRight && found ? found : null
    })
    if (made.kind === 'made' && made.result !== null) return { kind: 'right', ...made.result }
    this.#log.warn('A sign-in failed', { username, address, throttled: made.kind === 'throttled', requestId: id })
    if (made.kind === 'throttled') return made
    const failure = { action: 'sign_in_failed', staffId: found?.staffId ?? null, username, address, by } as const
    await this.audit.write(failure, this.#nowMs())
    return { kind: 'wrong' }
  }

  #nowMs = (): number => this.#clock.now().getTime()

  /**
   * Whether this is the present password of the caller. Failures count like those of a sign-in. Rejects Unavailable.
   */
  async confirm(call: Call, password: string): Promise<Confirmation> {
    const checked = await this.#check(call, call.staff!.username, password, 'confirmation')
    return checked.kind === 'right' && checked.staffId !== call.staff!.id ? { kind: 'wrong' } : checked
  }

  async #read(username: string, address: string): Promise<Known | null> {
    const [row] = (await this.#database.query(selectStaff, [username, address])).rows
    if (!row) return null
    return {
      staffId: staffIdOf(String(row.id)),
      passwordHash: String(row.password_hash),
      isSuperuser: row.is_superuser === true,
      role: String(row.role),
      hasFactor: row.has_factor === true,
      hasSession: row.has_session === true,
    }
  }

  /** Ends the session of a call, if it has one. */
  async end(call: Call): Promise<void> {
    const signedIn = await this.authenticate(call)
    if (!signedIn) return
    const { session } = signedIn
    const { id: staffId, username, byToken } = session.staff
    if (byToken) return
    await this.sessions.end(session)
    await this.audit.write({ action: 'sign_out', staffId, username, address: call.address, by: 'page' }, this.#nowMs())
    this.#tellEnd({ kind: 'session', id: session.keyHash })
    this.#log.info('Signed out', { username, address: call.address, requestId: call.id })
  }
}

const seesTheSame = (a: StaffUser, b: StaffUser): boolean =>
  [...(a.organizations ?? ['all'])].sort().join() === [...(b.organizations ?? ['all'])].sort().join()

const selectStaff = `SELECT id, password_hash, is_superuser, role, ${hasSecondFactor()} AS has_factor,
    EXISTS (SELECT FROM staff_sessions WHERE staff_id = staff.id AND address = $2) AS has_session
  FROM staff WHERE username = $1 AND enabled`
