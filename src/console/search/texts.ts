import { chapter } from '../texts/texts.ts'

export const searchTexts = chapter({
  search: ['Поиск', 'Search'],
  asks: [
    'Имя, договор, телефон, логин, IP, MAC, адрес, номер операции',
    'Name, contract, phone, login, IP, MAC, address, operation',
  ],
  results: ['Найденное', 'Results'],
  clear: ['Очистить', 'Clear'],
  subscriber: ['Абоненты', 'Subscribers'],
  login: ['Логины', 'Logins'],
  session: ['Сессии', 'Sessions'],
  operation: ['Операции', 'Operations'],
  ticket: ['Обращения', 'Tickets'],
  home: ['Адреса', 'Addresses'],
  nas: ['NAS', 'NAS'],
  pool: ['Пулы', 'Pools'],
  deeds: ['На этой странице', 'On this page'],
  places: ['Разделы', 'Sections'],
  recent: ['Недавние', 'Recent'],
  deleted: ['удалён', 'deleted'],
  searching: ['Поиск…', 'Searching…'],
  none: [(text: string) => `По запросу «${text}» ничего не найдено`, (text: string) => `Nothing found for “${text}”`],
  noneSays: [
    'Достаточно начала слова, последних цифр телефона или части адреса: «ленина 15 3».',
    'The beginning of a word is enough, or the last digits of a phone, or “street house flat”.',
  ],
  failed: ['Поиск не ответил', 'The search did not answer'],
  found: [(count: number) => `Найдено: ${count}`, (count: number) => `${count} found`],
  move: ['выбрать', 'select'],
  open: ['открыть', 'open'],
  leave: ['закрыть', 'close'],
})
