import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { inEnglish } from '../../src/console/format/program-words.ts'
import { addDays, type Day, dayOf, monthOf, startOfDay, wholeMonth } from '../../src/domain/calendar.ts'
import { chargeText } from '../../src/domain/charge-words.ts'
import { amountText } from '../../src/domain/wording.ts'
import { browserOf } from '../../src/console/format/browser.ts'
import { operatorName } from '../../src/console/format/operator-name.ts'
import { csvText } from '../../src/console/format/csv.ts'
import { type Formats, formatsOf } from '../../src/console/format/formats.ts'
import { beginOf } from '../../src/console/format/days.ts'
import { operationWords } from '../../src/console/search/operation-words.ts'
import { detailInRussian } from '../../src/console/screens/not-credited/details.ts'
import { dateText, readDate } from '../../src/console/format/typed-dates.ts'
import { storedText } from '../../src/console/format/stored.ts'
import { debtOf, readAmount, sumOf } from '../../src/console/format/money.ts'

t.test('amounts are added as text, to the kopeck and at any size', async (t) => {
  const sums = [
    ['100.50', '-0.50', '100.00'],
    ['-10.00', '5.25', '-4.75'],
    ['0.10', '0.20', '0.30'],
    ['-0.05', '0.05', '0.00'],
    ['90071992547409.93', '0.01', '90071992547409.94'],
  ] as const
  for (const [a, b, sum] of sums) t.equal(sumOf(a, b), sum, `${a} + ${b}`)
  t.same(['-600.00', '0.00', '5.00'].map(debtOf), ['600.00', null, null])
})

t.test('an amount is read as people type it', async (t) => {
  const typed = { '150': '150', '1 500,5': '1500.5', '1\u00a0500.05': '1500.05', ' 7 ': '7' }
  for (const [text, amount] of Object.entries(typed)) t.equal(readAmount(text), amount, text)
  for (const text of ['', '0', '0,00', '-5', '1.234', 'сто', '1e3', '1,2,3', '9'.repeat(13)])
    t.equal(readAmount(text), null, text)
})

t.test('a date is read as people type it, and written in the order of the language', async (t) => {
  for (const typed of ['5.11.2026', '05/11/2026', '05-11-2026', '05112026', ' 2026-11-05 '])
    t.equal(readDate('day', typed), '2026-11-05', typed)
  for (const typed of ['', '5.11', '5.11.20', '31.11.2026', '11/30/2026', '5.11.2026 9:05', 'завтра'])
    t.equal(readDate('day', typed), null, typed)
  for (const typed of ['05.11.2026, 9:05', '05/11/2026 09:05', '2026-11-05T09:05', '05112026 9.05'])
    t.equal(readDate('minute', typed), '2026-11-05T09:05', typed)
  for (const typed of ['05.11.2026', '05.11.2026 24:00', '05.11.2026 9:60', '30.02.2026 9:00'])
    t.equal(readDate('minute', typed), null, typed)
  t.equal(dateText('day', '2026-11-05', 'en'), '05/11/2026')
  t.equal(dateText('minute', '2026-11-05T09:05', 'ru'), '05.11.2026, 09:05')
  t.equal(dateText('day', '5.11', 'ru'), '5.11', 'what is being typed stays')
})

t.test(
  'an address and a number are said in the language, whose house and flat the server writes in Russian',
  async (t) => {
    const [ru, en] = ['ru-RU', 'en-GB'].map((locale) =>
      formatsOf({ currency: 'RUB', timeZone: 'Europe/Moscow', locale }),
    ) as [Formats, Formats]
    const addresses = {
      'Мирный, ул. Лесная, д. 6, кв. 108': 'Мирный, ул. Лесная, No.\u00a06, apt\u00a0108',
      'ул. Д. Давыдова, д.5а,кв.7': 'ул. Д. Давыдова, No.\u00a05а,apt\u00a07',
      'д. Горки, 5': 'д. Горки, 5',
      '000301 · кв. 5': '000301 · apt\u00a05',
      '12 Green Street': '12 Green Street',
    }
    for (const [stored, english] of Object.entries(addresses)) {
      t.equal(en.address(stored), english)
      t.equal(ru.address(stored), stored)
    }
    t.same([ru.numbered(5), en.numbered('5')], ['№ 5', 'No. 5'])
  },
)

