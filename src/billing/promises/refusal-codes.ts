import type { AccountRefusal } from '../accounts/messages.ts'

/** Refusals of promise payments with a code of their own (contract section 5), and the HTTP status that goes with it. */
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

export const codeOf = (reason: AccountRefusal): string => codes[reason]?.[1] ?? 'bad_request'

export const statusOf = (reason: AccountRefusal): number => codes[reason]?.[0] ?? 400
