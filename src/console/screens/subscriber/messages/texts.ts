import { chapter } from '../../../texts/texts.ts'

export const messageTexts = chapter({
  state: ['Состояние', 'State'],
  attempts: [(n: number) => `попыток: ${n}`, (n: number) => `attempts: ${n}`],
  all: ['Все', 'All'],
  nextTry: [(at: string) => `следующая попытка ${at}`, (at: string) => `next try ${at}`],
  none: ['Сообщений не было', 'There have been no messages'],
  noneSuch: ['Таких сообщений нет', 'There are no such messages'],
  mailings: ['Получает рассылки', 'Gets mailings'],
  mailingsSays: [
    'Сообщения о своём счёте приходят и без этого.',
    'Messages about their own account are sent all the same.',
  ],
  refusedByClient: [(at: string) => `Абонент отказался сам ${at}`, (at: string) => `The client opted out ${at}`],
  refusedAt: [
    (at: string, user: string) => `Отказ записан ${at}, ${user}`,
    (at: string, user: string) => `Opted out ${at}, recorded by ${user}`,
  ],
})
