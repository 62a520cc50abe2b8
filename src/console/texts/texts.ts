import type { Language } from '../../domain/language.ts'
import { useLanguage } from './language.tsx'

export type { Language }

/** A text, or a text with values in it. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters are those of each text
type Said = string | ((...values: any[]) => string)
type Pairs = Readonly<Record<string, readonly [ru: Said, en: Said]>>

/** The Russian text gives the type: a text stays a text, and a function of values one of the same values. */
type Texts<P extends Pairs> = {
  readonly [K in keyof P]: P[K][0] extends (...values: infer V) => string ? (...values: V) => string : string
}

export type Chapter<P extends Pairs> = Readonly<Record<Language, Texts<P>>>

/**
 * A chapter of the catalogue: each text in Russian and, beside it, in English, so that none is without the other.
 * `useTexts(chapter)` gives the one of the language that the user has chosen.
 */
export function chapter<const P extends Pairs>(pairs: P): Chapter<P> {
  const of = (at: 0 | 1) =>
    Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, pair[at]])) as Texts<P>
  return { ru: of(0), en: of(1) }
}

export const useTexts = <P extends Pairs>(texts: Chapter<P>): Texts<P> => texts[useLanguage().language]

const rules = { ru: new Intl.PluralRules('ru'), en: new Intl.PluralRules('en') }

/** `3 абонента`: the form of a Russian noun for a number of things. */
export function plural(count: number, one: string, few: string, many: string): string {
  const form = rules.ru.select(count)
  return form === 'one' ? one : form === 'few' ? few : many
}
