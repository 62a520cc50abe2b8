import { type Field, integer, key, type Model, type Options, text } from '../../../../platform/records/model.ts'
import { adminWording } from '../../wording.ts'

/** The kinds of fields that forms of the web admin have beside those of every model. */

/** One line of 1 to `max` characters. */
export const line = (name: string, doc: string, max: number, options: Options = {}): Field =>
  // A line break in a header or a form does no good.
  text(name, doc, { min: 1, max, fits: (value) => [...String(value)].every((sign) => sign >= ' '), ...options })

/** Several lines of free text, or none. */
export const note = (name: string, doc: string, max = 4000): Field => text(name, doc, { max, onlyText: true, ...empty })

export const matching = (name: string, doc: string, pattern: RegExp, must: string, options: Options = {}): Field =>
  text(name, doc, {
    verbatim: true,
    onlyText: true,
    fits: (value) => pattern.test(String(value)),
    must,
    schema: { type: 'string', pattern: pattern.source },
    ...options,
  })

/** One of few numbers. */
export const oneOf = (name: string, doc: string, numbers: readonly number[], options: Options = {}): Field =>
  integer(name, doc, {
    fits: (value) => numbers.includes(value as number),
    must: `be ${numbers.join(', ')}`,
    schema: { enum: numbers },
    ...options,
  })

/** Kept encrypted or hashed; the audit says only that it was set. */
export const secret = (name: string, doc: string, max: number, options: Options = {}): Field =>
  text(name, doc, { access: 'writeOnly', verbatim: true, onlyText: true, min: 1, max, ...options })

/** May be left empty in a form. */
export const empty = { nullable: true, blankIsNull: true } as const satisfies Options

/** Ids that people name are positive. */
export const positive = { min: 1 } as const satisfies Options

/** The model of a dictionary, with what all of them have alike; `fields` are those beside the id. */
export const dictionaryModel = ({
  key: keyColumn = 'id',
  fields,
  ...model
}: Omit<Model, 'label' | 'key' | 'audit' | 'wording'> & Partial<Pick<Model, 'key' | 'audit'>>): Model => ({
  key: keyColumn,
  label: model.table.replaceAll('_', ' '),
  // As the specification spells such names.
  audit: model.table.toUpperCase(),
  wording: adminWording,
  // The audit names the record by it anyway.
  fields: [{ ...key('id', keyColumn), audited: false }, ...fields],
  ...model,
})
