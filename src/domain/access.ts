import { blockBits } from './block.ts'
import { zonedText } from './calendar.ts'

/**
 * What the access decision reads of one login. The shared access table provides it without allocating objects. Times
 * are epoch seconds.
 */
export type AccessEntry = {
  readonly deleted: boolean
  /** Switched off by an operator; the walled garden does not help here. */
  readonly disabledByHand: boolean
  /** The stored Users.enabled and Abonents.enabled. */
  readonly loginEnabled: boolean
  readonly subscriberEnabled: boolean
  readonly blockBits: number
  /** Frozen until this moment; 0 when not. */
  readonly asleepUntil: number
  /** When access that is open now closes by itself (an unlimited term that hides a debt); 0 when it does not. */
  readonly accessEnd: number
  /** The tariff lets debtors into an address list instead of refusing them. */
  readonly walledGarden: boolean
  readonly simultaneousUse: number
  readonly liveSessions: number
  /** Whether a live session of this login came from this station (stationHash of its Calling-Station-Id). */
  hasStation(station: number): boolean
}

export type AccessRules = {
  /** What happens when a login has too many sessions: refuse the new one, or admit it and disconnect the oldest. */
  readonly simultaneous: 'reject' | 'replace'
}

/**
 * `replaces` names the live session that this one replaces. `sessionSeconds` is the Session-Timeout; 0 when there is
 * none.
 */
export type Grant = {
  readonly kind: 'grant'
  readonly walledGarden: boolean
  readonly sessionSeconds: number
  readonly replaces: 'nothing' | 'station' | 'oldest'
}

const wrongCredentials = 'unknown login or wrong password'

/**
 * Every reason for an Access-Reject, also a metric label, with its Reply-Message. An unknown login and a wrong password
 * have the same text, so that logins cannot be guessed.
 */
const refusalText = {
  unknownLogin: wrongCredentials,
  wrongPassword: wrongCredentials,
  subscriberDeleted: 'subscriber deleted',
  loginDisabled: 'login disabled',
  subscriberDisabled: 'subscriber disabled',
  blockedByOperator: 'blocked: by the operator',
  blockedByClient: "blocked: at the client's request",
  blockedBySystem: 'blocked: by the system',
  negativeBalance: 'blocked: negative balance',
  asleep: 'frozen until',
  tooManySessions: 'too many sessions',
  noFreeAddress: 'no free address',
  eapNotOffered: 'unsupported authentication method',
  refusedRealm: 'realm not accepted',
  chapWithHash: wrongCredentials,
  msChapWithHash: wrongCredentials,
  answerTooLong: 'the answer is too long',
} as const

export type RefusalReason = keyof typeof refusalText
export const refusalReasons = Object.keys(refusalText) as RefusalReason[]

/** What programs call the reasons, in the log of sign-ins and in the office; these words never change. */
export const refusalCodes = {
  unknownLogin: 'unknown_login',
  wrongPassword: 'wrong_password',
  subscriberDeleted: 'deleted',
  loginDisabled: 'login_disabled',
  subscriberDisabled: 'subscriber_disabled',
  blockedByOperator: 'blocked_operator',
  blockedByClient: 'blocked_client',
  blockedBySystem: 'blocked_system',
  negativeBalance: 'blocked_debt',
  asleep: 'asleep',
  tooManySessions: 'too_many_sessions',
  noFreeAddress: 'no_free_address',
  eapNotOffered: 'eap_not_offered',
  refusedRealm: 'realm_refused',
  chapWithHash: 'chap_with_hash',
  msChapWithHash: 'ms_chap_with_hash',
  answerTooLong: 'answer_too_long',
} as const satisfies Record<RefusalReason, string>

export type RefusalCode = (typeof refusalCodes)[RefusalReason]

export type Refusal = { readonly kind: 'refusal'; readonly reason: RefusalReason }

/** What a Reply-Message says of the login; null: the request leads to none. */
type Described = Pick<AccessEntry, 'asleepUntil'> | null

/** The Reply-Message for one login; `frozen until` is followed by the moment, by the clocks of TIME_ZONE. */
export const replyMessage = (reason: RefusalReason, entry: Described, timeZone: string): string =>
  reason === 'asleep' && entry
    ? `${refusalText.asleep} ${zonedText(new Date(entry.asleepUntil * 1000), timeZone)}`
    : refusalText[reason]

