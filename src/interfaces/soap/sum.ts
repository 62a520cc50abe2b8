import { type Money, parseTypedRubles } from '../../domain/money.ts'

/**
 * Rubles with a comma or a point; zeros beyond the kopecks are allowed. Null: no amount, or one finer than a kopeck.
 */
export const readSum = (text: string): Money | null =>
  /^\d[\d.,]*$/.test(text) ? parseTypedRubles(text.replace(/([.,]\d\d)0+$/, '$1')) : null
