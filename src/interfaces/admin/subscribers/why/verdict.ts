import { type RefusalReason, refusalCodes } from '../../../../domain/access.ts'
import type { Reach } from '../../../../domain/account.ts'
import type { Answered, Facts, NasReport } from './facts.ts'

/** Why a subscriber is online or not; these words never change (contract section 8). */
export const verdictCodes = [
  'online',
  'offline_open',
  'blocked_debt',
  'blocked_operator',
  'blocked_client',
  'blocked_system',
  'asleep',
  'deleted',
  'no_login',
  'login_disabled',
  'wrong_password',
  'unknown_login_seen',
  'too_many_sessions',
  'no_free_address',
  'nas_unknown',
  'nas_wrong_secret',
  'nas_silent',
  'garden',
] as const
export type VerdictCode = (typeof verdictCodes)[number]

export type Verdict = { readonly access: Reach; readonly code: VerdictCode }

export function verdictOf(facts: Facts): Verdict {
  const { subscriber, login, standing, session } = facts
  if (subscriber.deleted) return { access: 'closed', code: 'deleted' }
  if (login === null) return { access: 'closed', code: 'no_login' }
  const closed = standing?.refusal ?? null
  if (closed !== null && closed in closing) return { access: 'closed', code: closing[closed]! }
  if (standing?.garden) return { access: 'garden', code: 'garden' }
  if (session !== null && !isRefusedBeside(facts)) {
    // A session that began in the garden stays there until it is disconnected.
    return { access: 'open', code: session.inGarden === true ? 'garden' : 'online' }
  }
  return { access: 'open', code: offlineCode(facts) }
}

/** The refusals of RADIUS that close the access of a login; the others concern one sign-in. */
const closing: { readonly [Reason in RefusalReason]?: VerdictCode } = {
  subscriberDeleted: 'deleted',
  loginDisabled: 'login_disabled',
  // Switched off in the table without a block, which process_blocks repairs.
  subscriberDisabled: 'blocked_system',
  blockedByOperator: 'blocked_operator',
  blockedByClient: 'blocked_client',
  blockedBySystem: 'blocked_system',
  negativeBalance: 'blocked_debt',
  asleep: 'asleep',
}

/** Somebody asks beside the session that is there: another device, or the same one, whose Stop was lost. */
const isRefusedBeside = ({ session, answered }: Facts): boolean =>
  answered?.reason === refusalCodes.tooManySessions && session !== null && answered.at > session.updatedAt

function offlineCode(facts: Facts): VerdictCode {
  const { standing, answered, near } = facts
  if (standing?.nextRefusal === 'tooManySessions') return 'too_many_sessions'
  if (standing?.nextRefusal === 'noFreeAddress') return 'no_free_address'
  const ofNas = nasCode(facts)
  if (ofNas !== null) return ofNas
  if (isNewest(facts, near)) return 'unknown_login_seen'
  return isNewest(facts, answered) && isAboutPassword(facts) ? 'wrong_password' : 'offline_open'
}

const passwordReasons: readonly (string | null)[] = [
  refusalCodes.wrongPassword,
  refusalCodes.chapWithHash,
  refusalCodes.msChapWithHash,
]
/** One that was set since may be the right one. */
const isAboutPassword = ({ answered, passwordSetAt }: Facts): boolean =>
  answered !== null &&
  passwordReasons.includes(answered.reason) &&
  (passwordSetAt === null || passwordSetAt <= answered.at)

/** Nothing was heard of the subscriber after it. */
function isNewest(facts: Facts, one: Answered | null): boolean {
  const { answered, near, ended } = facts
  return one !== null && [answered, near, ended].every((other) => other === null || other.at <= one.at)
}

/** The NAS that the subscriber was heard of by last; null when it is gone, or nobody was heard. */
export function nasOf({ nas, session, answered, near, ended }: Facts): NasReport | null {
  const heard = session ? { at: session.updatedAt, nasId: session.nasId } : newestOf([answered, near, ended])
  return nas.find((one) => one.nas.id === heard?.nasId) ?? null
}

const newestOf = <T extends { readonly at: Date }>(all: readonly (T | null)[]): T | null =>
  all.reduce((newest, one) => (one !== null && (newest === null || one.at > newest.at) ? one : newest), null)

/** Whether anything was ever heard of the subscriber. */
export const isHeard = ({ session, answered, near, ended }: Facts): boolean =>
  [session, answered, near, ended].some((one) => one !== null)

/** What is wrong with the way to us, as far as it can be told. */
function nasCode(facts: Facts): VerdictCode | null {
  if (isHeard(facts)) {
    const report = nasOf(facts)
    return report === null || !report.nas.enabled ? 'nas_unknown' : codeOfState(report)
  }
  // Nobody was heard of him, so what all NAS have in common may be why.
  if (facts.unknownSources.length > 0) return 'nas_unknown'
  const enabled = facts.nas.filter(({ nas }) => nas.enabled)
  if (enabled.some(({ state }) => state === 'ok')) return null
  return (
    enabled.map(codeOfState).find((code) => code === 'nas_wrong_secret') ??
    (enabled.length > 0 ? 'nas_silent' : 'nas_unknown')
  )
}

function codeOfState({ state }: NasReport): VerdictCode | null {
  if (state === 'wrong_secret') return 'nas_wrong_secret'
  return state === 'ok' ? null : 'nas_silent'
}
