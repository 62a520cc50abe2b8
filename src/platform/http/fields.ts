import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import { readId } from '../../domain/ids.ts'
import { readMoment } from '../../domain/iso-dates.ts'
import { parseRubles } from '../../domain/money.ts'
import { readText, spelled } from '../../domain/text.ts'
import { nullable, schemas } from './schemas.ts'

/**
 * Fields of bodies and queries. The schema of a field documents it, gives its type to the handler and reads it: what
 * JSON, a form or an address carries becomes the value that the handler works with, or is refused in words.
 */
type Reader = {
  /** Completes "It must …". */
  readonly must: string
  /** Null: the value is wrong. */
  readonly read: (sent: unknown) => unknown
  /** Whether a value that was sent stands for null, where null is a value of the field. */
  readonly isNull?: (sent: unknown) => boolean
}

/** The reader is not enumerable, as TypeBox keeps its own marks, so that the published document does not show it. */
const key = '~reader'
const readerOf = (schema: TSchema): Reader => (schema as unknown as { readonly [key]: Reader })[key]
const withReader = <T>(schema: TSchema, reader: Reader): TUnsafe<T> =>
  Object.defineProperty(Type.Unsafe<T>(schema), key, { value: reader, configurable: true })

/** A field with its reader. `read` returns null for a wrong value, and `must` completes "It must …". */
export const field = <T>(schema: TSchema, must: string, read: (sent: unknown) => T | null): TUnsafe<T> =>
  withReader(schema, { must, read })

/** A field that may be null, which means something else than leaving it out. */
export const orNull = <T>(of: TUnsafe<T>, isNull = (sent: unknown): boolean => sent === null): TUnsafe<T | null> =>
  withReader(nullable(of), { ...readerOf(of), isNull })

/** The field with other words for what it must be. */
export const reworded = <T>(of: TUnsafe<T>, must: string): TUnsafe<T> => withReader(of, { ...readerOf(of), must })

export const id = field(schemas.integer, 'be an id', readId)

export const mustBeRubles = 'be an amount in rubles with at most two decimal places'
export const rubles = field(Type.Union([schemas.rubles, schemas.number]), mustBeRubles, parseRubles)

/** A moment as text. Where it has no offset, PostgreSQL reads it in TIME_ZONE. */
export const moment = field(schemas.moment, 'be an ISO 8601 date or datetime', (sent) =>
  readMoment(spelled(sent).trim()),
)

/** A checked box of a form, `_delete=1`, `force: true`. Everything else is false. */
export const flag = field(schemas.boolean, 'be true or false', (sent) => isSet(sent))
export const isSet = (sent: unknown): boolean => /^\s*(1|true|on|yes)\s*$/i.test(spelled(sent))

export const choice = <const T extends string>(words: readonly T[], must = `be one of ${words.join(', ')}`) =>
  field(Type.Enum([...words]), must, (sent) => words.find((word) => word === sent) ?? null)

/** Text without the spaces around it. */
export const text = (most: number) =>
  field(Type.String({ maxLength: most }), `be text of at most ${most} characters`, (sent) => readText(sent, most))

export const someText = (most: number) =>
  field(
    Type.String({ minLength: 1, maxLength: most }),
    `be text of 1 to ${most} characters`,
    (sent) => readText(sent, most) || null,
  )

/** A whole number of at most nine digits, from 1 to `most`. */
export const count = (most = Number.POSITIVE_INFINITY) =>
  field(
    Type.Integer({ minimum: 1, ...(Number.isFinite(most) && { maximum: most }) }),
    Number.isFinite(most) ? `be from 1 to ${most}` : 'be a whole number from 1',
    (sent) => {
      const number = /^\d{1,9}$/.test(spelled(sent)) ? Number(sent) : 0
      return number >= 1 && number <= most ? number : null
    },
  )

type Sent = Readonly<Record<string, unknown>>
export type Values<P extends TProperties> = Readonly<Static<TObject<P>>>

/** The first wrong field and what it must be. */
export type WrongField = { readonly wrong: string; readonly must: string }

/**
 * Reads fields by their schemas, the named ones in the order of their names. An optional field that is left out is not
 * among the values; a required one is read from nothing, and so wrong.
 */
export function readBySchema<P extends TProperties, N extends keyof P & string = keyof P & string>(
  properties: P,
  sent: Sent,
  { names = Object.keys(properties) as N[], isLeftOut = isEmpty }: Reading<N> = {},
): { readonly values: Values<Pick<P, N>> } | WrongField {
  const values: Record<string, unknown> = {}
  for (const name of names) {
    const schema = properties[name]!
    const { must, read, isNull } = readerOf(schema)
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (Type.IsOptional(schema) && isLeftOut(value)) continue
    const isNone = isNull?.(value) ?? false
    values[name] = isNone ? null : read(value)
    if (values[name] === null && !isNone) return { wrong: name, must }
  }
  return { values: values as Values<Pick<P, N>> }
}

export type Reading<N> = {
  readonly names?: readonly N[] | undefined
  readonly isLeftOut?: (sent: unknown) => boolean
}

/** Forms send empty fields, and programs null, for what they leave out. */
const isEmpty = (sent: unknown): boolean => sent === undefined || sent === null || sent === ''

/** `"limit" must be …`, as the doors for programs refuse a field. */
export const sentenceOf = ({ wrong, must }: WrongField): string => `"${wrong}" must ${must}.`

export type Parameters = Readonly<Record<string, { readonly schema: TSchema }>>

/** The documented parameters of a query as fields, none of which is required. */
export const parametersOf = <Q extends Parameters>(query: Q) =>
  Object.fromEntries(Object.entries(query).map(([name, { schema }]) => [name, Type.Optional(schema)])) as {
    readonly [N in keyof Q]: TOptional<Q[N]['schema']>
  }

/** The parameters of a query; of a repeated one, the first value. */
export const sentIn = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...query].reverse())