/** What an operator reads about a rejection: the Reply-Message, with what only he can act on. */
export function operatorText(reason: RefusalReason, entry: Described, timeZone: string): string {
  const detail = operatorDetail[reason]
  const message = replyMessage(reason, entry, timeZone)
  return detail === undefined ? message : `${message}: ${detail}`
}

const operatorDetail: { readonly [reason in RefusalReason]?: string } = {
  eapNotOffered: 'EAP is not offered',
  chapWithHash: 'CHAP needs the clear password, and only a hash is stored; PAP would do',
  msChapWithHash: 'MS-CHAP needs the clear password or its NT hash, and another hash is stored; PAP would do',
  answerTooLong: 'its attributes and the Proxy-State of the request take more than the 4096 octets of a packet',
}

/**
 * Session-Timeout of the walled garden: a payment takes effect after this time at the latest, even when the Disconnect
 * is lost.
 */
export const gardenSeconds = 600

/** The shorter of two limits in seconds; 0 is no limit. */
export const shorterLimit = (a: number, b: number): number => (a > 0 && b > 0 ? Math.min(a, b) : a + b)

/**
 * Decides whether a login whose password was correct gets access (contract section 6). `now` is in epoch seconds;
 * `station` is 0 when the NAS sent none.
 */
export function decideAccess(entry: AccessEntry, now: number, station: number, rules: AccessRules): Grant | Refusal {
  if (entry.deleted) return refusals.subscriberDeleted
  if (entry.disabledByHand) return refusals.loginDisabled
  if (entry.asleepUntil > now)
    return entry.blockBits & blockBits.operator ? refusals.blockedByOperator : refusals.asleep
  const blocked = blockedReason(entry, now)
  const garden = blocked !== null && entry.walledGarden && opensGarden(blocked)
  if (blocked !== null && !garden) return refusals[blocked]
  const replaces = replacedSession(entry, station, rules)
  if (replaces === null) return refusals.tooManySessions
  const seconds = garden ? gardenSeconds : entry.accessEnd > now ? Math.max(1, Math.ceil(entry.accessEnd - now)) : 0
  return grant(garden, seconds, replaces)
}

/**
 * Abonents.enabled and Users.enabled decide (specification section 1); the block record gives the reason. An unlimited
 * term that has run out is a debt at once, even before the sweep has written the flag.
 */
export function blockedReason(entry: AccessEntry, now: number) {
  if (!entry.subscriberEnabled || !entry.loginEnabled) {
    const bits = entry.blockBits
    if (bits & blockBits.operator) return 'blockedByOperator'
    if (bits & blockBits.system) return 'blockedBySystem'
    if (bits & blockBits.debt) return 'negativeBalance'
    if (bits & blockBits.client) return 'blockedByClient'
    return entry.subscriberEnabled ? 'loginDisabled' : 'subscriberDisabled'
  }
  return entry.accessEnd !== 0 && entry.accessEnd <= now ? 'negativeBalance' : null
}

type Blocked = NonNullable<ReturnType<typeof blockedReason>>

/** b_negbal and b_own lead to the walled garden; a block by the operator or the system does not. */
const opensGarden = (reason: Blocked) => reason === 'negativeBalance' || reason === 'blockedByClient'

/**
 * Which live session the new one replaces; null when there are too many. A session from the same station as a live one
 * replaces it, because the Stop of the old session was lost.
 */
function replacedSession(entry: AccessEntry, station: number, rules: AccessRules): Grant['replaces'] | null {
  if (entry.liveSessions === 0 && entry.simultaneousUse > 0) return 'nothing'
  if (station !== 0 && entry.hasStation(station)) return 'station'
  if (entry.liveSessions < entry.simultaneousUse) return 'nothing'
  return rules.simultaneous === 'replace' && entry.liveSessions > 0 ? 'oldest' : null
}

// The common answers are shared objects, so that a decision allocates nothing.
const refusals = Object.fromEntries(
  refusalReasons.map((reason) => [reason, Object.freeze({ kind: 'refusal', reason })]),
) as Record<RefusalReason, Refusal>

const plainGrant: Grant = Object.freeze({ kind: 'grant', walledGarden: false, sessionSeconds: 0, replaces: 'nothing' })

const grant = (walledGarden: boolean, sessionSeconds: number, replaces: Grant['replaces']): Grant =>
  !walledGarden && sessionSeconds === 0 && replaces === 'nothing'
    ? plainGrant
    : { kind: 'grant', walledGarden, sessionSeconds, replaces }
