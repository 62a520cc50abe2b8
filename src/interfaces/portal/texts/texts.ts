import type { Language } from '../../../domain/language.ts'
import { en } from './en.ts'
import { ru } from './ru.ts'

/** The same places for other words. */
type Widened<T> = T extends string
  ? string
  : T extends (...values: infer V) => string
    ? (...values: V) => string
    : { readonly [K in keyof T]: Widened<T[K]> }

/** The catalogue: every language has every text, or it does not compile. */
export type Texts = Widened<typeof ru>

export const textsOf = { ru, en } as const satisfies Record<Language, Texts>
