import fc from 'fast-check'
import t from 'tap'
import {
  type Day,
  daysBetween,
  daysIn,
  firstDay,
  lastDay,
  type Month,
  monthOf,
  wholeMonth,
} from '../../src/domain/calendar.ts'
import { chargeText, spanText } from '../../src/domain/charge-words.ts'
import { dayPart, monthPart, rest, restAfter, servicePrice, settlementOf } from '../../src/domain/charges.ts'
import { formatRubles, type Money, moneyFromUnits, parseRubles, rubles, zero } from '../../src/domain/money.ts'

const day = (text: string) => text as Day
const span = (from: string, to: string) => ({ from: day(from), to: day(to) })
const money = (text: string) => parseRubles(text)!

t.test('the price of a service: the first that is set, times the count', async (t) => {
  const none = { own: null, sum: null, price: null, count: 1 }
  const cases: [what: string, prices: Parameters<typeof servicePrice>[0], expected: Money][] = [
    ['own wins', { own: rubles(10), sum: rubles(20), price: rubles(30), count: 1 }, rubles(10)],
    ['no own: the sum', { ...none, sum: rubles(20), price: rubles(30) }, rubles(20)],
    ['neither: the price', { ...none, price: rubles(30) }, rubles(30)],
    ['an own of zero is free', { own: zero, sum: rubles(20), price: rubles(30), count: 1 }, zero],
    ['a sum of zero is free', { ...none, sum: zero, price: rubles(30) }, zero],
    ['three of them', { ...none, price: rubles(30), count: 3 }, rubles(90)],
    ['none of them', { ...none, price: rubles(30), count: 0 }, zero],
    ['no price at all', none, zero],
  ]
  for (const [what, prices, expected] of cases) t.equal(servicePrice(prices), expected, what)
})

t.test('a part of a month is its price by calendar days, half up to the kopeck', async (t) => {
  const cases: [price: string, from: string, to: string, expected: string][] = [
    ['600', '2026-11-01', '2026-11-30', '600.00'],
    ['600', '2026-11-10', '2026-11-30', '420.00'],
    ['600', '2026-11-30', '2026-11-30', '20.00'],
    ['600', '2026-11-01', '2026-11-10', '200.00'],
    ['500', '2026-12-02', '2026-12-31', '483.87'],
    ['500', '2026-12-31', '2026-12-31', '16.13'],
    ['500', '2028-02-29', '2028-02-29', '17.24'],
    ['500', '2026-02-28', '2026-02-28', '17.86'],
    // 0.01 × 15 / 30 is half a kopeck: up for the rest of the month, so nothing is left for its beginning.
    ['0.01', '2026-11-16', '2026-11-30', '0.01'],
    ['0.01', '2026-11-01', '2026-11-15', '0.00'],
    ['0', '2026-11-16', '2026-11-30', '0.00'],
  ]
  for (const [price, from, to, expected] of cases)
    t.equal(formatRubles(monthPart(money(price), span(from, to))), expected, `${price} ${from} to ${to}`)
})

t.test('a day costs the month by its days, and the last day takes what remains', async (t) => {
  const cases: [price: string, day: string, expected: string][] = [
    ['600', '2026-11-01', '20.00'],
    ['600', '2026-11-30', '20.00'],
    ['500', '2026-12-01', '16.12'],
    ['500', '2026-12-31', '16.40'],
    ['0.20', '2026-12-01', '0.00'],
    ['0.20', '2026-12-31', '0.20'],
    ['500', '2028-02-28', '17.24'],
    ['500', '2028-02-29', '17.28'],
    ['500', '2026-02-28', '18.05'],
  ]
  for (const [price, of, expected] of cases)
    t.equal(formatRubles(dayPart(money(price), day(of))), expected, `${price} ${of}`)
})

const month = fc
  .record({ year: fc.integer({ min: 2000, max: 2100 }), number: fc.integer({ min: 1, max: 12 }) })
  .map(({ year, number }) => `${year}-${String(number).padStart(2, '0')}` as Month)
/** Also finer than a kopeck, as REST may write a price. */
const price = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.bigInt({ min: 0n, max: 10n ** 7n }).map((kopecks) => kopecks * 10n ** 8n),
  )
  .map(moneyFromUnits)
