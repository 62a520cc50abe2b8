import { type Money, magnitude, roundToKopeck, unitsPerRuble } from '../../domain/money.ts'

/** The forms of a Russian noun: after 1, after 2 to 4, and after 0 and 5 to 20. */
type Forms = readonly [one: string, few: string, many: string]

const rubleForms: Forms = ['рубль', 'рубля', 'рублей']
const kopeckForms: Forms = ['копейка', 'копейки', 'копеек']

/** Smallest first. The ledger holds hundreds of millions of rubles at most, so a milliard is enough. */
const scales: readonly { forms: Forms; isFeminine: boolean }[] = [
  { forms: ['', '', ''], isFeminine: false },
  { forms: ['тысяча', 'тысячи', 'тысяч'], isFeminine: true },
  { forms: ['миллион', 'миллиона', 'миллионов'], isFeminine: false },
  { forms: ['миллиард', 'миллиарда', 'миллиардов'], isFeminine: false },
]

const hundreds = 'сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот'.split(' ')
const tens = 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто'.split(' ')
const upToNineteen =
  'один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать'.split(
    ' ',
  )

/** The form that goes with a number: 1 рубль, 22 рубля, 11 рублей. */
export function agreeing(count: bigint, [one, few, many]: Forms): string {
  const lastTwo = count % 100n
  const last = count % 10n
  if (lastTwo >= 11n && lastTwo <= 14n) return many
  if (last === 1n) return one
  return last >= 2n && last <= 4n ? few : many
}

/**
 * The amount written out as accountants do it: `Одна тысяча двести рублей 05 копеек`. It is rounded half up to the
 * kopeck. Kopecks stay in figures, as the rules for payment orders require.
 */
export function amountInWords(amount: Money): string {
  const rounded = roundToKopeck(amount)
  const whole = magnitude(rounded) / unitsPerRuble
  const kopecks = (magnitude(rounded) % unitsPerRuble) / (unitsPerRuble / 100n)
  const words = [
    rounded < 0n ? 'минус' : '',
    wholeInWords(whole),
    agreeing(whole, rubleForms),
    String(kopecks).padStart(2, '0'),
    agreeing(kopecks, kopeckForms),
  ]
  const sentence = words.filter(Boolean).join(' ')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

function wholeInWords(whole: bigint): string {
  if (whole === 0n) return 'ноль'
  const words: string[] = []
  let rest = whole
  for (const { forms, isFeminine } of scales) {
    const triad = rest % 1000n
    if (triad > 0n) words.unshift(...triadInWords(Number(triad), isFeminine), agreeing(triad, forms))
    rest /= 1000n
  }
  return words.filter(Boolean).join(' ')
}

/** A number from 1 to 999 in words. */
function triadInWords(triad: number, isFeminine: boolean): string[] {
  const words: string[] = []
  if (triad >= 100) words.push(hundreds[Math.floor(triad / 100) - 1]!)
  const belowHundred = triad % 100
  if (belowHundred >= 20) words.push(tens[Math.floor(belowHundred / 10) - 2]!)
  const last = belowHundred < 20 ? belowHundred : belowHundred % 10
  if (last > 0) words.push(isFeminine && last <= 2 ? ['одна', 'две'][last - 1]! : upToNineteen[last - 1]!)
  return words
}
