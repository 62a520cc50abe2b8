import Type, { type TSchema } from 'typebox'
import { readSignedId } from '../../domain/ids.ts'
import { field } from '../../platform/http/fields.ts'
import { systemRefusalSchema } from '../../platform/http/openapi.ts'
import type { AnswerDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'

export const refusalAnswer = (doc: string): AnswerDoc => ({ doc, schema: systemRefusalSchema })

export const okAnswer = (doc: string, properties: Readonly<Record<string, TSchema>> = {}): AnswerDoc => ({
  doc,
  schema: Type.Object({ status: Type.Literal('ok'), ...properties }),
})

export const tags = {
  start: 'Application: start',
  signIn: 'Application: sign-in',
  account: 'Application: account',
  money: 'Application: money',
  support: 'Application: support',
  services: 'Application: services',
} as const

/** A password, which is not trimmed: spaces at its ends belong to it. */
export const password = field(
  Type.String({ format: 'password', minLength: 1, maxLength: 1000 }),
  'have 1 to 1000 characters',
  (sent) => (typeof sent === 'string' && sent !== '' && sent.length <= 1000 ? sent : null),
)

/** Any whole number, because services have ids below zero; one that no row has is not found. */
export const wholeId = field(
  schemas.integer,
  'be a whole number',
  (sent) => readSignedId(sent) ?? (Number.isSafeInteger(sent) ? Number(sent) : null),
)

export const toggle = field(schemas.boolean, 'be true or false', (sent) => (typeof sent === 'boolean' ? sent : null))

export const base = '/mobile-api/v1'

/** The header of writes that must not be carried out twice. */
export const idempotencyKey = {
  'Idempotency-Key': {
    doc: 'The same key with the same request gets the first answer again, with another request 409; keys do not expire',
    schema: Type.String({ maxLength: 255 }),
  },
} as const
