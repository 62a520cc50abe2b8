import { readDate } from '../../domain/iso-dates.ts'
import type { Language } from '../../domain/language.ts'
import { readText } from '../../domain/text.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusedDetail } from './refusal.ts'
import type { Detail } from './words.ts'

type Asked = { readonly call: Pick<Call, 'query'>; readonly language: Language }

/** The parameters of the query. The last value of a repeated parameter counts; an empty one is treated as left out. */
export const readQuery = ({ call, language }: Asked): Fields =>
  new Fields(Object.fromEntries([...call.query].filter(([, value]) => value !== '')), language)

/**
 * Reads fields one after another. After the last one, `refusal` is null or names the first wrong field. The value that
 * a method returns for a wrong field must not be used.
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

  /** A required text, trimmed and checked for characters that no text column can store. */
  text(field: string, most: number): string {
    const text = readText(this.value(field), most) ?? ''
    if (text === '') this.#wrong('text', { field, most })
    return text
  }

  /** One of the choices; null when the field is left out. */
  choice<const T extends string>(field: string, choices: readonly T[]): T | null {
    if (!this.has(field)) return null
    const found = choices.find((choice) => choice === this.value(field))
    if (found === undefined) this.#wrong('choice', { field, choices: choices.join(', ') })
    return found ?? null
  }

  /** A day such as 2026-12-31; null when the field is left out. */
  day(field: string): string | null {
    if (!this.has(field)) return null
    const day = readDate(textOf(this.value(field)))
    if (day === null) this.#wrong('day', { field })
    return day
  }

  /** A whole number from 1 to `most`; `fallback` when the field is left out. */
  page(field: string, fallback: number, most: number): number {
    if (!this.has(field)) return fallback
    const text = textOf(this.value(field))
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= most) return number
    this.#wrong('page', { field, most })
    return fallback
  }

  /** Refuses the request for a reason that concerns several fields. */
  wrong(detail: Detail): void {
    this.#wrong(detail, {})
  }

  #wrong(detail: Detail, values: Readonly<Record<string, string | number>>): void {
    this.refusal ??= refusedDetail({ language: this.#language }, detail, values)
  }
}

/**
 * The value as text; '' when it is neither text nor a number. Converting an object such as `{toString: 1}` would throw.
 */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
