/** The languages of messages and screens for clients. The first is the default. */
export const languages = ['ru', 'en'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)

/**
 * The shape of the same texts in another language: a text stays a text, and a function of values stays one with the
 * same parameters.
 */
type OtherWords<T> = T extends string
  ? string
  : T extends (...values: infer V) => infer R
    ? (...values: V) => OtherWords<R>
    : { readonly [K in keyof T]: OtherWords<T[K]> }

/** Texts for people, by language. */
export type Catalogue<T> = Readonly<Record<Language, OtherWords<T>>>

/** Checks at compile time that every language has all the texts that the Russian one has. */
export const catalogue = <const T>(texts: { readonly ru: T; readonly en: OtherWords<NoInfer<T>> }): Catalogue<T> =>
  texts as Catalogue<T>
