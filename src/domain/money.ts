declare const scale: unique symbol

/**
 * Rubles x 10^10, exactly as stored (specification section 1 rule 1). Parsing, formatting and rounding live here and
 * nowhere else.
 */
export type Money = bigint & { readonly [scale]: '10^10' }

/** DB_MONEY_KOEF of the specification: stored units in one ruble. */
export const unitsPerRuble = 10_000_000_000n
const unitsPerKopeck = 100_000_000n
const halfKopeck = unitsPerKopeck / 2n

/** The column is a signed 64-bit integer, so this is the largest amount the ledger can hold: 922 million rubles. */
export const moneyMax = 9_223_372_036_854_775_807n as Money
export const zero = 0n as Money

/** Takes an integer that is already multiplied by 10^10: a database column or a REST v2 number. */
export const moneyFromUnits = (units: bigint | string | number): Money => BigInt(units) as Money

/** Takes the value of a nullable column. */
export const moneyOrNull = (units: string | null): Money | null => (units === null ? null : moneyFromUnits(units))

export const fitsLedger = (units: bigint): boolean => units <= moneyMax && units >= -moneyMax

export const plus = (a: Money, b: Money): Money => (a + b) as Money
export const minus = (a: Money, b: Money): Money => (a - b) as Money
export const times = (amount: Money, count: number): Money => (amount * BigInt(count)) as Money
export const negated = (a: Money): Money => -a as Money
export const magnitude = (a: Money): Money => (a < 0n ? -a : a) as Money
export const rubles = (whole: number | bigint): Money => (BigInt(whole) * unitsPerRuble) as Money

const decimalPattern = /^([+-]?)(\d{1,15})(?:\.(\d{1,2}))?$/

/**
 * Reads an amount in rubles with at most two decimal places, as a number or a string. Returns null for more decimal
 * places, for an amount beyond the ledger's range, and for anything that is not a decimal number.
 */
export function parseRubles(input: unknown): Money | null {
  const text = typeof input === 'number' ? String(input) : typeof input === 'string' ? input.trim() : ''
  const match = decimalPattern.exec(text)
  if (!match) return null
  const kopecks = BigInt(match[2]!) * 100n + BigInt((match[3] ?? '').padEnd(2, '0'))
  const units = kopecks * unitsPerKopeck * (match[1] === '-' ? -1n : 1n)
  return fitsLedger(units) ? (units as Money) : null
}

/** Reads an amount as people type it, with a comma or a point. */
export const parseTypedRubles = (text: string): Money | null => parseRubles(text.replace(',', '.'))

/** Rounds half up (away from zero) to the kopeck. */
export function roundToKopeck(amount: Money): Money {
  const kopecks = wholeKopecks(amount)
  return (amount < 0n ? -kopecks * unitsPerKopeck : kopecks * unitsPerKopeck) as Money
}

/** The kopecks of the magnitude of an amount, rounded half up. */
const wholeKopecks = (amount: Money): bigint => (magnitude(amount) + halfKopeck) / unitsPerKopeck

/**
 * The share `part / whole` of an amount, rounded half up or down to the kopeck and never more than the amount. The
 * share of the whole is the exact amount, unrounded. `amount` is not negative, and `part` is 0 to `whole`.
 */
export function shareOf(amount: Money, part: number, whole: number, rounding: 'halfUp' | 'down' = 'halfUp'): Money {
  if (part >= whole) return amount
  const [exact, unit] = [amount * BigInt(part), BigInt(whole) * unitsPerKopeck]
  const kopecks = (exact + (rounding === 'halfUp' ? unit / 2n : 0n)) / unit
  const share = (kopecks * unitsPerKopeck) as Money
  return share > amount ? amount : share
}

/** The VAT that an amount includes at a rate in percent, rounded half up to the kopeck. */
export const vatIncluded = (amount: Money, rate: number): Money =>
  roundToKopeck(((amount * BigInt(rate)) / BigInt(100 + rate)) as Money)

/** Rubles with exactly two decimal places, rounded half up: `-12.50`. */
export function formatRubles(amount: Money): string {
  const kopecks = wholeKopecks(amount)
  const digits = String(kopecks).padStart(3, '0')
  const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`
  return amount < 0n && kopecks !== 0n ? `-${text}` : text
}
