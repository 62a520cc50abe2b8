/** Languages a client can be spoken to in. The first is that of everybody who has not said anything else. */
export const languages = ['ru', 'en'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)

/** The same texts in other words: what is a text or a function that makes one stays such. */
type OtherWords<T> = T extends string
  ? string
  : T extends (...values: infer V) => infer R
    ? (...values: V) => OtherWords<R>
    : { readonly [K in keyof T]: OtherWords<T[K]> }

/** What people read, by language. */
export type Catalogue<T> = Readonly<Record<Language, OtherWords<T>>>

/** Every language has every text of the Russian ones, or it does not compile. */
export const catalogue = <const T>(texts: { readonly ru: T; readonly en: OtherWords<NoInfer<T>> }): Catalogue<T> =>
  texts as Catalogue<T>
