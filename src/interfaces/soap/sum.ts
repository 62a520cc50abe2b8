import { type Money, parseTypedRubles } from '../../domain/money.ts'

/** Reads rubles with a comma or a point; zeros beyond kopecks are allowed. Returns null for anything else. */
export const readSum = (text: string): Money | null =>
  /^\d[\d.,]*$/.test(text) ? parseTypedRubles(text.replace(/([.,]\d\d)0+$/, '$1')) : null