t.test('a browser is called by its name, whatever others its User-Agent names too', async (t) => {
  const kit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const names = {
    [`Mozilla/5.0 (X11; Linux x86_64) ${kit} Chrome/156.0.8078.108 Safari/537.36`]: 'Chrome 156, Linux',
    [`Mozilla/5.0 (X11; Linux x86_64) ${kit} HeadlessChrome/156.0.8078.108 Safari/537.36`]: 'Chrome 156, Linux',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${kit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
      'Edge 140, Windows',
    [`Mozilla/5.0 (Windows NT 10.0) ${kit} Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36`]:
      'Яндекс Браузер 25, Windows',
    [`Mozilla/5.0 (Linux; Android 10; K) ${kit} Chrome/140.0.0.0 Mobile Safari/537.36`]: 'Chrome 140, Android',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0': 'Firefox 145, Linux',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15':
      'Safari 18, macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1':
      'Safari 18, iOS',
    'curl/8.14.1': 'curl/8.14.1',
  }
  for (const [agent, name] of Object.entries(names)) t.equal(browserOf(agent), name)
  t.equal(browserOf(null), '')
  t.equal(browserOf('x'.repeat(500)).length, 60, 'one that is no browser, as far as there is room')
})

t.test('a gateway is called as elsewhere where it is the operator of a payment', async (t) => {
  const names = { gwa: 'Шлюз A', gwb: 'Шлюз B' }
  const operators = ['gwa', 'gwb', 'QIWI', null]
  t.same(
    operators.map((operator) => operatorName(names, operator)),
    ['Шлюз A', 'Шлюз B', 'QIWI', null],
  )
})

t.test('no Russian word stands in a screen beside the catalogue', async (t) => {
  const folder = new URL('../../src/console/', import.meta.url)
  const screens = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const outside = screens.filter((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const comments = /^\s*\/\*\*?[\s\S]*?\*\/|\s\/\/ .*$/gm
    const catalogue = /^(?:export )?const \w+ = chapter\(\{$[\s\S]*?^\}\)/gm
    // A language has its own name.
    const rest = text.replaceAll(comments, '').replaceAll(catalogue, '').replace("label: 'Русский'", '')
    return /[А-яЁё№]/.test(rest)
  })
  t.ok(screens.length > 200)
  t.same(outside, [])
})

t.test('an amount is written as the server writes it, in both languages', async (t) => {
  const [ru, en] = ['ru-RU', 'en-GB'].map((locale) =>
    formatsOf({ currency: 'RUB', timeZone: 'Europe/Moscow', locale }),
  ) as [Formats, Formats]
  for (const amount of ['-1234567.50', '0.00', '999.05', '-0.50', '90071992547409.94']) {
    t.equal(ru.money(amount), amountText(amount, 'ru'))
    t.equal(en.money(amount), amountText(amount, 'en'))
  }
  t.equal(en.signed('20.00'), '+20.00\u00a0₽')
  t.equal(en.signed('-20.00'), amountText('-20.00', 'en'))
  t.equal(ru.signed('0.00'), amountText('0.00', 'ru'))
  t.equal(ru.money(null), '–')
  t.equal(storedText('balance', '-20.00', ru), amountText('-20.00', 'ru'), 'in the audit too')
  t.equal(storedText('comment', '-20.00', ru), '-20.00')
  t.match(storedText('end_time', '2026-11-28T10:00:00.000Z', ru), '28.11.2026, 13:00')
})

t.test('speeds and amounts are written in the letters and signs of the language', async (t) => {
  const ways = { currency: 'RUB', timeZone: 'Europe/Moscow' }
  const [ru, en] = ['ru-RU', 'en-GB'].map((locale) => formatsOf({ ...ways, locale })) as [Formats, Formats]
  const speeds = [500, 5_000, 99_500_000, 1_000_000_000]
  t.same(
    speeds.map((bits) => ru.speed(bits).replace('\u00a0', ' ')),
    ['500 бит/с', '5 кбит/с', '99,5 Мбит/с', '1 Гбит/с'],
  )
  t.equal(en.speed(99_500_000).replace('\u00a0', ' '), '99.5 Mbit/s')
  for (const text of ['300.00', '99.5', '']) {
    t.equal(ru.typed(text), text.replace('.', ','))
    t.equal(en.typed(text), text)
  }
  t.equal(readAmount(ru.typed('300.00')), '300.00', 'what a field begins with is read back')
})

t.test('a file opens in the spreadsheet of its language, and no cell of it is run', async (t) => {
  const rows = [
    ['Имя', 'Баланс'],
    ['Иван; "Ваня"', '-10.50'],
    ['=HYPERLINK("x")', null],
    ['-2+3', 7],
  ]
  const lines = (language: 'ru' | 'en') => csvText(rows, language).split('\r\n')
  t.same(lines('ru'), ['\ufeffИмя;Баланс', '"Иван; ""Ваня""";-10,50', `"'=HYPERLINK(""x"")";`, `'-2+3;7`, ''])
  t.same(lines('en').slice(1, 2), ['"Иван; ""Ваня""",-10.50'])
  const moment = [['2026-11-26T16:53:12.516+03:00', '2026-11-26']]
  t.match(csvText(moment, 'ru'), /^\ufeff26\.11\.2026 16:53:12;2026-11-26\r\n/, 'a moment is a date to a spreadsheet')
  t.match(csvText(moment, 'en'), /^\ufeff2026-11-26 16:53:12,/)
})

const dayAt = (text: string) => dayOf(new Date(text), 'UTC')

t.test('what the program has written with money is said in English, and nothing else', async (t) => {
  const [month, days] = [
    wholeMonth(monthOf(dayAt('2026-11-01'))),
    { from: dayAt('2026-05-10'), to: dayAt('2026-05-30') },
  ]
  const day = dayAt('2026-08-02')
  t.equal(inEnglish(chargeText.tariff('Домашний за 100', month)), 'Fee of the tariff Домашний за 100 for November 2026')
  t.equal(inEnglish(chargeText.service('Антивирус', 2, days)), 'Service Антивирус × 2 for 10–30 May 2026')
  t.equal(inEnglish(chargeText.promise(day)), 'Promise payment for 2 August 2026')
  t.equal(inEnglish(chargeText.recalculation('Домашний', month)), 'Recalculation of Домашний for November 2026')
  t.equal(inEnglish('Сторно операции 17'), 'Reversal of operation 17')
  t.equal(inEnglish('Смена тарифа: нет → Домашний'), 'Change of tariff: none → Домашний')
  t.equal(inEnglish('Касса'), 'Cash desk')
  t.equal(inEnglish('Касса на рынке'), 'Касса на рынке', 'a name that the provider has given')
  t.equal(inEnglish('Сторно по просьбе'), 'Сторно по просьбе')
})

t.test('a found operation is told in the language and the forms of the user', async (t) => {
  const found = { title: '17 · Касса', subtitle: '2026-11-30 · 1850.00 · Иванов · Иван' }
  const told = (locale: string, words: (text: string) => string) =>
    operationWords(found, { ...formatsOf({ currency: 'RUB', timeZone: 'Europe/Moscow', locale }), words })
  t.match(told('en-GB', inEnglish), { title: '17 · Cash desk', subtitle: /^30\/11\/2026 · .*1,850.* · Иванов · Иван$/ })
  t.match(told('ru-RU', String), { title: '17 · Касса', subtitle: /^30\.11\.2026 · 1\s850.* · Иванов · Иван$/ })
})

t.test('whatever the program finds wrong with a notice of a gateway is said in Russian', async (t) => {
  const folders = ['src/billing/payments', 'src/interfaces/gateways']
  const source = folders.flatMap((folder) =>
    readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
  )
  const calls = /(?:refused\(\s*'\w+',|kind: 'malformed', detail:)\s*(?:'([^']+)'|`([^`]+)`)/g
  const found = [...source.join('').matchAll(calls)].map(([, plain, pattern]) => plain ?? pattern!)
  t.ok(found.length >= 20, `${found.length} sentences`)
  for (const sentence of found) t.match(detailInRussian(sentence.replace(/\$\{[^}]+\}/g, 'x1')), /[а-яё]/, sentence)
  t.equal(detailInRussian('600.00 were asked, 1.00 are paid.'), 'Выставлено 600.00 руб., оплачено 1.00 руб.')
  t.equal(detailInRussian('Payment not found'), null, 'what a gateway has said stays as it is')
})

t.test(
  'a day of a chart begins when it does in the zone, also where the clocks change before midnight of UTC',
  async (t) => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Sydney',
      'Pacific/Auckland',
      'Asia/Kolkata',
      'Etc/UTC',
    ]
    for (const zone of zones)
      for (let day = '2026-01-01' as Day; day < '2027-01-01'; day = addDays(day, 1)) {
        const begins = startOfDay(day, zone).getTime() / 1000
        if (beginOf(day, zone) !== begins) t.equal(beginOf(day, zone), begins, `${day} ${zone}`)
      }
    t.equal(beginOf('2026-10-04', 'Australia/Sydney'), Date.parse('2026-10-03T14:00:00Z') / 1000)
  },
)
