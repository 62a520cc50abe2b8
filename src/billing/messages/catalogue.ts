import type { Language } from '../../domain/language.ts'

export type { Language }

/** What a message says. The title is the subject of an e-mail and the heading of a push; an SMS has the text alone. */
export type Wording = { readonly title: string; readonly text: string }

export type Values = Readonly<Record<string, string>>

/** Reads the values of a message for people: amounts are rubles as `90.00`, moments ISO 8601. */
type Show = {
  readonly money: (name: string) => string
  readonly day: (name: string) => string
  readonly moment: (name: string) => string
  readonly is: (name: string) => boolean
}

type Words = (show: Show) => Wording

/** Every message to a client. One SMS in Cyrillic holds 70 letters, so the texts are short. */
const catalogue = {
  /** Money has come: {amount, balance}. */
  payment_credited: {
    ru: ({ money }) => ({
      title: 'Платёж зачислен',
      text: `Зачислено ${money('amount')}, баланс ${money('balance')}`,
    }),
    en: ({ money }) => ({
      title: 'Payment received',
      text: `${money('amount')} received. Balance ${money('balance')}.`,
    }),
  },
  /** The balance is below WARN: {balance, warn}. */
  low_balance: {
    ru: ({ money }) => ({
      title: 'Баланс заканчивается',
      text: `Пополните счёт, чтобы оставаться на связи: баланс ${money('balance')}`,
    }),
    en: ({ money }) => ({
      title: 'Your balance is low',
      text: `Your balance is ${money('balance')}. Please top up to stay connected.`,
    }),
  },
  /** {amount, until, insufficient}: the last is 1 when the line stays closed in spite of it (specification 6). */
  promise_activated: {
    ru: ({ money, day, is }) => ({
      title: 'Обещанный платёж',
      text: `Обещанный платёж ${money('amount')} действует до ${day('until')}.${is('insufficient') ? ' Средств недостаточно, пополните счёт.' : ''}`,
    }),
    en: ({ money, day, is }) => ({
      title: 'Promise payment',
      text: `Promise payment of ${money('amount')} is active until ${day('until')}.${is('insufficient') ? ' The balance is still insufficient, please top up.' : ''}`,
    }),
  },
  /** It ends soon: {amount, until}. */
  promise_expiring: {
    ru: ({ money, moment }) => ({
      title: 'Обещанный платёж заканчивается',
      text: `Обещанный платёж ${money('amount')} действует до ${moment('until')}. Пополните счёт, чтобы связь не прервалась.`,
    }),
    en: ({ money, moment }) => ({
      title: 'Promise payment ends soon',
      text: `Promise payment of ${money('amount')} ends on ${moment('until')}. Please top up to stay connected.`,
    }),
  },
  /** The day of its end: {amount, until}. */
  promise_expired: {
    ru: ({ money, moment }) => ({
      title: 'Срок обещанного платежа',
      text: `Обещанный платёж ${money('amount')} завершается сегодня, ${moment('until')}. Пополните счёт.`,
    }),
    en: ({ money, moment }) => ({
      title: 'Promise payment ends today',
      text: `Promise payment of ${money('amount')} ends today, ${moment('until')}. Please top up.`,
    }),
  },
  /** It is over, and its limit has gone back: {amount, why}. */
  promise_ended: {
    ru: ({ money }) => ({
      title: 'Обещанный платёж завершён',
      text: `Обещанный платёж ${money('amount')} завершён, сумма списана со счёта.`,
    }),
    en: ({ money }) => ({
      title: 'Promise payment is over',
      text: `Promise payment of ${money('amount')} is over; the sum was taken off your account.`,
    }),
  },
} as const satisfies Record<string, Record<Language, Words>>

export type Template = keyof typeof catalogue

export const isTemplate = (name: string): name is Template => Object.hasOwn(catalogue, name)

/** A message in words. `timeZone`: whose days and hours it names. */
export function wordingOf(template: Template, values: Values, language: Language, timeZone: string): Wording {
  const value = (name: string) => values[name] ?? ''
  const words: Words = catalogue[template][language]
  return words({
    money: (name) => moneyText(value(name), language),
    day: (name) => dayText(value(name), timeZone),
    moment: (name) => momentText(value(name), timeZone),
    is: (name) => value(name) === '1',
  })
}

/** `90.00` → `90 руб.`, `-12.50` → `-12.50 руб.` */
export const moneyText = (rubles: string, language: Language = 'ru'): string =>
  `${rubles.replace(/\.00$/, '')} ${language === 'ru' ? 'руб.' : 'RUB'}`

/** DD.MM.YYYY, in both languages: the specification writes it so. */
export const dayText = (moment: Date | string, timeZone: string): string => shown(moment, { timeZone, ...day })

/** DD.MM.YYYY HH:MM. */
const momentText = (moment: Date | string, timeZone: string): string =>
  shown(moment, { timeZone, ...day, hour: '2-digit', minute: '2-digit' }).replace(',', '')

const day = { day: '2-digit', month: '2-digit', year: 'numeric' } as const

function shown(moment: Date | string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? String(moment) : new Intl.DateTimeFormat('ru-RU', options).format(date)
}
