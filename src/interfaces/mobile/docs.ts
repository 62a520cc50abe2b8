import Type, { type TSchema } from 'typebox'
import type { AnswerDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'

/** A refusal: `error` is a stable code for programs, `message` is for people. */
const errorSchema = Type.Object({ status: Type.Literal('error'), error: schemas.text, message: schemas.text })

export const refusalAnswer = (doc: string): AnswerDoc => ({ doc, schema: errorSchema })

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

/** A text of 1 to `lengthMax` characters, counted without the spaces around it. */
export const text = (lengthMax: number) => Type.String({ minLength: 1, maxLength: lengthMax })

/** A password, which is not trimmed: spaces at its ends belong to it. */
export const password = Type.String({ format: 'password', minLength: 1, maxLength: 1000 })

export const base = '/mobile-api/v1'

/** The header of writes that must not be carried out twice. */
export const idempotencyKey = {
  'Idempotency-Key': {
    doc: 'The same key with the same request gets the first answer again, with another request 409; keys do not expire',
    schema: Type.String({ maxLength: 255 }),
  },
} as const
