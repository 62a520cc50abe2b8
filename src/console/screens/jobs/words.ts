import { useMemo } from 'react'
import { useFormat } from '../../format/format.ts'
import { useTexts } from '../../texts/texts.ts'
import { jobNames, jobTexts, resultTexts } from './texts.ts'
import type { Job, JobRun } from './endpoints.ts'

const minute = 60
const hour = 3_600
/** Said elsewhere: the error and why nothing was made as sentences, the faults of the ledger on its screen. */
const apart: readonly string[] = ['error', 'faults', 'not_made']

/** Whether a run ended well without making what it is for. */
export const isUnmade = (result: JobRun['result'] | undefined): boolean => result?.not_made !== undefined
const sums: readonly string[] = ['amount', 'given_back_amount']

const isNone = (of: unknown): boolean => of === 0 || of === '0.00' || (Array.isArray(of) && of.length === 0)

/** Jobs, their times and their results in words. */
export function useJobWords() {
  const t = useTexts(jobTexts)
  const names = useTexts(jobNames) as Readonly<Record<string, string>>
  const counted = useTexts(resultTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  return useMemo(() => {
    const value = (name: string, of: unknown): string => {
      if (Array.isArray(of)) return format.number(of.length)
      if (typeof of === 'number') return format.number(of)
      if (sums.includes(name)) return format.money(String(of))
      return /^\d{4}-\d\d-\d\d$/.test(String(of)) ? format.plainDay(String(of)) : String(of)
    }
    return {
      name: (name: string) => names[name] ?? name,
      schedule: ({ every_seconds, daily_at }: Pick<Job, 'every_seconds' | 'daily_at'>) => {
        if (every_seconds === null) return t.daily(daily_at ?? '')
        if (every_seconds % hour === 0) return t.everyHours(every_seconds / hour)
        return every_seconds % minute === 0 ? t.everyMinutes(every_seconds / minute) : t.everySeconds(every_seconds)
      },
      took: ({ started_at, ended_at }: JobRun) => {
        if (ended_at === null) return ''
        const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1000
        return seconds < minute ? t.seconds(format.number(Math.round(seconds * 10) / 10)) : format.duration(seconds)
      },
      progress: (progress: Job['progress']) => {
        if (!progress) return ''
        const done = format.number(progress.done)
        return progress.total === null ? t.progressAlone(done) : t.progress(done, format.number(progress.total))
      },
      state: ({ ok, result }: Pick<JobRun, 'ok' | 'result'>) => {
        if (ok === null) return t.running
        if (!ok) return t.bad
        return isUnmade(result) ? t.notMade : t.good
      },
      /** What it has counted; what there was none of is left out. */
      result: (result: JobRun['result']) =>
        Object.entries(result ?? {})
          .filter(([name, of]) => !apart.includes(name) && !isNone(of))
          .map(([name, of]) => `${counted[name] ?? name} ${value(name, of)}`)
          .concat(isUnmade(result) ? t.folderNotSet : [])
          .join(', '),
      error: (result: JobRun['result']) => (typeof result?.error === 'string' ? result.error : ''),
    }
  }, [t, names, counted, format])
}
