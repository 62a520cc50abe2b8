import { type AnswerDoc, type JsonSchema, objectSchema, schemas } from '../../platform/http/route-doc.ts'

/** `error` is stable and for programs, `message` is for people. */
export const errorSchema = objectSchema({ status: { const: 'error' }, error: schemas.text, message: schemas.text })

export const refusalAnswer = (doc: string): AnswerDoc => ({ doc, schema: errorSchema })

export const okAnswer = (doc: string, properties: Readonly<Record<string, JsonSchema>> = {}): AnswerDoc => ({
  doc,
  schema: objectSchema({ status: { const: 'ok' }, ...properties }),
})

export const tags = {
  start: 'Application: start',
  signIn: 'Application: sign-in',
  account: 'Application: account',
  money: 'Application: money',
  support: 'Application: support',
  services: 'Application: services',
} as const

export const base = '/mobile-api/v1'

/** Of a write that moves money. */
export const idempotencyKey = {
  'Idempotency-Key': {
    doc: 'The same key with the same request gets the first answer again, with another request 409; keys do not expire',
    schema: { type: 'string', maxLength: 255 },
  },
} as const
