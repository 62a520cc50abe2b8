import { readSignedId } from '../../domain/ids.ts'
import { readDate } from '../../domain/iso-dates.ts'
import type { Language } from '../../domain/language.ts'
import { readText } from '../../domain/text.ts'
import { parseJson } from '../../platform/formats/json.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { mediaTypeOf } from '../../platform/http/form.ts'
import { refused, refusedDetail } from './refusal.ts'
import type { Detail } from './words.ts'

type Source = Pick<Call, 'header' | 'body' | 'query'>
type Asked = { readonly call: Source; readonly language: Language }

/** The body of a write; none is an empty one. */
export function readBody(asked: Asked): { fields: Fields } | { refusal: Reply } {
  const { call, language } = asked
  if (call.body.length === 0) return { fields: new Fields({}, language) }
  if (!['application/json', ''].includes(mediaTypeOf(call))) {
    return { refusal: refused(asked, 415, 'unsupported_media_type') }
  }
  const parsed = parseJson(call.body)
  const value = parsed.kind === 'parsed' ? parsed.value : null
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { refusal: refusedDetail(asked, 'json') }
  return { fields: new Fields(value as Record<string, unknown>, language) }
}

/** Of a parameter that is sent twice the last one counts; an empty one is as good as none. */
export const readQuery = ({ call, language }: Asked): Fields =>
  new Fields(Object.fromEntries([...call.query].filter(([, value]) => value !== '')), language)

const secretMax = 1000

/**
 * Reads one field after another and remembers the first that is wrong: after all have been read, `refusal` is null or
 * says which. What a reader answers for a wrong field is of no use.
 */
export class Fields {
  refusal: Reply | null = null
  readonly all: Readonly<Record<string, unknown>>
  readonly #language: Language

  constructor(all: Readonly<Record<string, unknown>>, language: Language) {
    this.all = all
    this.#language = language
  }

  has(name: string): boolean {
    return this.value(name) !== undefined && this.value(name) !== null
  }

  value(name: string): unknown {
    return Object.hasOwn(this.all, name) ? this.all[name] : undefined
  }

  /** Without spaces around it, and without what no text column takes. */
  text(field: string, most: number): string {
    const text = readText(this.value(field), most) ?? ''
    if (text === '') this.wrongText(field, most)
    return text
  }

  /** A password: spaces at its ends belong to it. */
  secret(field: string): string {
    const value = this.value(field)
    if (typeof value === 'string' && value !== '' && value.length <= secretMax) return value
    this.wrongText(field, secretMax)
    return ''
  }

  wrongText(field: string, most: number): void {
    this.#wrong('text', { field, most })
  }

  id(field: string): number {
    const id = readSignedId(this.value(field))
    if (id === null) this.#wrong('id', { field })
    return id ?? 0
  }

  flag(field: string): boolean {
    const value = this.value(field)
    if (typeof value !== 'boolean') this.#wrong('switch', { field })
    return value === true
  }

  /** Null where the field is left out. */
  choice<const T extends string>(field: string, choices: readonly T[]): T | null {
    if (!this.has(field)) return null
    const found = choices.find((one) => one === this.value(field))
    if (found === undefined) this.wrongChoice(field, choices)
    return found ?? null
  }

  wrongChoice(field: string, choices: readonly string[]): void {
    this.#wrong('choice', { field, choices: choices.join(', ') })
  }

  /** A day such as 2026-12-31; null where the field is left out. */
  day(field: string): string | null {
    if (!this.has(field)) return null
    const day = readDate(textOf(this.value(field)))
    if (day === null) this.#wrong('day', { field })
    return day
  }

  page(field: string, standard: number, most: number): number {
    if (!this.has(field)) return standard
    const text = textOf(this.value(field))
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= most) return number
    this.#wrong('page', { field, most })
    return standard
  }

  wrong(detail: Detail): void {
    this.#wrong(detail, {})
  }

  #wrong(detail: Detail, values: Readonly<Record<string, string | number>>): void {
    this.refusal ??= refusedDetail({ language: this.#language }, detail, values)
  }
}

/** `{toString: 1}` has no text, and asking it for one throws. */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
