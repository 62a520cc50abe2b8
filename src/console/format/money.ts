/** Decimal rubles as the endpoints send them are text: no floating point touches money. */
const kopecksOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const kopecks = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2))
  return text.startsWith('-') ? -kopecks : kopecks
}

/** The sum of two amounts, written as the endpoints write them. */
export function sumOf(a: string, b: string): string {
  const kopecks = kopecksOf(a) + kopecksOf(b)
  const size = kopecks < 0n ? -kopecks : kopecks
  return `${kopecks < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}

/** The opposite of an amount that is below zero; null: nothing is owed. */
export const debtOf = (balance: string): string | null => (balance.startsWith('-') ? balance.slice(1) : null)

/**
 * A sum of either sign as people type it, with spaces, a comma or a point, as an endpoint takes it; null: it is none.
 */
export function readSum(typed: string): string | null {
  const text = typed
    .replaceAll(/[\s\u00a0]/g, '')
    .replace(',', '.')
    .replace('−', '-')
  return /^-?\d{1,12}(\.\d{1,2})?$/.test(text) ? text : null
}

/** The same of an amount above zero. */
export function readAmount(typed: string): string | null {
  const text = readSum(typed)
  return text !== null && Number(text) > 0 ? text : null
}

/** The same of an amount that may be zero, as a price. */
export function readPrice(typed: string): string | null {
  const text = readSum(typed)
  return text !== null && !text.startsWith('-') ? text : null
}
