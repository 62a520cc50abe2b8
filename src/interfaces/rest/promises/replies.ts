import { type AccountRefusal, accountRefusalText } from '../../../billing/accounts/messages.ts'
import { codeOf, statusOf } from '../../../billing/promises/refusal-codes.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'

/** `{status: "error", error: code, message}` (contract section 3). */
export const refused = (status: number, error: string, message: string): Reply =>
  json({ status: 'error', error, message }, status)

export const refusedBy = (reason: AccountRefusal): Reply =>
  refused(statusOf(reason), codeOf(reason), accountRefusalText[reason])

export const notFound = (): Reply => refused(404, 'not_found', 'There is no such subscriber.')
