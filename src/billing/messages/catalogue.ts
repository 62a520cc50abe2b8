import { catalogue, type Language } from '../../domain/language.ts'
import { dayText, momentText, moneyText } from '../../domain/wording.ts'

/** What a message says. The title is the subject of an e-mail and the heading of a push; an SMS has the text alone. */
export type Wording = { readonly title: string; readonly text: string }

export type Values = Readonly<Record<string, string>>

/** Formats the values of a message for people. Amounts arrive in rubles, as `90.00`; moments in ISO 8601. */
type ValueFormatter = {
  readonly money: (name: string) => string
  readonly day: (name: string) => string
  readonly moment: (name: string) => string
  readonly is: (name: string) => boolean
}

/** Every message to a client. One SMS in Cyrillic holds 70 letters, so the texts are short. */
const messages = catalogue({
  ru: {
    /** A payment was credited: {amount, balance}. */
    payment_credited: ({ money }: ValueFormatter) => ({
      title: 'Платёж зачислен',
      text: `Зачислено ${money('amount')}, баланс ${money('balance')}`,
    }),
    /** The balance is below WARN: {balance, warn}. */
    low_balance: ({ money }: ValueFormatter) => ({
      title: 'Баланс заканчивается',
      text: `Пополните счёт, чтобы оставаться на связи: баланс ${money('balance')}`,
    }),
    /** {amount, until, insufficient}: `insufficient` is 1 when access stays closed all the same (specification 6). */
    promise_activated: ({ money, day, is }: ValueFormatter) => ({
      title: 'Обещанный платёж',
      text: `Обещанный платёж ${money('amount')} действует до ${day('until')}.${is('insufficient') ? ' Средств недостаточно, пополните счёт.' : ''}`,
    }),
    /** The promise payment ends soon: {amount, until}. */
    promise_expiring: ({ money, moment }: ValueFormatter) => ({
      title: 'Обещанный платёж заканчивается',
      text: `Обещанный платёж ${money('amount')} действует до ${moment('until')}. Пополните счёт, чтобы связь не прервалась.`,
    }),
    /** The promise payment ends today: {amount, until}. */
    promise_expired: ({ money, moment }: ValueFormatter) => ({
      title: 'Срок обещанного платежа',
      text: `Обещанный платёж ${money('amount')} завершается сегодня, ${moment('until')}. Пополните счёт.`,
    }),
    /** The promise payment is over and its limit was taken back: {amount, why}. */
    promise_ended: ({ money }: ValueFormatter) => ({
      title: 'Обещанный платёж завершён',
      text: `Обещанный платёж ${money('amount')} завершён, сумма списана со счёта.`,
    }),
  },
  en: {
    payment_credited: ({ money }) => ({
      title: 'Payment received',
      text: `${money('amount')} received. Balance ${money('balance')}.`,
    }),
    low_balance: ({ money }) => ({
      title: 'Your balance is low',
      text: `Your balance is ${money('balance')}. Please top up to stay connected.`,
    }),
    promise_activated: ({ money, day, is }) => ({
      title: 'Promise payment',
      text: `Promise payment of ${money('amount')} is active until ${day('until')}.${is('insufficient') ? ' The balance is still insufficient, please top up.' : ''}`,
    }),
    promise_expiring: ({ money, moment }) => ({
      title: 'Promise payment ends soon',
      text: `Promise payment of ${money('amount')} ends on ${moment('until')}. Please top up to stay connected.`,
    }),
    promise_expired: ({ money, moment }) => ({
      title: 'Promise payment ends today',
      text: `Promise payment of ${money('amount')} ends today, ${moment('until')}. Please top up.`,
    }),
    promise_ended: ({ money }) => ({
      title: 'Promise payment is over',
      text: `Promise payment of ${money('amount')} is over; the sum was taken off your account.`,
    }),
  },
})

export type Template = keyof (typeof messages)['ru']

export const isTemplate = (name: string): name is Template => Object.hasOwn(messages.ru, name)

/** The title and text of a message. Days and hours are those of `timeZone`, an IANA name. */
export function wordingOf(template: Template, values: Values, language: Language, timeZone: string): Wording {
  const value = (name: string) => values[name] ?? ''
  const moment = (name: string, text: typeof momentText) => {
    const date = new Date(value(name))
    return Number.isNaN(date.getTime()) ? value(name) : text(date, timeZone)
  }
  return messages[language][template]({
    money: (name) => moneyText(value(name), language),
    day: (name) => moment(name, dayText),
    moment: (name) => moment(name, momentText),
    is: (name) => value(name) === '1',
  })
}
