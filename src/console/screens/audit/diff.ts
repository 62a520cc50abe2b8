import { useCallback } from 'react'
import { useFormat } from '../../format/format.ts'
import { storedText } from '../../format/stored.ts'
import { useTexts } from '../../texts/texts.ts'
import { fieldTexts } from '../subscriber/log-texts.ts'
import { auditTexts } from './texts.ts'

const valueMax = 80

/** What has changed, a text for each field: its name, what it was and what it is. */
export function useDiffWords(): (diff: unknown) => readonly string[] {
  const t = useTexts(auditTexts)
  const format = useFormat()
  const fields = useTexts(fieldTexts) as Readonly<Record<string, string>>
  return useCallback(
    (diff) => {
      const value = (name: string, of: unknown): string => {
        if (of === null || of === undefined || of === '') return t.nothing
        if (typeof of === 'boolean') return of ? t.yes : t.no
        const text = typeof of === 'object' ? JSON.stringify(of) : storedText(name, String(of), format)
        return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text
      }
      if (diff === null || typeof diff !== 'object') return []
      return Object.entries(diff).map(([name, of]) => {
        const field = fields[name] ?? name
        return Array.isArray(of) && of.length === 2
          ? t.change(field, value(name, of[0]), value(name, of[1]))
          : `${field}: ${value(name, of)}`
      })
    },
    [t, fields, format],
  )
}
