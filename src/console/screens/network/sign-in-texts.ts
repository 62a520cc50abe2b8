import { chapter } from '../../texts/texts.ts'

export const signInTexts = chapter({
  title: ['Журнал авторизаций', 'Sign-ins'],
  all: ['Все', 'All'],
  at: ['Время', 'Time'],
  login: ['Логин', 'Login'],
  subscriber: ['Абонент', 'Subscriber'],
  port: ['Порт', 'Port'],
  reason: ['Результат', 'Result'],
  count: ['Раз', 'Times'],
  manyLogins: ['много разных логинов', 'many logins'],
  noLogin: ['без логина', 'no login'],
  manyNas: ['разные NAS', 'several NAS'],
  find: ['Логин или MAC', 'Login or MAC'],
  none: ['Отказов не было', 'Nobody was rejected'],
  noneSays: [
    'Здесь появится каждый отказ RADIUS с его точной причиной.',
    'Every rejected sign-in comes here with its exact reason.',
  ],
  accept: ['принят', 'accepted'],
  lastHour: ['За последний час:', 'In the last hour:'],
  quietHour: ['За последний час отказов нет', 'No rejects in the last hour'],
})

export const reasonTexts = chapter({
  unknown_login: ['Неизвестный логин', 'Unknown login'],
  wrong_password: ['Неверный пароль', 'Wrong password'],
  deleted: ['Абонент удалён', 'Subscriber deleted'],
  login_disabled: ['Логин отключён', 'Login switched off'],
  subscriber_disabled: ['Абонент выключен', 'Subscriber switched off'],
  blocked_operator: ['Блокировка оператором', 'Blocked by an operator'],
  blocked_client: ['По просьбе клиента', "At the client's request"],
  blocked_system: ['Блокировка системой', 'Blocked by the system'],
  blocked_debt: ['Отрицательный баланс', 'Negative balance'],
  asleep: ['Договор приостановлен', 'Contract suspended'],
  too_many_sessions: ['Слишком много сессий', 'Too many sessions'],
  no_free_address: ['Нет свободного адреса', 'No free address'],
  eap_not_offered: ['EAP не поддерживается', 'EAP is not offered'],
  realm_refused: ['Домен не принимается', 'Realm not accepted'],
  chap_with_hash: ['CHAP с хешем пароля', 'CHAP with a hash'],
  ms_chap_with_hash: ['MS-CHAP с хешем пароля', 'MS-CHAP with a hash'],
  garden: ['Только страница оплаты', 'Walled garden'],
})
