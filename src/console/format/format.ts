import { useMe } from '../api/me.tsx'
import { useLanguage } from '../texts/language.tsx'
import type { Language } from '../texts/texts.ts'
import { type Formats, formatsOf } from './formats.ts'

export type { Formats } from './formats.ts'

const locales = { ru: 'ru-RU', en: 'en-GB' } as const satisfies Record<Language, string>

/** Money, numbers and moments as people read them: in the language of the user and the zone of the setting. */
export function useFormat(): Formats {
  const { language } = useLanguage()
  const { currency, time_zone: timeZone } = useMe()
  return formatsFor({ locale: locales[language], currency, timeZone })
}

const made = new Map<string, Formats>()

/** To make them takes a browser more than a millisecond, and each cell of a list asks for them. */
function formatsFor(ways: Parameters<typeof formatsOf>[0]): Formats {
  const key = JSON.stringify(ways)
  const formats = made.get(key) ?? formatsOf(ways)
  made.set(key, formats)
  return formats
}

/** Whether a decimal text is below zero. */
export const isNegative = (text: string): boolean => text.startsWith('-')
