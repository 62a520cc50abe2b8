import { catalogue, type Language } from '../../domain/language.ts'
import { dayText, filled, momentText, moneyText } from '../../domain/wording.ts'

/** What a message says. The title is the subject of an e-mail and the heading of a push; an SMS has the text alone. */
export type Wording = { readonly title: string; readonly text: string }

export type Values = Readonly<Record<string, string>>

/** How the value of a field is written for people. Amounts arrive in rubles, as `90.00`; moments in ISO 8601. */
type FieldKind = 'money' | 'day' | 'moment' | 'insufficient'

/** The notices to clients, and the fields that the text of each may have. */
const fields = {
  /** A payment was credited. */
  payment_credited: { amount: 'money', balance: 'money' },
  /** The balance is below WARN. */
  low_balance: { balance: 'money', warn: 'money' },
  /** `insufficient` is a sentence when access stays closed all the same (specification 6), and nothing otherwise. */
  promise_activated: { amount: 'money', until: 'day', insufficient: 'insufficient' },
  /** The promise payment ends soon. */
  promise_expiring: { amount: 'money', until: 'moment' },
  /** The promise payment ends today. */
  promise_expired: { amount: 'money', until: 'moment' },
  /** The promise payment is over and its limit was taken back. */
  promise_ended: { amount: 'money' },
} as const satisfies Record<string, Readonly<Record<string, FieldKind>>>

export type Template = keyof typeof fields

export const templates = Object.keys(fields) as Template[]
export const isTemplate = (name: string): name is Template => Object.hasOwn(fields, name)

/** The names of the fields that the text of a notice may have. */
export const fieldsOf = (template: Template): readonly string[] => Object.keys(fields[template])

/** What every notice says as shipped. One SMS in Cyrillic holds 70 letters, so the texts are short. */
export const shipped = catalogue({
  ru: {
    payment_credited: { title: 'Платёж зачислен', text: 'Зачислено {amount}, баланс {balance}' },
    low_balance: {
      title: 'Баланс заканчивается',
      text: 'Пополните счёт, чтобы оставаться на связи: баланс {balance}',
    },
    promise_activated: {
      title: 'Обещанный платёж',
      text: 'Обещанный платёж {amount} действует до {until}.{insufficient}',
    },
    promise_expiring: {
      title: 'Обещанный платёж заканчивается',
      text: 'Обещанный платёж {amount} действует до {until}. Пополните счёт, чтобы связь не прервалась.',
    },
    promise_expired: {
      title: 'Срок обещанного платежа',
      text: 'Обещанный платёж {amount} завершается сегодня, {until}. Пополните счёт.',
    },
    promise_ended: {
      title: 'Обещанный платёж завершён',
      text: 'Обещанный платёж {amount} завершён, сумма списана со счёта.',
    },
  } satisfies Record<Template, Wording>,
  en: {
    payment_credited: { title: 'Payment received', text: '{amount} received. Balance {balance}.' },
    low_balance: {
      title: 'Your balance is low',
      text: 'Your balance is {balance}. Please top up to stay connected.',
    },
    promise_activated: {
      title: 'Promise payment',
      text: 'Promise payment of {amount} is active until {until}.{insufficient}',
    },
    promise_expiring: {
      title: 'Promise payment ends soon',
      text: 'Promise payment of {amount} ends on {until}. Please top up to stay connected.',
    },
    promise_expired: {
      title: 'Promise payment ends today',
      text: 'Promise payment of {amount} ends today, {until}. Please top up.',
    },
    promise_ended: {
      title: 'Promise payment is over',
      text: 'Promise payment of {amount} is over; the sum was taken off your account.',
    },
  },
})

const insufficient = catalogue({
  ru: ' Средств недостаточно, пополните счёт.',
  en: ' The balance is still insufficient, please top up.',
})

/** The values of the fields of a notice as people read them. Days and hours are those of `timeZone`, an IANA name. */
export function fieldTexts(template: Template, values: Values, language: Language, timeZone: string): Values {
  const write = (kind: FieldKind, value: string): string => {
    if (kind === 'money') return moneyText(value, language)
    if (kind === 'insufficient') return value === '1' ? insufficient[language] : ''
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? value : (kind === 'day' ? dayText : momentText)(date, timeZone)
  }
  const kinds = Object.entries<FieldKind>(fields[template])
  return Object.fromEntries(kinds.map(([name, kind]) => [name, write(kind, values[name] ?? '')]))
}

/** What an operator has notices say in place of what they say as shipped. */
export type OwnWordings = ReadonlyMap<string, Wording>

export const wordingKey = (template: Template, language: Language): string => `${template} ${language}`

/** How notices are worded: in which zone days and hours are, and what the operator has them say. */
export type WordingStyle = { readonly timeZone: string; readonly own: OwnWordings }

/** The title and text of a notice. */
export function wordingOf(
  template: Template,
  values: Values,
  language: Language,
  { timeZone, own }: WordingStyle,
): Wording {
  const { title, text } = own.get(wordingKey(template, language)) ?? shipped[language][template]
  const texts = fieldTexts(template, values, language, timeZone)
  return { title: filled(title, texts), text: filled(text, texts) }
}
