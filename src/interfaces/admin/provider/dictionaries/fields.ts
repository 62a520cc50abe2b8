import { integer, key, type Options, rubles, text } from '../../../../platform/records/fields.ts'
import {
  type FieldSpec,
  type Model,
  type ModelSpec,
  modelOf,
  primaryColumn,
} from '../../../../platform/records/model.ts'
import { adminWording } from '../../wording.ts'

/** The kinds of fields that forms of the web admin have beside those of every model. */

/** One line of 1 to `max` characters. */
export const line = (name: string, doc: string, max: number, options: Options = {}): FieldSpec =>
  text(name, doc, { min: 1, max, fits: (value) => isOneLine(String(value)), ...options })

/** Line breaks are refused where a text goes into headers and single-line inputs. */
export const isOneLine = (text: string): boolean => [...text].every((sign) => sign >= ' ')

/** Several lines of free text, or none. */
export const note = (name: string, doc: string, max = 4000): FieldSpec =>
  text(name, doc, { max, onlyText: true, ...empty })

export const matching = (name: string, doc: string, pattern: RegExp, must: string, options: Options = {}): FieldSpec =>
  text(name, doc, {
    verbatim: true,
    onlyText: true,
    fits: (value) => pattern.test(String(value)),
    must,
    schema: { type: 'string', pattern: pattern.source },
    ...options,
  })

/** One of few numbers. */
export const oneOf = (name: string, doc: string, numbers: readonly number[], options: Options = {}): FieldSpec =>
  integer(name, doc, {
    fits: (value) => numbers.includes(value as number),
    must: `be ${numbers.join(', ')}`,
    schema: { enum: numbers },
    ...options,
  })

/** An amount in rubles that may be zero and not less. */
export const price = (name: string, doc: string, options: Options = {}): FieldSpec =>
  rubles(name, doc, {
    fits: (value) => (value as bigint) >= 0n,
    must: 'be an amount in rubles, zero or more, with at most two places',
    ...options,
  })

/** Kept encrypted or hashed; the audit says only that it was set. */
export const secret = (name: string, doc: string, max: number, options: Options = {}): FieldSpec =>
  text(name, doc, { access: 'writeOnly', verbatim: true, onlyText: true, min: 1, max, ...options })

/** May be left empty in a form. */
export const empty = { blankIsNull: true } as const satisfies Options

/** Ids that people name are positive. */
export const positive = { min: 1 } as const satisfies Options

/** The model of a dictionary with what all dictionaries share; `fields` are the fields besides the id. */
export const dictionaryModel = ({
  fields,
  ...spec
}: Omit<ModelSpec, 'label' | 'audit' | 'wording'> & Partial<Pick<ModelSpec, 'audit'>>): Model =>
  modelOf({
    label: spec.entity.table.replaceAll('_', ' '),
    // The specification writes such names in capitals.
    audit: spec.entity.table.toUpperCase(),
    wording: adminWording,
    // Every audit entry names the record by its id anyway.
    fields: [{ ...key('id', primaryColumn(spec.entity)), audited: false }, ...fields],
    ...spec,
  })
