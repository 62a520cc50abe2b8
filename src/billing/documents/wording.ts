import { type Month, wholeMonth } from '../../domain/calendar.ts'
import { spanText } from '../../domain/charge-words.ts'
import { type Money, moneyFromUnits, roundToKopeck } from '../../domain/money.ts'

/** A date such as `21 ноября 2026 г.` */
export const dayInWords = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru', { timeZone, day: 'numeric', month: 'long', year: 'numeric' }).format(at)

/** A month such as `ноябрь 2026 г.` for `2026-11`. */
export const monthInWords = (month: Month): string => `${spanText(wholeMonth(month))} г.`

/** The VAT that an amount includes at a rate in percent, rounded to the kopeck. */
export const vatIncluded = (amount: Money, rate: number): Money =>
  roundToKopeck(moneyFromUnits((amount * BigInt(rate)) / BigInt(100 + rate)))

/** The description without markers for programs, such as `[txn:17]`, which mean nothing to a client. */
export const withoutMarkers = (description: string): string =>
  description
    .replace(/\[(?:txn|bank_op|legacy)(?::[^\]]*)?\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
