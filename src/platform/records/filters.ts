import type { Parameters } from '../storage/parameters.ts'
import { type Field, isFilterable, type Kind, type Model } from './model.ts'
import {
  readDay,
  readFilterValue,
  readFlag,
  readNumber,
  readText,
  wrongBoolean,
  wrongDate,
  wrongNumber,
} from './filter-values.ts'
import { type Joins, resolvePath } from './paths.ts'

/** Parameters of paging and shape; a field of the same name is reached by `<field>__exact`. */
const reserved: ReadonlySet<string> = new Set(['limit', 'offset', 'ordering', 'fields', 'format'])

export type Filters =
  /** `isByParts`: one of the conditions is on a text whose parts have an index. */
  | { kind: 'read'; conditions: readonly string[]; names: ReadonlySet<string>; isByParts: boolean }
  /** Texts by the parameter as sent. */
  | { kind: 'wrong'; errors: Record<string, string[]> }

type Condition = { sql: string } | { wrong: string }
type Lookup = (subject: Subject, text: string, parameters: Parameters) => Condition
type Subject = { readonly field: Field; readonly sql: string }

/**
 * Turns the query into conditions. Parameters that name no described field, or no lookup of it, are ignored as DRF
 * ignores them.
 */
export function readFilters(model: Model, query: URLSearchParams, joins: Joins, parameters: Parameters): Filters {
  const conditions: string[] = []
  const names = new Set<string>()
  const errors: Record<string, string[]> = {}
  let isByParts = false
  for (const name of new Set(query.keys())) {
    // Of a repeated parameter the last one counts, and an empty one filters nothing: both as in Django.
    const value = query.getAll(name).at(-1)!
    if (reserved.has(name) || value === '') continue
    const filter = findFilter(model, name, joins)
    if (!filter) continue
    const condition = filter.lookup(filter.subject, value, parameters)
    if ('wrong' in condition) errors[name] = [condition.wrong]
    else conditions.push(condition.sql)
    names.add(name.split('__', 1)[0]!)
    isByParts ||= filter.subject.field.indexedByParts === true
  }
  return Object.keys(errors).length > 0 ? { kind: 'wrong', errors } : { kind: 'read', conditions, names, isByParts }
}

function findFilter(model: Model, name: string, joins: Joins): { subject: Subject; lookup: Lookup } | null {
  if (name.length > 200) return null
  const path = resolvePath(model, name, joins)
  if (!path || path.rest.length > 1 || !isFilterable(path.field)) return null
  const word = path.rest[0] ?? 'exact'
  const lookup = isLookup(word) ? lookups[word] : undefined
  return lookup && isAllowed(word as LookupName, path.field.kind) ? { subject: path, lookup } : null
}

const compared =
  (operator: string): Lookup =>
  (subject, text, parameters) =>
    withValues(subject, [text], parameters, ([value]) => `${subject.sql} ${operator} ${value}`)

const matched =
  (fold: '' | 'lower', pattern: (escaped: string) => string): Lookup =>
  (subject, text, parameters) => {
    const value = readText(text)
    if ('wrong' in value) return value
    const wanted = parameters.add(pattern(escapedForLike(value.text)), 'text')
    const matches = `${fold}(${asText(subject)}) LIKE ${fold}(${wanted})`
    return {
      sql: fold === '' && subject.field.indexedByParts ? `(${matches} AND ${foldedLike(subject, wanted)})` : matches,
    }
  }

const wholeKinds: ReadonlySet<Kind> = new Set(['integer', 'long', 'money', 'relation'])

