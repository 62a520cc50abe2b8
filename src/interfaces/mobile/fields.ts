import { readDate } from '../../domain/iso-dates.ts'
import type { Language } from '../../domain/language.ts'
import { readText } from '../../domain/text.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusedDetail } from './refusal.ts'
import type { Detail } from './words.ts'

type Asked = { readonly call: Pick<Call, 'query'>; readonly language: Language }

/** Of a parameter that is sent twice the last one counts; an empty one is as good as none. */
export const readQuery = ({ call, language }: Asked): Fields =>
  new Fields(Object.fromEntries([...call.query].filter(([, value]) => value !== '')), language)

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
    if (text === '') this.#wrong('text', { field, most })
    return text
  }

  /** Null where the field is left out. */
  choice<const T extends string>(field: string, choices: readonly T[]): T | null {
    if (!this.has(field)) return null
    const found = choices.find((one) => one === this.value(field))
    if (found === undefined) this.#wrong('choice', { field, choices: choices.join(', ') })
    return found ?? null
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