const total = (amounts: readonly Money[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

t.test('however a month is cut, its parts sum to its price and none is negative', async () => {
  fc.assert(
    fc.property(price, month, fc.array(fc.integer({ min: 1, max: 27 })), (price, month, cuts) => {
      const days = daysBetween(wholeMonth(month))
      const starts = [0, ...new Set(cuts)].sort((a, b) => a - b)
      const parts = starts.map((at, index) => {
        const next = starts[index + 1] ?? days.length
        return monthPart(price, { from: days[at]!, to: days[next - 1]! })
      })
      return total(parts) === price && parts.every((part) => part >= 0n)
    }),
    { numRuns: 500 },
  )
})

t.test('the days of a month sum to its price, and none is negative', async () => {
  fc.assert(
    fc.property(price, month, (price, month) => {
      const days = daysBetween(wholeMonth(month)).map((day) => dayPart(price, day))
      return total(days) === price && days.every((amount) => amount >= 0n)
    }),
  )
})

const dayOfMonth = month.chain((month) =>
  fc.integer({ min: 0, max: daysIn(month) - 1 }).map((at) => daysBetween(wholeMonth(month))[at]!),
)

t.test('what is charged to a day and given back after it is the month', async () => {
  fc.assert(
    fc.property(price, dayOfMonth, (price, day) => {
      const charged = monthPart(price, { from: firstDay(monthOf(day)), to: day })
      return charged + restAfter(price, day) === price && restAfter(price, day) <= rest(price, day)
    }),
  )
})

t.test('a settlement leaves a month as if it had been charged in two parts', async () => {
  fc.assert(
    fc.property(price, price, dayOfMonth, (oldPrice, newPrice, day) => {
      const month = monthOf(day)
      const settled = oldPrice + settlementOf({ oldPrice, newPrice, day, charged: 'month' })
      const before = oldPrice - rest(oldPrice, day)
      return settled === before + monthPart(newPrice, { from: day, to: lastDay(month) })
    }),
  )
})

t.test('a settlement counts the days that have been charged and remain', async (t) => {
  const change = { oldPrice: rubles(600), newPrice: rubles(900), day: day('2026-11-21') }
  const cases: [what: string, settlement: Parameters<typeof settlementOf>[0], expected: string][] = [
    ['dearer: ten days more', { ...change, charged: 'month' }, '100.00'],
    ['cheaper: ten days back', { ...change, newPrice: rubles(300), charged: 'month' }, '-100.00'],
    ['on the first: the whole month', { ...change, day: day('2026-11-01'), charged: 'month' }, '300.00'],
    ['on the last: one day', { ...change, day: day('2026-11-30'), charged: 'month' }, '10.00'],
    ['to no tariff', { ...change, newPrice: zero, charged: 'month' }, '-200.00'],
    ['only today was charged', { ...change, charged: 'day' }, '10.00'],
    ['nothing was charged yet', { ...change, charged: 'nothing' }, '0.00'],
  ]
  for (const [what, settlement, expected] of cases) t.equal(formatRubles(settlementOf(settlement)), expected, what)
})

t.test('days are named as a person would', async (t) => {
  t.equal(spanText(span('2026-11-01', '2026-11-30')), 'ноябрь 2026')
  t.equal(spanText(span('2026-11-10', '2026-11-30')), '10–30 ноября 2026')
  t.equal(spanText(span('2026-05-09', '2026-05-09')), '9 мая 2026')
  t.equal(chargeText.tariff('Home 100', span('2026-11-01', '2026-11-30')), 'Абонплата Home 100 за ноябрь 2026')
  t.equal(chargeText.service('IPTV', 2, span('2028-02-01', '2028-02-29')), 'Услуга IPTV × 2 за февраль 2028')
  t.equal(chargeText.service('IPTV', 1, span('2028-02-29', '2028-02-29')), 'Услуга IPTV за 29 февраля 2028')
  t.equal(chargeText.promise(day('2026-12-31')), 'Обещанный платёж за 31 декабря 2026')
  t.equal(chargeText.recalculation('Home', span('2026-01-02', '2026-01-31')), 'Перерасчёт Home за 2–31 января 2026')
})
