import fc from 'fast-check'
import t from 'tap'
import { agreeing, amountInWords } from '../../../src/billing/documents/amount-words.ts'
import { moneyFromUnits, moneyMax, parseRubles } from '../../../src/domain/money.ts'

const written = (rubles: string) => amountInWords(parseRubles(rubles)!)

t.test('amounts are written as accountants write them', async (t) => {
  const cases: Record<string, string> = {
    '0': 'Ноль рублей 00 копеек',
    '0.01': 'Ноль рублей 01 копейка',
    '0.02': 'Ноль рублей 02 копейки',
    '0.11': 'Ноль рублей 11 копеек',
    '0.99': 'Ноль рублей 99 копеек',
    '1': 'Один рубль 00 копеек',
    '2': 'Два рубля 00 копеек',
    '4.21': 'Четыре рубля 21 копейка',
    '5': 'Пять рублей 00 копеек',
    '10': 'Десять рублей 00 копеек',
    '11': 'Одиннадцать рублей 00 копеек',
    '12.12': 'Двенадцать рублей 12 копеек',
    '14': 'Четырнадцать рублей 00 копеек',
    '19': 'Девятнадцать рублей 00 копеек',
    '20': 'Двадцать рублей 00 копеек',
    '21': 'Двадцать один рубль 00 копеек',
    '22.22': 'Двадцать два рубля 22 копейки',
    '40': 'Сорок рублей 00 копеек',
    '90': 'Девяносто рублей 00 копеек',
    '100': 'Сто рублей 00 копеек',
    '101': 'Сто один рубль 00 копеек',
    '111': 'Сто одиннадцать рублей 00 копеек',
    '199': 'Сто девяносто девять рублей 00 копеек',
    '200': 'Двести рублей 00 копеек',
    '341': 'Триста сорок один рубль 00 копеек',
    '500': 'Пятьсот рублей 00 копеек',
    '999': 'Девятьсот девяносто девять рублей 00 копеек',
    '1000': 'Одна тысяча рублей 00 копеек',
    '1001': 'Одна тысяча один рубль 00 копеек',
    '2000': 'Две тысячи рублей 00 копеек',
    '2002': 'Две тысячи два рубля 00 копеек',
    '3003': 'Три тысячи три рубля 00 копеек',
    '5000': 'Пять тысяч рублей 00 копеек',
    '11000': 'Одиннадцать тысяч рублей 00 копеек',
    '12345.67': 'Двенадцать тысяч триста сорок пять рублей 67 копеек',
    '21000': 'Двадцать одна тысяча рублей 00 копеек',
    '22022': 'Двадцать две тысячи двадцать два рубля 00 копеек',
    '100000': 'Сто тысяч рублей 00 копеек',
    '111111': 'Сто одиннадцать тысяч сто одиннадцать рублей 00 копеек',
    '1000000': 'Один миллион рублей 00 копеек',
    '1000001': 'Один миллион один рубль 00 копеек',
    '2000000': 'Два миллиона рублей 00 копеек',
    '5001000': 'Пять миллионов одна тысяча рублей 00 копеек',
    '121212121.21': 'Сто двадцать один миллион двести двенадцать тысяч сто двадцать один рубль 21 копейка',
    '-1.5': 'Минус один рубль 50 копеек',
  }
  for (const [rubles, words] of Object.entries(cases)) t.equal(written(rubles), words, rubles)
  t.match(
    amountInWords(moneyMax),
    /^Девятьсот двадцать два миллиона триста тридцать семь тысяч двести три рубля 69 копеек$/,
  )
})

t.test('finer than a kopeck is rounded half up', async (t) => {
  t.equal(amountInWords(moneyFromUnits(9_949_999_999n)), 'Ноль рублей 99 копеек')
  t.equal(amountInWords(moneyFromUnits(9_950_000_000n)), 'Один рубль 00 копеек')
  t.equal(amountInWords(moneyFromUnits(-9_950_000_000n)), 'Минус один рубль 00 копеек')
})

t.test('a noun agrees with its number, whatever comes before the last two digits', async () => {
  const forms = ['рубль', 'рубля', 'рублей'] as const
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), (number) => {
      // What PostgreSQL's and CLDR's rules say, by another road.
      const category = new Intl.PluralRules('ru').select(Number(number))
      const expected = { one: 'рубль', few: 'рубля', many: 'рублей' }[category as 'one' | 'few' | 'many']
      return agreeing(number, forms) === expected
    }),
  )
})

t.test('different amounts have different words', async (t) => {
  const seen = new Map<string, number>()
  for (let number = 0; number < 20_000; number++) {
    const words = written(String(number))
    if (seen.has(words)) t.fail(`${number} and ${seen.get(words)}: ${words}`)
    seen.set(words, number)
  }
  t.equal(seen.size, 20_000)
})
