/** Languages a client can be spoken to in. The first is that of everybody who has not said anything else. */
export const languages = ['ru', 'en'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)
