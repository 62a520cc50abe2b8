import type { BlockReason } from '../../domain/block.ts'
import { catalogue, type Language } from '../../domain/language.ts'
import type { Money } from '../../domain/money.ts'
import { moneyText } from '../../domain/wording.ts'

/** Why access is closed. `asleep`: the account is frozen; `switchedOff`: no reason is known. */
export type ClosedReason = BlockReason | 'asleep' | 'switchedOff'

/** Reasons worded as part of a sentence. */
export const closedWords = catalogue({
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
} satisfies Record<Language, Record<ClosedReason, string>>)

/** The notices of the account status, most urgent first, and the reason for closed access with its end. */
export const noticeWords = catalogue({
  ru: {
    topUpToOpen: (missing: Money) => `Доступ закрыт. Пополните счёт на ${moneyText(missing, 'ru')}, чтобы его открыть.`,
    promiseEnds: (moment: string) =>
      `Обещанный платёж действует до ${moment}. Пополните счёт, чтобы связь не прервалась.`,
    closedUntil: (reason: string, day: string) => `${reason} до ${day}`,
    lowBalance: 'Баланс заканчивается. Пополните счёт, чтобы оставаться на связи.',
  },
  en: {
    topUpToOpen: (missing) => `Access is closed. Top up ${moneyText(missing, 'en')} to open it.`,
    promiseEnds: (moment) => `The promise payment is active until ${moment}. Please top up to stay connected.`,
    closedUntil: (reason, day) => `${reason} until ${day}`,
    lowBalance: 'Your balance is low. Please top up to stay connected.',
  },
})
