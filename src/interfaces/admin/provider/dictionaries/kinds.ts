import Type, { type TSchema } from 'typebox'
import { readId } from '../../../../domain/ids.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import * as setting from '../../../../platform/settings/kinds.ts'

/** How a field of a dictionary is read. Reading answers null for what does not fit; `must` completes "It must …". */
export type FieldKind = {
  readonly must: string
  read(input: unknown): unknown
  readonly schema: TSchema
  /** Of the column. */
  readonly cast: 'text' | 'bool' | 'int2' | 'int8' | 'int8[]'
  /** Written and never shown; the audit says only that it was set. */
  readonly isSecret?: boolean
}

export const words = (lengthMax: number): FieldKind => ({
  must: `be text of 1 to ${lengthMax} characters`,
  read: (input) => {
    const text = setting.someText.read(input)
    return text !== null && text.length <= lengthMax ? text : null
  },
  schema: Type.String({ minLength: 1, maxLength: lengthMax }),
  cast: 'text',
})

/** Several lines of free text. */
export const note: FieldKind = {
  must: 'be text of at most 4000 characters',
  read: (input) =>
    typeof input === 'string' && input.length <= 4000 && !input.includes('\0') && input.trim() !== ''
      ? input.trim()
      : null,
  schema: Type.String({ maxLength: 4000 }),
  cast: 'text',
}

export const matching = (pattern: RegExp, must: string): FieldKind => ({
  must,
  read: (input) => (typeof input === 'string' && pattern.test(input) ? input : null),
  schema: Type.String({ pattern: pattern.source }),
  cast: 'text',
})

export const secret = (lengthMax: number): FieldKind => ({
  must: `have 1 to ${lengthMax} characters`,
  // Not trimmed: a space may be meant.
  read: (input) => (typeof input === 'string' && input !== '' && input.length <= lengthMax ? input : null),
  schema: Type.String({ minLength: 1, maxLength: lengthMax, writeOnly: true }),
  cast: 'text',
  isSecret: true,
})

export const flag: FieldKind = {
  must: setting.boolean.must,
  read: (input) => setting.boolean.read(input),
  schema: schemas.boolean,
  cast: 'bool',
}

/** One of few numbers. */
export const oneOf = (...numbers: readonly number[]): FieldKind => ({
  must: `be ${numbers.join(', ')}`,
  read: (input) => {
    const number = typeof input === 'number' || typeof input === 'string' ? Number(String(input).trim() || 'x') : null
    return number !== null && numbers.includes(number) ? number : null
  },
  schema: Type.Enum(numbers),
  cast: 'int2',
})

export const choice = (...names: readonly string[]): FieldKind => ({
  must: `be one of ${names.join(', ')}`,
  read: (input) => (typeof input === 'string' && names.includes(input) ? input : null),
  schema: Type.Enum(names),
  cast: 'text',
})

export const relation: FieldKind = { must: 'be an id', read: readId, schema: schemas.integer, cast: 'int8' }

/** Ids without repeats; a form writes them with commas between. */
export const relations: FieldKind = {
  must: 'be a list of ids',
  read: (input) => {
    const parts = typeof input === 'string' ? input.split(',').filter((part) => part.trim() !== '') : input
    if (!Array.isArray(parts) || parts.length > 1000) return null
    const ids = new Set(parts.map(readId))
    return ids.has(null) ? null : ([...ids] as number[]).sort((a, b) => a - b)
  },
  schema: Type.Array(schemas.integer),
  cast: 'int8[]',
}
