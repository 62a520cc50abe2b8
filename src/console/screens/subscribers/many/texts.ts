import { chapter, plural } from '../../../texts/texts.ts'

const people = (count: number) => `${count} ${plural(count, 'абонент', 'абонента', 'абонентов')}`
const english = (count: number) => `${count} ${count === 1 ? 'subscriber' : 'subscribers'}`

export const manyTexts = chapter({
  block: ['Заблокировать', 'Block'],
  open: ['Открыть доступ', 'Unblock'],
  blockTitle: ['Заблокировать абонентов?', 'Block these subscribers?'],
  openTitle: ['Снять блокировку оператора?', 'Unblock the subscribers?'],
  counting: ['Считаем…', 'Counting…'],
  counted: [(count: string) => `Считаем… Просмотрено: ${count}`, (count: string) => `Counting… ${count} so far`],
  willBlock: [
    (count: number) => `Будет заблокировано: ${people(count)}`,
    (count: number) => `${english(count)} will be blocked`,
  ],
  willOpen: [
    (count: number) => `Блокировка будет снята: ${people(count)}`,
    (count: number) => `${english(count)} will be unblocked`,
  ],
  nobody: ['Менять некого', 'Nobody to change'],
  of: [(count: number) => `Отобрано: ${count}`, (count: number) => `Selected: ${count}`],
  same: [(count: number) => `Уже так: ${count}`, (count: number) => `No change: ${count}`],
  online: [
    (count: number) => `Сейчас онлайн, сессии прервутся: ${count}`,
    (count: number) => `Online now, will be disconnected: ${count}`,
  ],
  stillClosed: [
    (count: number) => `Останутся закрыты по другой причине: ${count}`,
    (count: number) => `Will stay closed for another reason: ${count}`,
  ],
  refused: [
    (reason: string, count: number) => `${reason}: ${count}`,
    (reason: string, count: number) => `${reason}: ${count}`,
  ],
  among: [(names: string) => `Среди них: ${names}`, (names: string) => `Among them: ${names}`],
  tariff: ['Сменить тариф', 'Change tariff'],
  tariffTitle: ['Сменить тариф абонентам?', 'Change the tariff of these subscribers?'],
  changeTariff: ['Сменить', 'Change'],
  newTariff: ['Новый тариф', 'New tariff'],
  when: ['Когда', 'When'],
  now: ['Сейчас', 'Now'],
  nextMonth: ['Со следующего месяца', 'From next month'],
  willChange: [
    (count: number) => `Тариф сменится: ${people(count)}`,
    (count: number) => `The tariff of ${english(count)} will change`,
  ],
  begins: [(day: string) => `Тариф начнётся ${day}`, (day: string) => `The tariff begins on ${day}`],
  charged: [
    (sum: string) => `Сразу спишется за остаток периода: ${sum}`,
    (sum: string) => `Charged at once for the rest of the period: ${sum}`,
  ],
  givenBack: [
    (sum: string) => `Сразу вернётся за остаток периода: ${sum}`,
    (sum: string) => `Refunded at once for the rest of the period: ${sum}`,
  ],
  monthly: [
    (sum: string) => `Абонентская плата за месяц изменится на ${sum}`,
    (sum: string) => `Monthly fees change by ${sum}`,
  ],
  closing: [(count: number) => `Закроются за долг: ${count}`, (count: number) => `Will be closed for debt: ${count}`],
  promise: ['Обещанный платёж', 'Promise payment'],
  promiseTitle: ['Дать обещанный платёж?', 'Give a promise payment?'],
  givePromise: ['Дать', 'Give'],
  willPromise: [
    (count: number) => `Обещанный платёж получат: ${people(count)}`,
    (count: number) => `${english(count)} will get a promise payment`,
  ],
  promised: [(sum: string) => `Будет зачислено: ${sum}`, (sum: string) => `Credited: ${sum}`],
  fees: [(sum: string) => `Плата за подключение: ${sum}`, (sum: string) => `Fees: ${sum}`],
})
