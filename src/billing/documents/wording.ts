import { formatRubles, type Money, moneyFromUnits, roundToKopeck } from '../../domain/money.ts'

const monthNames = 'январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь'.split(' ')

/** `1 234 567,05`, with spaces that do not break. */
export function figures(amount: Money): string {
  const [whole = '', kopecks = ''] = formatRubles(amount).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0').replace('-', '−')},${kopecks}`
}

/** `21 ноября 2026 г.` */
export const dayInWords = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru', { timeZone, day: 'numeric', month: 'long', year: 'numeric' }).format(at)

/** `21.11.2026` */
export const dayInFigures = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru', { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' }).format(at)

/** `21.11.2026 16:05` */
export const momentInFigures = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru', {
    timeZone,
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
    .format(at)
    .replace(',', '')

/** `ноябрь 2026 г.` of `2026-11`. */
export const monthInWords = (month: string): string =>
  `${monthNames[Number(month.slice(5)) - 1]} ${month.slice(0, 4)} г.`

/** The VAT that an amount includes, to the kopeck. */
export const vatIncluded = (amount: Money, rate: number): Money =>
  roundToKopeck(moneyFromUnits((amount * BigInt(rate)) / BigInt(100 + rate)))

/** Markers that programs read, such as `[txn:17]`, mean nothing to a client. */
export const withoutMarkers = (description: string): string =>
  description
    .replace(/\[(?:txn|bank_op|legacy)(?::[^\]]*)?\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
