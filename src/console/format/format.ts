import { useMemo } from 'react'
import { useMe } from '../api/me.tsx'
import { useLanguage } from '../texts/language.tsx'
import type { Language } from '../texts/texts.ts'
import { formatsOf } from './formats.ts'

export type { Formats } from './formats.ts'

const locales = { ru: 'ru-RU', en: 'en-GB' } as const satisfies Record<Language, string>

/** Money, numbers and moments as people read them: in the language of the user and the zone of the setting. */
export function useFormat() {
  const { language } = useLanguage()
  const { currency, time_zone: timeZone } = useMe()
  return useMemo(() => formatsOf({ locale: locales[language], currency, timeZone }), [language, currency, timeZone])
}

/** Whether a decimal text is below zero. */
export const isNegative = (text: string): boolean => text.startsWith('-')
