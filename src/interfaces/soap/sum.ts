import { type Money, parseRubles } from '../../domain/money.ts'

/** Rubles with a comma or a point; zeros beyond the kopecks are nothing. Null: no amount, or finer than a kopeck. */
export function readSum(text: string): Money | null {
  const match = /^(\d{1,15})(?:[.,](\d{1,2})0*)?$/.exec(text)
  if (!match) return null
  const [, whole, part] = match
  return parseRubles(part === undefined ? whole : `${whole}.${part}`)
}
