import { useMemo } from 'react'
import { Refused } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { useLanguage } from '../../texts/language.tsx'
import { useSayFields } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Setting } from './endpoints.ts'
import { meaningOf } from './found.ts'
import { choiceTexts, formatsInRussian, settingTexts } from './texts.ts'

type Value = Setting['value']

/** Settings and their values in words. */
export function useSettingWords() {
  const t = useTexts(settingTexts)
  const choices = useTexts(choiceTexts) as Readonly<Record<string, string>>
  const { language } = useLanguage()
  const format = useFormat()
  return useMemo(() => {
    const meaning = (setting: Parameters<typeof meaningOf>[0]) => meaningOf(setting, language)
    const choice = (value: string) => choices[value] ?? value
    const value = ({ secret, choices: few }: Pick<Setting, 'secret' | 'choices'>, of: Value): string => {
      if (typeof of === 'boolean') return of ? t.yes : t.no
      if (of === '') return t.empty
      if (secret) return t.set
      if (typeof of === 'number') return format.typed(String(of))
      return few ? choice(of) : of
    }
    const must = (setting: Setting) => {
      if (language !== 'ru') return t.needed(setting.must)
      const { least, most } = setting
      const range = least === undefined ? '' : ` от ${format.number(least)} до ${format.number(most)}`
      return t.needed(`${formatsInRussian[setting.format]}${range}`)
    }
    return { meaning, choice, value, must }
  }, [t, choices, language, format])
}

/** What is wrong with the values that were sent, by the names of their settings. */
export function useSayWrong(): (error: unknown, settings: readonly Setting[]) => Readonly<Record<string, string>> {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const sayFields = useSayFields()
  return (error, settings) => {
    const said = sayFields(error)
    if (!(error instanceof Refused)) return said
    return Object.fromEntries(
      Object.entries(said).map(([name, text]) => {
        const { [name]: code } = error.codes
        if (code === 'private_address') return [name, t.privateAddress]
        if (code === 'secret_missing') return [name, t.secretMissing]
        const setting = settings.find((one) => one.name === name)
        return [name, setting ? words.must(setting) : text]
      }),
    )
  }
}