/** A whole number has one text only, so that an index finds it as a number. Null: it is not about whole numbers. */
function equalsAsText({ field, sql }: Subject, text: string, parameters: Parameters): Condition | null {
  if (!wholeKinds.has(field.kind) || 'wrong' in readText(text)) return null
  const isNumber = /^(0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
  return { sql: isNumber ? `${sql} = ${parameters.add(text, 'int8')}` : 'false' }
}

/** lower() on both sides and not ILIKE: the indexes on parts of texts are on lower(). */
const foldedLike = (subject: Subject, pattern: string): string => `lower(${asText(subject)}) LIKE lower(${pattern})`

/**
 * Equal texts are equal in lower case too. That is compared as well, because the indexes on lower() then find them
 * where there is no other index.
 */
const equals: Lookup = (subject, text, parameters) =>
  withValues(subject, [text], parameters, ([value]) => {
    const equal = `${subject.sql} = ${value}`
    if (!subject.field.indexedByParts) return equal
    return `(${equal} AND ${foldedLike(subject, parameters.add(escapedForLike(text), 'text'))})`
  })

/** Every lookup of contract section 4. */
const lookups = {
  exact: equals,
  gt: compared('>'),
  gte: compared('>='),
  lt: compared('<'),
  lte: compared('<='),
  iexact: (subject, text, parameters) =>
    equalsAsText(subject, text, parameters) ?? matched('lower', (escaped) => escaped)(subject, text, parameters),
  contains: matched('', (text) => `%${text}%`),
  icontains: matched('lower', (text) => `%${text}%`),
  startswith: matched('', (text) => `${text}%`),
  istartswith: matched('lower', (text) => `${text}%`),
  endswith: matched('', (text) => `%${text}`),
  in: (subject, text, parameters) => {
    const texts = listed(subject.field, text)
    if (texts.length === 0) return { sql: 'false' }
    const { sql, field } = subject
    return withValues(subject, texts, parameters, (values) => {
      const isAny = `${sql} IN (${values.join(', ')})`
      // As for one: the index of e-mail addresses is on lower().
      return field.indexedByParts
        ? `(${isAny} AND lower(${sql}) IN (${values.map((value) => `lower(${value})`).join(', ')}))`
        : isAny
    })
  },
  range: (subject, text, parameters) => {
    const texts = text.split(',')
    if (texts.length !== 2) return { wrong: 'Range query expects two values.' }
    return withValues(subject, texts, parameters, ([from, to]) => `${subject.sql} BETWEEN ${from} AND ${to}`)
  },
  isnull: ({ sql }, text) => {
    const flag = readFlag(text)
    return flag === null ? { wrong: wrongBoolean } : { sql: `${sql} IS ${flag ? '' : 'NOT '}NULL` }
  },
  date: ({ sql }, text, parameters) => {
    const day = readDay(text)
    if ('wrong' in day) return { wrong: wrongDate }
    const from = parameters.add(day.text, day.cast)
    // A range and not a cast of the column, so that an index on it serves; days begin in the session's time zone.
    return { sql: `(${sql} >= ${from}::timestamptz AND ${sql} < (${from} + 1)::timestamptz)` }
  },
  year: ({ field, sql }, text, parameters) => {
    const year = readWhole(text)
    if (year === 'wrong') return { wrong: wrongNumber }
    if (year === null || year < 1 || year > 9998) return { sql: 'false' }
    const type = field.kind === 'date' ? 'date' : 'timestamptz'
    const [from, to] = [year, year + 1].map((first) => parameters.add(`${String(first).padStart(4, '0')}-01-01`, type))
    return { sql: `(${sql} >= ${from} AND ${sql} < ${to})` }
  },
  month: ({ sql }, text, parameters) => {
    const month = readWhole(text)
    if (month === 'wrong') return { wrong: wrongNumber }
    return { sql: month === null ? 'false' : `extract(month FROM ${sql}) = ${parameters.add(month, 'int8')}` }
  },
} as const satisfies Record<string, Lookup>

export type LookupName = keyof typeof lookups
export const lookupNames = Object.keys(lookups) as LookupName[]

const isLookup = (word: string): word is LookupName => Object.hasOwn(lookups, word)

/** What makes no sense for a kind is not a lookup of it. */
export function isAllowed(lookup: LookupName, kind: Kind): boolean {
  if (lookup === 'date') return kind === 'datetime'
  if (lookup === 'year' || lookup === 'month') return kind === 'datetime' || kind === 'date'
  if (kind === 'boolean') return lookup === 'exact' || lookup === 'in' || lookup === 'isnull'
  return true
}

/** Addresses are looked into without the prefix length that their text form adds. */
const asText = ({ field, sql }: Subject): string =>
  field.kind === 'text' || field.kind === 'choice' ? sql : field.kind === 'ip' ? `host(${sql})` : `(${sql})::text`

/** Escapes the wildcards of LIKE. */
export const escapedForLike = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)

/** An empty member is a value of a text and nothing elsewhere. */
const listed = ({ kind }: Field, text: string): string[] =>
  kind === 'text' ? text.split(',') : text.split(',').filter((member) => member.trim() !== '')

function withValues(
  { field }: Subject,
  texts: readonly string[],
  parameters: Parameters,
  write: (values: readonly string[]) => string,
): Condition {
  const values: string[] = []
  for (const text of texts) {
    const value = readFilterValue(text, field)
    if ('wrong' in value) return value
    values.push(parameters.add(value.text, value.cast))
  }
  return { sql: write(values) }
}

/** Null: a number that no year and no month is. */
function readWhole(text: string): number | null | 'wrong' {
  const number = readNumber(text)
  if ('wrong' in number) return 'wrong'
  const value = Number(number.text)
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? value : null
}
