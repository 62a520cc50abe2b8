import t from 'tap'
import { destinationsOf } from '../../../src/billing/messages/addresses.ts'
import { isTemplate, type Template, templates, wordingOf } from '../../../src/billing/messages/catalogue.ts'
import type { Channel } from '../../../src/billing/messages/message.ts'
import { readPhone } from '../../../src/domain/contacts.ts'
import { languages } from '../../../src/domain/language.ts'

const values = {
  amount: '90.00',
  balance: '-12.50',
  warn: '100.00',
  until: '2026-11-25T21:30:00.000Z',
  insufficient: '0',
  why: 'cancelled',
}
const say = (template: Template, language: 'ru' | 'en' = 'ru', more = {}) =>
  wordingOf(template, { ...values, ...more }, language, { timeZone: 'Europe/Moscow', own: new Map() }).text

t.test('messages have the content of the specification, with days and amounts for people', async (t) => {
  t.equal(say('promise_activated'), 'Обещанный платёж 90 руб. действует до 26.11.2026.')
  t.equal(say('promise_activated', 'en'), 'Promise payment of 90 RUB is active until 26.11.2026.')
  t.match(say('promise_activated', 'en', { insufficient: '1' }), /insufficient, please top up/)
  t.equal(say('payment_credited'), 'Зачислено 90 руб., баланс -12.50 руб.')
  t.match(say('promise_expiring'), /до 26\.11\.2026 00:30\./)
  t.equal(isTemplate('toString'), false)
  const own = new Map([['low_balance en', { title: '{balance}', text: 'Pay {warn}, {nobody}{balance} left' }]])
  t.same(wordingOf('low_balance', { ...values, balance: '{warn}' }, 'en', { timeZone: 'Europe/Moscow', own }), {
    title: '{warn} RUB',
    text: 'Pay 100 RUB, {warn} RUB left',
  })
})

t.test('every message has a title and words in both languages, and nothing left open', async (t) => {
  for (const template of templates) {
    for (const language of languages) {
      const { title, text } = wordingOf(template, values, language, { timeZone: 'Asia/Tomsk', own: new Map() })
      t.ok(title.length > 0 && text.length > 20, `${template} ${language}`)
      t.notMatch(text, /undefined|null|NaN|\.\.|00:00:00/)
      t.equal(/[а-я]/i.test(text), language === 'ru')
    }
  }
})

t.test('phones are read as people write them', async (t) => {
  for (const [text, digits] of [
    ['+7 (900) 123-45-67', '79001234567'],
    ['8 900 123 45 67', '79001234567'],
    ['9001234567', '79001234567'],
    ['+375 29 123-45-67', '375291234567'],
    ['12-34', null],
    ['', null],
    [null, null],
  ] as const)
    t.equal(readPhone(text), digits, String(text))
})

t.test('the best way that a provider serves is taken', async (t) => {
  const device = { id: 5, platform: 'ios' }
  const all = { devices: [device, { ...device, id: 6 }], sms: '89001234567', email: 'ivan@client.example' }
  const ways = (served: Channel[], addresses = all) => {
    const found = destinationsOf(addresses, new Set(served))
    return 'reason' in found
      ? found.reason
      : found.destinations.map(({ channel, deviceId }) => `${channel} ${deviceId}`)
  }
  t.same(ways(['push', 'sms', 'email']), ['push 5', 'push 6'])
  t.same(ways(['sms', 'email']), ['sms null'])
  t.same(ways(['email']), ['email null'])
  t.same(ways(['push', 'email'], { ...all, devices: [] }), ['email null'])
  t.match(ways([]), /TOLLGATE_FCM_CREDENTIALS or TOLLGATE_SMS_URL or TOLLGATE_SMTP_URL/)
  t.match(ways(['push'], { ...all, devices: [], email: 'nobody' }), /TOLLGATE_SMS_URL\.$/)
  t.match(ways(['push', 'sms', 'email'], { devices: [], sms: ' ', email: '' }), /no device, phone or e-mail/)
})
