import { type AccountOutcome, type AccountRefusal, accountRefusalText } from '../../../billing/accounts/messages.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { readFields } from '../../../platform/http/form.ts'
import { json } from '../../../platform/http/reply.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The fields of a write, JSON or form, without the token of the form. */
export function readBody(call: Call): { fields: Fields } | Refused {
  const read = readFields(call)
  if (read.kind === 'refused') return { refused: refusal('admin', read.status, read.detail) }
  const { csrfmiddlewaretoken: _, ...fields } = read.fields
  return { fields }
}

/** The answer to a request that is refused on the way. */
export type Refused = { readonly refused: Reply }

export const isRefused = (value: object): value is Refused => 'refused' in value

/** An empty field of a form counts as not sent. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** `_delete=1`, `force: true`, a checked box of a form. */
export const isSet = (value: unknown): boolean => /^\s*(1|true|on|yes)\s*$/i.test(String(value))

/** A refusal with a sentence for people and a code for programs and our own page. */
export const refused = (status: number, code: string, sentence: string, more: object = {}): Reply =>
  json({ ok: false, error: sentence, code, ...more }, status)

export const wrongField = (name: string, must: string): Reply => {
  const text = `It must ${must}.`
  return refused(400, 'wrong_field', `${name}: ${text}`, { errors: { [name]: text } })
}

/** A key that was used for something else is a conflict; every other refusal of an account is a bad request. */
export function refusedBy(outcome: Extract<AccountOutcome, { kind: 'refused' }>): Reply {
  const { reason } = outcome
  const status: Partial<Record<AccountRefusal, number>> = { keyTakenWithOtherAmount: 409, accountMissing: 404 }
  return refused(status[reason] ?? 400, reason, accountRefusalText[reason])
}
