import type { Language } from './language.ts'
import { formatRubles, type Money } from './money.ts'

/**
 * Amounts, shares, days and moments as people read them, formatted alike in the portal, the application, messages and
 * documents.
 */

const noBreak = '\u00a0'

/** An amount, or the text that `formatRubles` makes of it. */
type Rubles = Money | string

const rublesOf = (amount: Rubles): string => (typeof amount === 'string' ? amount : formatRubles(amount))

/** `90 руб.`, `-12.50 RUB`: without kopecks where there are none. */
export const moneyText = (amount: Rubles, language: Language): string =>
  `${rublesOf(amount).replace(/\.00$/, '')} ${language === 'ru' ? 'руб.' : 'RUB'}`

/** `−1 234,50`, `−1,234.50`. Its spaces are no-break spaces. */
export function groupedRubles(amount: Rubles, language: Language = 'ru'): string {
  const rubles = rublesOf(amount)
  const [whole = '', kopecks = '00'] = rubles.replace('-', '').split('.')
  const [thousands, point] = language === 'ru' ? [noBreak, ','] : [',', '.']
  return `${rubles.startsWith('-') ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, thousands)}${point}${kopecks}`
}

/** `−1 234,50 ₽`, `−1,234.50 ₽`. */
export const amountText = (amount: Rubles, language: Language): string =>
  `${groupedRubles(amount, language)}${noBreak}₽`

/** `1 000 ₽`: without kopecks where there are none. */
export const wholeAmountText = (amount: Rubles, language: Language): string =>
  amountText(amount, language).replace(/[.,]00(?=\D*$)/, '')

/** `0.045` → `4,5`: a share as a percentage without trailing zeros. */
export function percentText(share: string, language: Language): string {
  const [whole = '0', part = ''] = share.split('.')
  const digits = part.padEnd(6, '0')
  const percent = `${Number(whole + digits.slice(0, 2))}.${digits.slice(2)}`.replace(/\.?0+$/, '')
  return language === 'ru' ? percent.replace('.', ',') : percent
}

// Creating a formatter costs as much as using it thirty times.
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    const two = '2-digit'
    const parts = { day: two, month: two, year: 'numeric', hour: two, minute: two, second: two } as const
    formatter = new Intl.DateTimeFormat('ru', { timeZone, ...parts })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

/** `21.11.2026 16:05:09`, in every language, because the specification prescribes this format. */
export const stampText = (moment: Date, timeZone: string): string =>
  formatterOf(timeZone).format(moment).replace(',', '')

/** `21.11.2026 16:05` */
export const momentText = (moment: Date, timeZone: string): string => stampText(moment, timeZone).replace(/:\d\d$/, '')

/** `21.11.2026` */
export const dayText = (moment: Date, timeZone: string): string => stampText(moment, timeZone).split(' ')[0]!

/** The same of a day such as `2026-11-21`. */
export const shownDay = (day: string): string => day.split('-').reverse().join('.')

/** `отрицательный баланс` → `Отрицательный баланс`. */
export const asSentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** Replaces the placeholders of a text (`{name}`) with their values. `{sum}.` is `600 руб.`, with one full stop. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = String(values[name] ?? '')
    return value.endsWith('.') ? value : value + stop
  })

/** A description for clients: without markers for programs and the staff, such as `[txn:17]` and `[legacy 5]`. */
export const withoutMarkers = (description: string): string =>
  description.replace(/\s*\[(?:txn|bank_op|legacy)[^\]]*\]/g, '').trim()
