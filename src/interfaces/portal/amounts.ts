import type { Language } from '../../domain/language.ts'
import { formatRubles, type Money } from '../../domain/money.ts'
import { amountText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'

/** An amount formatted for people, with the plain decimal number in the `value` attribute for programs. */
export function amountMarkup(amount: Money | string, language: Language): Markup {
  const rubles = typeof amount === 'string' ? amount : formatRubles(amount)
  return markup`<data value="${rubles}">${amountText(rubles, language)}</data>`
}
