import { chapter } from '../../../texts/texts.ts'

export const messageTexts = chapter({
  state: ['Состояние', 'State'],
  attempts: [(n: number) => `попыток: ${n}`, (n: number) => `attempts: ${n}`],
  all: ['Все', 'All'],
  waiting: ['Ждёт', 'Waiting'],
  sent: ['Отправлено', 'Sent'],
  failed: ['Не отправлено', 'Not sent'],
  nextTry: [(at: string) => `следующая попытка ${at}`, (at: string) => `next try ${at}`],
  none: ['Сообщений не было', 'There have been no messages'],
  noneSuch: ['Таких сообщений нет', 'There are no such messages'],
  more: ['Показать ещё', 'Show more'],
  resend: ['Отправить снова', 'Send again'],
  resent: ['Сообщение снова отправляется', 'The message is on its way again'],
})

export const channelTexts = chapter({ sms: ['SMS', 'SMS'], push: ['Push', 'Push'], email: ['Почта', 'E-mail'] })

/** What messages are about; one of another kind is called by its name. */
export const kindTexts = chapter({
  payment_credited: ['Платёж зачислен', 'Payment credited'],
  low_balance: ['Баланс заканчивается', 'Low balance'],
  promise_activated: ['Обещанный платёж', 'Promise payment'],
  promise_expiring: ['Обещанный платёж заканчивается', 'Promise payment ends soon'],
  promise_expired: ['Срок обещанного платежа', 'Promise payment ends today'],
  promise_ended: ['Обещанный платёж завершён', 'Promise payment is over'],
})

/** Why a message was not sent, as the program says it; what a provider answered stays in the provider's words. */
export const faultTexts = chapter({
  deleted: ['Абонент удалён', 'The subscriber is deleted'],
  noAddress: ['У абонента нет телефона, почты и приложения', 'The subscriber has no phone, e-mail or application'],
  noProvider: [
    (names: string) => `Отправка не настроена: ${names}`,
    (names: string) => `No provider is set up: ${names}`,
  ],
  late: ['Не отправлено, пока было нужно', 'It was not sent while it was of use'],
  deviceGone: ['Приложение удалено с устройства', 'The application is gone from the device'],
  notMailbox: ['Это не адрес почты', 'It is not an e-mail address'],
  noMailServer: [
    (why: string) => `Почтовый сервер не ответил: ${why}`,
    (why: string) => `The mail server was not reached: ${why}`,
  ],
})
