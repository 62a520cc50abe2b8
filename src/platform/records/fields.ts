import type { FieldSpec, Kind, Model } from './model.ts'

/** What the description of a field says besides its name, kind and words. */
export type Options = Partial<Omit<FieldSpec, 'name' | 'kind' | 'doc'>>

const field = (kind: Kind, name: string, doc: string, options: Options = {}): FieldSpec => ({
  kind,
  name,
  doc,
  column: name,
  access: 'readWrite',
  required: false,
  ...options,
})

/** Describes fields of a kind that has no bounds or relations of its own. */
const plain =
  (kind: Kind) =>
  (name: string, doc: string, options: Options = {}): FieldSpec =>
    field(kind, name, doc, options)

/** PostgreSQL int4. */
const int4Max = 2_147_483_647
/** Longer names than this do not fit any screen or document; DRF servers use 255 everywhere. */
const textMax = 255

export const key = (name = 'id', column = name): FieldSpec =>
  field('integer', name, 'Primary key.', { column, access: 'readOnly', max: Number.MAX_SAFE_INTEGER })
export const integer = (name: string, doc: string, options: Options = {}) =>
  field('integer', name, doc, { min: -int4Max - 1, max: int4Max, ...options })
export const money = plain('money')
export const rubles = plain('rubles')
export const long = plain('long')
export const decimal = (name: string, doc: string, options: Options = {}) =>
  field('decimal', name, doc, { places: 3, min: 0, max: 9_999_999, ...options })
export const boolean = plain('boolean')
export const text = (name: string, doc: string, options: Options = {}) =>
  field('text', name, doc, { max: textMax, ...options })
export const longText = (name: string, doc: string, options: Options = {}) =>
  field('text', name, doc, { max: 10_000, ...options })
export const choice = (name: string, doc: string, choices: readonly string[], options: Options = {}) =>
  field('choice', name, doc, { choices, ...options })
export const datetime = plain('datetime')
export const date = plain('date')
export const ip = plain('ip')
export const network = plain('network')
/** A prefix that a login is told, which is IPv6 and nothing else. */
export const prefix = (name: string, doc: string, options: Options = {}) =>
  network(name, doc, {
    fits: (value) => String(value).includes(':'),
    must: 'be an IPv6 network such as 2001:db8:1::/64',
    ...options,
  })
export const mac = plain('mac')
/** `target` null: the row is looked for by the interface itself. */
export const relation = (name: string, doc: string, target: (() => Model) | null, options: Options = {}) =>
  field('relation', name, doc, { column: `${name}_id`, ...(target && { target }), ...options })
export const relations = (name: string, doc: string, target: () => Model, options: Options = {}) =>
  field('relations', name, doc, { target, ...options })
export const json = plain('json')

export const readOnly = { access: 'readOnly' } as const satisfies Options
export const required = { required: true } as const satisfies Options
