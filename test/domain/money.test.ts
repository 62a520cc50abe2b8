import fc from 'fast-check'
import t from 'tap'
import {
  fitsLedger,
  formatRubles,
  type Money,
  moneyFromUnits,
  moneyMax,
  parseRubles,
  roundToKopeck,
  rubles,
} from '../../src/domain/money.ts'

t.test('rubles are read with at most two places', async (t) => {
  const cases: [unknown, bigint | null][] = [
    ['0', 0n],
    ['12', 120_000_000_000n],
    ['12.5', 125_000_000_000n],
    ['12.34', 123_400_000_000n],
    ['-12.34', -123_400_000_000n],
    ['+1', 10_000_000_000n],
    [' 7 ', 70_000_000_000n],
    [7, 70_000_000_000n],
    [0.1, 1_000_000_000n],
    ['922337203.68', 9_223_372_036_800_000_000n],
    ['922337203.69', null],
    ['0.001', null],
    [0.001, null],
    ['1e3', null],
    [1e21, null],
    [Number.NaN, null],
    ['', null],
    ['.5', null],
    ['5.', null],
    ['1,5', null],
    ['12 ₽', null],
    [null, null],
    [undefined, null],
    [{}, null],
    [[1], null],
  ]
  for (const [input, expected] of cases) t.equal(parseRubles(input), expected, `${typeof input} ${String(input)}`)
})

t.test('rubles are written with two places, rounded half up', async (t) => {
  const cases: [bigint, string][] = [
    [0n, '0.00'],
    [1n, '0.00'],
    [-1n, '0.00'],
    [50_000_000n, '0.01'],
    [49_999_999n, '0.00'],
    [-50_000_000n, '-0.01'],
    [123_400_000_000n, '12.34'],
    [-10_000_000_000n, '-1.00'],
    [moneyMax, '922337203.69'],
  ]
  for (const [units, expected] of cases) t.equal(formatRubles(moneyFromUnits(units)), expected)
})

t.test('what is written in kopecks is read back as the same amount', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -92_233_720_368n, max: 92_233_720_368n }), (kopecks) => {
      const amount = moneyFromUnits(kopecks * 100_000_000n)
      return parseRubles(formatRubles(amount)) === amount && roundToKopeck(amount) === amount
    }),
  )
})

t.test('rounding moves an amount by at most half a kopeck', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (units) => {
      const rounded = roundToKopeck(units as Money)
      const moved = rounded > units ? rounded - units : units - rounded
      return moved <= 50_000_000n && rounded % 100_000_000n === 0n
    }),
  )
})

t.test('the ledger holds what fits a signed 64-bit column', async (t) => {
  t.ok(fitsLedger(moneyMax))
  t.notOk(fitsLedger(moneyMax + 1n))
  t.ok(fitsLedger(-moneyMax))
  t.equal(rubles(3), 30_000_000_000n)
})
