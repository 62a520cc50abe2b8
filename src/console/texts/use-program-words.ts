import { useCallback } from 'react'
import { inEnglish } from '../format/program-words.ts'
import { useLanguage } from './language.tsx'

/** Says what the program has written with money in the language that the user has chosen. */
export function useProgramWords(): (text: string) => string {
  const { language } = useLanguage()
  return useCallback((text) => (language === 'en' ? inEnglish(text) : text), [language])
}
