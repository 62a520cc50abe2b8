import fc from 'fast-check'
import t from 'tap'
import { creditOf, payableFor, readRate } from '../../../src/billing/payments/commission.ts'
import { formatRubles, type Money, moneyFromUnits, parseRubles } from '../../../src/domain/money.ts'

const kopeck = 100_000_000n
const kopecks = (count: number) => moneyFromUnits(BigInt(count) * kopeck)

t.test('what is paid for an amount, and what is credited of a payment', async (t) => {
  const rate = readRate('0.045')
  t.equal(formatRubles(payableFor(parseRubles('100')!, rate)), '104.50')
  t.equal(formatRubles(creditOf(parseRubles('104.50')!, rate)), '100.00')
  t.equal(formatRubles(payableFor(parseRubles('0.10')!, readRate('0.05'))), '0.11', 'half a kopeck goes up')
  t.equal(formatRubles(creditOf(parseRubles('0.03')!, readRate('1'))), '0.02', 'and so it does back')
  t.equal(readRate('1.000000'), readRate('1'))
  t.throws(() => readRate('4,5'))
})

/**
 * The rounding of a rate repeats after a number of kopecks: after 250 at most, except for the one of six digits, which
 * takes a million. A step of 29, which has no divisor in common with that, meets remainders of all kinds there.
 */
t.test('the credit is the amount asked, whatever the rounding of a rate does with an amount', async (t) => {
  for (const [share, most, step] of [
    ...['0.045', '0', '0.05', '0.028', '0.035', '1'].map((share) => [share, 10_000, 1] as const),
    ['0.033333', 1_000_000, 29] as const,
  ]) {
    const rate = readRate(share)
    let wrong: Money | null = null
    for (let count = 1; count <= most && wrong === null; count += step) {
      const amount = kopecks(count)
      if (creditOf(payableFor(amount, rate), rate) !== amount) wrong = amount
    }
    t.equal(wrong, null, share)
  }
})

t.test('for any amount and rate the credit is the amount asked', async () => {
  const rates = fc
    .integer({ min: 0, max: 999_999 })
    .map((millionths) => readRate(`0.${String(millionths).padStart(6, '0')}`))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), rates, (count, rate) => {
      const payable = payableFor(kopecks(count), rate)
      return payable % kopeck === 0n && creditOf(payable, rate) === kopecks(count)
    }),
  )
})
