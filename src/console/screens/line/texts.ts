import { chapter } from '../../texts/texts.ts'

/** What forms of a login say alike. */
export const lineTexts = chapter({
  findSubscriber: ['Имя, договор, телефон, логин', 'Name, contract, phone, login'],
  nobodyFound: ['Никто не найден', 'Nobody found'],
  login: ['Логин', 'Login'],
  password: ['Пароль', 'Password'],
  given: ['Пароль задан', 'The password is set'],
  once: [
    'Больше его не покажем. Кабинет и приложение открывает тот же пароль.',
    'It is not shown again. The same password works for the portal and the app.',
  ],
  passwordMade: ['Пусто: придумаем', 'If empty: generated'],
  ip: ['Свой IP-адрес', 'Static IP address'],
  pool: ['Пул адресов', 'Address pool'],
  freeOf: ['Взять свободный', 'Take a free one'],
  noneFree: ['Свободных адресов нет', 'No free addresses'],
  mac: ['MAC', 'MAC'],
  switch: ['Коммутатор', 'Switch'],
  port: ['Порт', 'Port'],
})
