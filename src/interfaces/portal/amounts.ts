import type { Language } from '../../domain/language.ts'
import { formatRubles, type Money } from '../../domain/money.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'

/** `-1 234,50 ₽`, `-1,234.50 ₽`; takes `-1234.50` as well. Spaces do not break. */
export function amountText(amount: Money | string, language: Language): string {
  const rubles = typeof amount === 'string' ? amount : formatRubles(amount)
  const [whole = '', kopecks = '00'] = rubles.replace('-', '').split('.')
  const [thousands, point] = language === 'ru' ? [noBreak, ','] : [',', '.']
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands)
  return `${rubles.startsWith('-') ? '−' : ''}${grouped}${point}${kopecks}${noBreak}₽`
}

/** Of whole rubles: `1 000 ₽`. */
export const wholeText = (amount: Money, language: Language): string =>
  amountText(amount, language).replace(/[.,]00(?=\D*$)/, '')

/** For people, and for programs in `value`. */
export function amountMarkup(amount: Money | string, language: Language): Markup {
  const rubles = typeof amount === 'string' ? amount : formatRubles(amount)
  return markup`<data value="${rubles}">${amountText(rubles, language)}</data>`
}

const noBreak = '\u00a0'

/** `0.045` → `4,5`: the share as percent, without zeros at its end. */
export function percentText(share: string, language: Language): string {
  const [whole = '0', part = ''] = share.split('.')
  const digits = part.padEnd(6, '0')
  const percent = `${Number(whole + digits.slice(0, 2))}.${digits.slice(2)}`.replace(/\.?0+$/, '')
  return language === 'ru' ? percent.replace('.', ',') : percent
}
