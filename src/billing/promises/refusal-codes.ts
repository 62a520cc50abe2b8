import type { AccountRefusal } from '../accounts/messages.ts'

/** The HTTP status and code of the refusals of promise payments that have their own (contract section 5). */
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
