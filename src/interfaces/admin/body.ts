import type { TProperties } from 'typebox'
import { type AccountOutcome, type AccountRefusal, accountRefusalText } from '../../billing/accounts/messages.ts'
import { missingRight, type Right, type StaffUser } from '../../domain/staff-user.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { notAllowed, refusal } from '../../platform/http/errors.ts'
import {
  isSet,
  type Parameters,
  parametersOf,
  type Reading,
  readBySchema,
  sentIn,
  type Values,
} from '../../platform/http/fields.ts'
import { readFields } from '../../platform/http/form.ts'
import { json } from '../../platform/http/reply.ts'

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

type SentReading<N extends string> = Reading<N> & { readonly refuse?: (name: string, must: string) => Reply }
type SentValues<P extends TProperties, N extends keyof P> = { readonly values: Values<Pick<P, N>> }

/** Fields as their schemas read them, or the refusal of the first wrong one. */
export function readSent<P extends TProperties, N extends keyof P & string = keyof P & string>(
  properties: P,
  sent: Fields,
  { refuse = wrongField, ...reading }: SentReading<N> = {},
): SentValues<P, N> | Refused {
  const read = readBySchema(properties, sent, reading)
  return 'wrong' in read ? { refused: refuse(read.wrong, read.must) } : read
}

/** The same of the fields of a write. */
export function readSentBody<P extends TProperties, N extends keyof P & string = keyof P & string>(
  call: Call,
  properties: P,
  reading: SentReading<N> = {},
): SentValues<P, N> | Refused {
  const body = readBody(call)
  return isRefused(body) ? body : readSent(properties, body.fields, reading)
}

/** The parameters of a query as their documentation reads them. */
export const readQuery = <Q extends Parameters, N extends keyof Q & string = keyof Q & string>(
  parameters: Q,
  query: URLSearchParams,
  names?: readonly N[],
) => readSent(parametersOf(parameters), sentIn(query), { names, refuse: wrongInWords })

/** The query without the spaces around its values. */
export const trimmed = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].map(([name, value]) => [name, value.trim()] as [string, string]))

/** An empty field of a form counts as not sent. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A refusal with a sentence for people and a code for programs and our own page. */
export const refused = (status: number, code: string, sentence: string, more: object = {}): Reply =>
  json({ ok: false, error: sentence, code, ...more }, status)

export const wrongField = (name: string, must: string): Reply => {
  const text = `It must ${must}.`
  return refused(400, 'wrong_field', `${name}: ${text}`, { errors: { [name]: text } })
}

/** As `wrongField`, of a parameter, and at endpoints that no form of ours belongs to. */
export const wrongInWords = (name: string, must: string): Reply => refusal('admin', 400, `${name}: It must ${must}.`)

/** The refusal of somebody who lacks one of the rights that a part of a request needs; null: they have all of them. */
export function refusalWithout(
  needed: Right | readonly Right[],
  staff: Pick<StaffUser, 'rights'> | null,
): Reply | null {
  const missing = missingRight(staff, needed)
  return missing === null ? null : notAllowed('admin', missing)
}

/** A deletion names its record in the address; null: the fields ask for none. */
export const deletesUnnamed = (fields: Fields): Reply | null =>
  isSet(fields._delete) ? refused(400, 'wrong_field', '_delete: Name the record in the address.') : null

/** A key that was used for something else is a conflict; every other refusal of an account is a bad request. */
export function refusedBy(outcome: Extract<AccountOutcome, { kind: 'refused' }>): Reply {
  const { reason } = outcome
  const status: Partial<Record<AccountRefusal, number>> = { keyTakenWithOtherAmount: 409, accountMissing: 404 }
  return refused(status[reason] ?? 400, reason, accountRefusalText[reason])
}
