import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import type { Language } from '../../domain/language.ts'
import { filled } from '../../domain/wording.ts'
import type { Reply } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import { codeOfAccount, type Detail, details, type RefusalCode, refusals } from './words.ts'

type Caller = { readonly language: Language }
type Values = Readonly<Record<string, string | number>>

/** `{status: "error", error: code, message}` (contract section 3) in the language of the caller. */
export const refused = (
  { language }: Caller,
  status: number,
  code: RefusalCode,
  values: Values = {},
  headers: NonNullable<Reply['headers']> = [],
): Reply => json({ status: 'error', error: code, message: filled(refusals[language][code], values) }, status, headers)

/** 429 with the number of seconds after which the caller may try again. */
export const tooMany = (caller: Caller, seconds: number, headers: NonNullable<Reply['headers']> = []): Reply =>
  refused(caller, 429, 'too_many_requests', { seconds }, [...headers, ['Retry-After', String(seconds)]])

/** 400 `bad_request` with a text that says what is wrong in the request. */
export const refusedDetail = (caller: Caller, detail: Detail, values: Values = {}): Reply =>
  refused(caller, 400, 'bad_request', { detail: filled(details[caller.language][detail], values) })

/** A refusal by the account as an answer. */
export function refusedByAccount(caller: Caller, reason: AccountRefusal): Reply {
  const code = codeOfAccount(reason)
  return refused(caller, statuses[code] ?? 400, code)
}

const statuses: Partial<Record<RefusalCode, number>> = {
  not_found: 404,
  no_promise: 404,
  tariff_not_offered: 404,
  conflict: 409,
}
