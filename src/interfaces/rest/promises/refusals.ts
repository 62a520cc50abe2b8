import type { AccountRefusal } from '../../../billing/accounts/messages.ts'
import { accountRefusalText } from '../../../billing/accounts/messages.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'

/** Codes of contract section 5; every other refusal is a bad request. */
const codes: Partial<Record<AccountRefusal, readonly [status: number, code: string]>> = {
  promiseActive: [400, 'already_active'],
  promiseMinDebt: [400, 'min_debt'],
  promiseMinAge: [400, 'min_age'],
  promiseCooldown: [400, 'cooldown'],
  promiseDisabled: [400, 'disabled'],
  promiseEndInPast: [400, 'bad_end_time'],
  promiseLimitWrong: [400, 'bad_limit'],
  noPromise: [404, 'no_promise'],
  subscriberMissing: [404, 'not_found'],
  keyTakenWithOtherAmount: [409, 'conflict'],
}

export const refused = (status: number, error: string, message: string): Reply =>
  json({ status: 'error', error, message }, status)

/** `{status: "error", error: code, message}` (contract section 3). */
export function refusedBy(reason: AccountRefusal): Reply {
  const [status, code] = codes[reason] ?? [400, 'bad_request']
  return refused(status, code, accountRefusalText[reason])
}

/** The code alone, for doors of another shape. */
export const codeOf = (reason: AccountRefusal): string => codes[reason]?.[1] ?? 'bad_request'

export const statusOf = (reason: AccountRefusal): number => codes[reason]?.[0] ?? 400

export const notFound = (): Reply => refused(404, 'not_found', 'There is no such subscriber.')
