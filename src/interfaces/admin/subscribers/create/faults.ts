import Type from 'typebox'
import { mapOf, schemas } from '../../../../platform/http/schemas.ts'
import {
  type FieldFault,
  fieldFaults,
  isRefusal,
  type Refusal,
  refusedWrite,
} from '../../../../platform/records/refusals.ts'
import { adminWording } from '../../wording.ts'

/** What may be wrong with a field of a new subscriber; programs and our own form tell them apart by these. */
const faultTexts = {
  required: 'This field is required.',
  wrong: 'The value is wrong.',
  missing: adminWording.missingRow(null),
  taken: 'Somebody else has it.',
  off: 'It is switched off.',
  full: 'The pool has no free address.',
  in_use: 'A live session has this address.',
  reserved: 'It is the network, the broadcast or the gateway of a pool.',
  past: 'It must not be a day of the past.',
  exhausted: 'No number is free near the last one; name one.',
} as const

export type OwnFault = keyof typeof faultTexts
type FaultCode = OwnFault | FieldFault

export type Fault = { readonly code: FaultCode; readonly text: string }

/** By the name of the field, those of parts with the part before it: `login.ip`. */
export type Faults = Readonly<Record<string, Fault>>

export const fault = (code: OwnFault, text: string = faultTexts[code]): Fault => ({ code, text })

/** The refused fields of a part of the body. */
export function faultsOf(refusal: object | null, prefix = ''): Faults {
  if (!isRefusal(refusal)) return {}
  if (!('errors' in refusal)) throw new Error(`A refusal without fields: ${refusal.detail}`)
  return Object.fromEntries(
    Object.entries(refusal.errors).map(([name, texts]) => [
      `${prefix}${name}`,
      { code: refusal.codes?.[name] ?? 'wrong', text: texts.join(' ') },
    ]),
  )
}

/** Every wrong field at once, each with a sentence and a code; null: nothing is wrong. */
export function refusalOf(faults: Faults): Refusal | null {
  const named = Object.entries(faults)
  if (named.length === 0) return null
  const sentence = named.map(([name, { text }]) => `${name}: ${text}`).join(' ')
  return {
    ...refusedWrite(sentence, 400, 'wrong_field'),
    more: {
      errors: Object.fromEntries(named.map(([name, { text }]) => [name, text])),
      codes: Object.fromEntries(named.map(([name, { code }]) => [name, code])),
    },
  } as Refusal
}

const codeSchema = Type.Enum([...new Set([...(Object.keys(faultTexts) as OwnFault[]), ...fieldFaults])])

/** The answer that names every wrong field. */
export const wrongSchema = Type.Object({
  ok: Type.Literal(false),
  error: schemas.text,
  code: schemas.text,
  errors: Type.Optional(Type.With(mapOf(schemas.text), { description: 'By field, those of parts as login.ip' })),
  codes: Type.Optional(Type.With(mapOf(codeSchema), { description: 'What is wrong with each field' })),
})
