import { type Month, wholeMonth } from '../../domain/calendar.ts'
import { spanText } from '../../domain/charge-words.ts'

/** A date such as `21 ноября 2026 г.` */
export const dayInWords = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru', { timeZone, day: 'numeric', month: 'long', year: 'numeric' }).format(at)

/** A month such as `ноябрь 2026 г.` for `2026-11`. */
export const monthInWords = (month: Month): string => `${spanText(wholeMonth(month))} г.`
