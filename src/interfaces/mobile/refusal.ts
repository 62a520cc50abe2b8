import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import type { Language } from '../../domain/language.ts'
import { filled } from '../../domain/wording.ts'
import type { Reply } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import { codeOfAccount, type Detail, details, type RefusalCode, refusals } from './words.ts'

type Spoken = { readonly language: Language }
type Values = Readonly<Record<string, string | number>>

/** `{status: "error", error: code, message}` (contract section 3), in the language of who asks. */
export const refused = (
  { language }: Spoken,
  status: number,
  code: RefusalCode,
  values: Values = {},
  headers: NonNullable<Reply['headers']> = [],
): Reply => json({ status: 'error', error: code, message: filled(refusals[language][code], values) }, status, headers)

/** 400 with what is wrong in the request. */
export const refusedDetail = (spoken: Spoken, detail: Detail, values: Values = {}): Reply =>
  refused(spoken, 400, 'bad_request', { detail: filled(details[spoken.language][detail], values) })

/** What the account has refused. */
export function refusedByAccount(spoken: Spoken, reason: AccountRefusal): Reply {
  const code = codeOfAccount(reason)
  return refused(spoken, statuses[code] ?? 400, code)
}

const statuses: Partial<Record<RefusalCode, number>> = {
  not_found: 404,
  no_promise: 404,
  tariff_not_offered: 404,
  conflict: 409,
}
