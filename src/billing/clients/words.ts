import type { BlockReason } from '../../domain/block.ts'
import type { Language } from '../../domain/language.ts'
import { formatRubles, type Money } from '../../domain/money.ts'

/** Why access is closed. `asleep`: the account is frozen; `switchedOff`: no reason is known. */
export type ClosedReason = BlockReason | 'asleep' | 'switchedOff'

/** Within a sentence. */
export const closedWords = {
  ru: {
    debt: 'отрицательный баланс',
    operator: 'блокировка оператором',
    client: 'по вашей просьбе',
    system: 'блокировка системой',
    asleep: 'договор приостановлен',
    switchedOff: 'доступ отключён',
  },
  en: {
    debt: 'negative balance',
    operator: 'blocked by the operator',
    client: 'at your request',
    system: 'blocked by the system',
    asleep: 'the contract is suspended',
    switchedOff: 'access is switched off',
  },
} as const satisfies Record<Language, Record<ClosedReason, string>>

/** What a client is told with the status, most urgent first. */
export const noticeWords = {
  ru: {
    topUpToOpen: (missing: Money) =>
      `Доступ закрыт. Пополните счёт на ${moneyWords(missing, 'ru')}, чтобы его открыть.`,
    promiseEnds: (moment: string) =>
      `Обещанный платёж действует до ${moment}. Пополните счёт, чтобы связь не прервалась.`,
    lowBalance: 'Баланс заканчивается. Пополните счёт, чтобы оставаться на связи.',
  },
  en: {
    topUpToOpen: (missing: Money) => `Access is closed. Top up ${moneyWords(missing, 'en')} to open it.`,
    promiseEnds: (moment: string) => `The promise payment is active until ${moment}. Please top up to stay connected.`,
    lowBalance: 'Your balance is low. Please top up to stay connected.',
  },
} as const satisfies Record<Language, Record<string, unknown>>

/** `90 руб.`, `-12.50 RUB`. */
export const moneyWords = (amount: Money, language: Language): string =>
  `${formatRubles(amount).replace(/\.00$/, '')} ${language === 'ru' ? 'руб.' : 'RUB'}`

/** DD.MM.YYYY, in every language: the specification writes it so. */
export const dayWords = (moment: Date, timeZone: string): string => dayFormat(timeZone).format(moment)

/** DD.MM.YYYY HH:MM. */
export const momentWords = (moment: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('ru-RU', { timeZone, ...day, hour: '2-digit', minute: '2-digit' })
    .format(moment)
    .replace(',', '')

const day = { day: '2-digit', month: '2-digit', year: 'numeric' } as const

let lastDayFormat: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | null = null

/** Making one costs as much as thirty uses, and TIME_ZONE hardly ever changes. */
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  if (lastDayFormat?.timeZone !== timeZone)
    lastDayFormat = { timeZone, format: new Intl.DateTimeFormat('ru-RU', { timeZone, ...day }) }
  return lastDayFormat.format
}

/** `отрицательный баланс` → `Отрицательный баланс`. */
export const asSentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
