import { fitsLedger, type Money, roundToKopeck } from '../../domain/money.ts'

const places = 10

/**
 * An amount as databases and spreadsheets write it, with a point or a comma and up to ten places, exactly; null where
 * it is none, or does not fit.
 */
export function exactRubles(text: string): Money | null {
  const [, sign, whole, fraction = ''] = /^\s*([+-]?)(\d{1,15})(?:[.,](\d{1,10}))?\s*$/.exec(text) ?? []
  if (whole === undefined) return null
  const units = BigInt(whole + fraction.padEnd(places, '0'))
  if (!fitsLedger(units)) return null
  return (sign === '-' ? -units : units) as Money
}

/** To the kopeck, and whether that changed it. */
export function kopecks(amount: Money): { readonly amount: Money; readonly isRounded: boolean } {
  const rounded = roundToKopeck(amount)
  return { amount: rounded, isRounded: rounded !== amount }
}
