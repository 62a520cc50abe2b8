import { readValue } from './field-values.ts'
import type { Field, Model, Value } from './model.ts'
import { drf, type FieldErrors, type FieldFault, type Refusal, wrongFields } from './refusals.ts'
import { checkValues } from './schema.ts'
import { drfWording } from './wording.ts'

export type Body = Readonly<Record<string, unknown>>

/** One described value of a body, and the name it came under: `tarif` or `tarif_id`. */
export type Entry = { readonly field: Field; readonly value: Value; readonly sentAs: string }

/** Everything described that a body names, by the name of the field. */
export type Values = ReadonlyMap<string, Entry>

/** The values alone, by the name of the field. */
export const plainValues = (values: Values): Readonly<Record<string, Value>> =>
  Object.fromEntries([...values].map(([name, { value }]) => [name, value]))

/** A record as it is stored now, by outside name; null before it exists. */
export type Current = Readonly<Record<string, unknown>> | null

/** Reads and checks everything a body names. Unknown and read-only names are ignored, as DRF ignores them. */
export function readValues(model: Model, body: Body, current: Current): { values: Values } | Refusal {
  const isCreate = current === null
  const { wrong: wordsFor } = model.wording ?? drfWording
  const values = new Map<string, Entry>()
  const errors: FieldErrors = {}
  const codes: Record<string, FieldFault> = {}
  const wrong = new Set<string>()
  for (const field of model.fields) {
    const sentAs = sentName(field, body, current)
    if (sentAs === null || field.access === 'readOnly') continue
    const isFixedField = isFixed(field, isCreate)
    const read = isFixedField ? { wrong: fixedText(field) } : readValue(field, body[sentAs])
    if ('wrong' in read) {
      errors[sentAs] = [wordsFor(field, read.wrong)]
      codes[sentAs] = isFixedField ? 'fixed' : faultOf(field, read.wrong)
      wrong.add(field.name)
    } else values.set(field.name, { field, value: read.value, sentAs })
  }
  for (const [name, texts] of Object.entries(checkValues(model, plainValues(values), isCreate))) {
    if (wrong.has(name)) continue
    const field = model.fields.find((described) => described.name === name)!
    const sentAs = values.get(name)?.sentAs ?? name
    errors[sentAs] = texts.map((fault) => wordsFor(field, fault))
    codes[sentAs] = faultOf(field, texts[0]!)
  }
  return Object.keys(errors).length > 0 ? wrongFields(errors, codes) : { values }
}

const faults: Readonly<Record<string, FieldFault>> = {
  [drf.required]: 'required',
  [drf.null]: 'required',
  [drf.blank]: 'required',
  [drf.ip]: 'not_address',
  [drf.network]: 'not_network',
  [drf.mac]: 'not_mac',
  [drf.integer]: 'not_number',
  [drf.number]: 'not_number',
}
const numbers: ReadonlySet<Field['kind']> = new Set(['integer', 'long', 'money', 'rubles', 'decimal'])

/** The code of what is wrong with a value; `fault` says it in the words of Django REST framework. */
function faultOf({ kind, max, fits }: Field, fault: string): FieldFault {
  const known = faults[fault]
  if (known !== undefined) return known
  if (numbers.has(kind) && fits === undefined) return 'out_of_range'
  return kind === 'text' && max !== undefined && fault === drf.longest(max) ? 'too_long' : 'wrong'
}

const isFixed = ({ access }: Field, isCreate: boolean): boolean =>
  access === 'refused' || (access === 'createOnly' && !isCreate)

const fixedText = ({ access }: Field): string =>
  access === 'refused' ? 'This field is computed and cannot be set.' : 'This field cannot be changed.'

/**
 * A relation may be sent under either of its names. A program that reads a record, changes one of the two and sends
 * everything back means the one that differs from what is stored.
 */
function sentName({ kind, name }: Field, body: Body, current: Current): string | null {
  const second = `${name}_id`
  const has = (wanted: string) => Object.hasOwn(body, wanted)
  if (kind !== 'relation' || !has(second)) return has(name) ? name : null
  if (!has(name)) return second
  return current && body[name] === current[name] ? second : name
}

/**
 * A program that reads a record, changes one field and sends the whole back does not order what it only repeats: the
 * `enabled: false` of a debtor would become a block by an operator. A body that names the record's own id is such a
 * one.
 */
export function withoutRepeated(model: Model, values: Values, body: Body, current: Current): Values {
  const isWhole = current !== null && Object.hasOwn(body, model.key) && body[model.key] === current[model.key]
  if (!isWhole) return values
  return new Map([...values].filter(([name, { field, value }]) => !field.apart || value !== current[name]))
}
