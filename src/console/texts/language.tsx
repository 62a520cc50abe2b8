import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'
import type { Language } from '../../domain/language.ts'
import { readKept, writeKept } from '../format/kept.ts'

type Chosen = { readonly language: Language; readonly choose: (language: Language) => void }

const LanguageContext = createContext<Chosen>({ language: 'ru', choose: () => {} })

export const useLanguage = (): Chosen => use(LanguageContext)

const first = (): Language => {
  const kept = readKept('language')
  if (kept === 'ru' || kept === 'en') return kept
  return navigator.language.toLowerCase().startsWith('ru') || !navigator.language ? 'ru' : 'en'
}

/** The language that the user has chosen, else that of the browser. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(first)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choose = useCallback((chosen: Language) => {
    writeKept('language', chosen)
    setLanguage(chosen)
  }, [])
  const value = useMemo(() => ({ language, choose }), [language, choose])
  return <LanguageContext value={value}>{children}</LanguageContext>
}
