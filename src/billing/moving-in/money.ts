import { fitsLedger, type Money, roundToKopeck, zero } from '../../domain/money.ts'
import { type Remark, remark } from './records.ts'
import { SourceFault } from './tables/tables.ts'

const places = 10
/** As databases write a floating-point number: 12.340000000000001, -1.5e-05. */
const form = /^\s*([+-]?)(\d{1,30})(?:[.,](\d{1,30}))?(?:e([+-]?\d{1,3}))?\s*$/i

/**
 * An amount as databases and spreadsheets write it, with a point or a comma, exactly up to ten places, to which longer
 * ones are rounded; null where it is none, or does not fit.
 */
export function exactRubles(text: string): Money | null {
  const [, sign, whole, fraction = '', exponent = '0'] = form.exec(text) ?? []
  if (whole === undefined) return null
  const shift = places - fraction.length + Number(exponent)
  const digits = BigInt(whole + fraction)
  const units = shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift))
  if (!fitsLedger(units)) return null
  return (sign === '-' ? -units : units) as Money
}

/** Half up. */
const rounded = (digits: bigint, divisor: bigint): bigint => (digits + divisor / 2n) / divisor

/** What somebody has or owes there; nothing where the source has nothing. Throws SourceFault where it is no amount. */
export function rublesAt(place: string, text: string | null | undefined): Money {
  if (text === null || text === undefined || text.trim() === '') return zero
  const amount = exactRubles(text)
  if (amount === null) throw new SourceFault(`${place}: "${text.slice(0, 60)}" is no amount.`)
  return amount
}

/** The price of a tariff; nothing where the source has none that a tariff may have here. */
export function tariffPrice(place: string, text: string | null | undefined): { price: Money; remarks: Remark[] } {
  const price = exactRubles(text ?? '0')
  return price !== null && price >= zero
    ? { price, remarks: [] }
    : { price: zero, remarks: [remark(place, 'its price is no amount from 0 on: the tariff costs nothing')] }
}

/** To the kopeck, and whether that changed it. */
export function kopecks(amount: Money): { readonly amount: Money; readonly isRounded: boolean } {
  const rounded = roundToKopeck(amount)
  return { amount: rounded, isRounded: rounded !== amount }
}
