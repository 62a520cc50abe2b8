import { chapter, plural } from '../../../texts/texts.ts'

export const loginTexts = chapter({
  add: ['Новый логин', 'New login'],
  change: ['Изменить', 'Edit'],
  changeOf: [(login: string) => `Логин ${login}`, (login: string) => `Login ${login}`],
  create: ['Завести', 'Create'],
  save: ['Сохранить', 'Save'],
  saved: ['Логин сохранён', 'The login is saved'],
  made: [(login: string) => `Логин ${login} заведён`, (login: string) => `The login ${login} has been created`],
  loginWrong: ['Нужно указать логин', 'Enter a login'],
  ipWrong: ['Это не адрес IPv4', 'This is not an IPv4 address'],
  prefixWrong: ['Сеть IPv6, например 2001:db8:1::/64', 'An IPv6 network such as 2001:db8:1::/64'],
  macWrong: [
    'Это не MAC: нужны 12 знаков, например aa:bb:cc:dd:ee:ff',
    'Not a MAC address: 12 digits, such as aa:bb:cc:dd:ee:ff',
  ],
  portWrong: ['Порт от 1 до 65535', 'A port from 1 to 65535'],
  vlanWrong: ['VLAN от 1 до 4094', 'A VLAN from 1 to 4094'],
  sessionsWrong: ['От 1 до 1000', 'From 1 to 1000'],
  ipv6: ['Сеть IPv6', 'IPv6 network'],
  delegated: ['Делегируемая сеть IPv6', 'Delegated IPv6 network'],
  vlan: ['VLAN', 'VLAN'],
  vlanSays: ['Пусто: как в тарифе', 'If empty: as in the tariff'],
  sessionsMax: ['Сессий одновременно', 'Simultaneous sessions'],
  isOn: ['Логин включён', 'Login enabled'],
  isOnSays: [
    'Выключенный вручную остаётся выключенным и после разблокировки.',
    'A login switched off by hand stays off after unblocking.',
  ],
  byHand: ['Выключен вручную', 'Disabled manually'],
  speed: ['Скорость', 'Speed'],
  speedOf: [
    (down: string, up: string) => `↓ ${down} ↑ ${up} Мбит/с по тарифу`,
    (down: string, up: string) => `↓ ${down} ↑ ${up} Mbit/s from the tariff`,
  ],
  noLimit: ['без ограничения', 'unlimited'],
  ownReply: ['Свои атрибуты', 'Own attributes'],
  fromPool: ['из пула', 'from the pool'],
  place: ['Порт коммутатора', 'Switch port'],
  delete: ['Удалить логин', 'Delete the login'],
  deleteAsks: [(login: string) => `Удалить логин ${login}?`, (login: string) => `Delete the login ${login}?`],
  deleteSays: [
    'Его сессии прервутся, запросы будут отклонены как неизвестный логин.',
    'Its sessions end, and its requests are refused as an unknown login.',
  ],
  deleted: ['Логин удалён', 'The login is deleted'],
})

export const passwordTexts = chapter({
  password: ['Пароль', 'Password'],
  title: [(login: string) => `Пароль: ${login}`, (login: string) => `Password of ${login}`],
  field: ['Новый пароль', 'New password'],
  empty: ['Пусто: придумаем пароль из 10 знаков', 'If empty: 10 characters are generated'],
  says: [
    'Один пароль для подключения, кабинета и приложения. Кто вошёл в кабинет со старым, войдёт заново; сессия в сети не прервётся.',
    'One password for the line, the portal and the app. Anyone signed in to the portal has to sign in again; the network session continues.',
  ],
  generate: ['Придумать', 'Generate'],
  set: ['Задать', 'Set'],
})

export const macTexts = chapter({
  action: ['MAC', 'MAC'],
  title: [(login: string) => `MAC: ${login}`, (login: string) => `MAC of ${login}`],
  mac: ['MAC', 'MAC'],
  says: [
    'С этим MAC устройство входит и без пароля (IPoE). Вход по логину и паролю остаётся.',
    'With this MAC a device gets in without a password (IPoE). Login and password keep working.',
  ],
  replaces: [
    (old: string) => `Запросы от прежнего MAC ${old} будут отклонены: неизвестный логин. Его сессия прервётся.`,
    (old: string) => `Requests from the previous MAC ${old} will be refused: unknown login. Its session ends.`,
  ],
  seen: ['Видели недавно: нажатие сразу записывает', 'Seen recently: press one to save it'],
  take: [(mac: string) => `Взять MAC ${mac}`, (mac: string) => `Take the MAC ${mac}`],
  takeAction: ['Взять MAC', 'Use this MAC'],
  live: ['сессия сейчас', 'live session'],
  ended: ['прошлая сессия', 'past session'],
  refused: ['отказ', 'refused'],
  stranger: ['неизвестное устройство', 'unknown device'],
  saved: [(mac: string) => `MAC ${mac} записан`, (mac: string) => `The MAC ${mac} is saved`],
  removed: ['MAC убран', 'The MAC is removed'],
})

export const heardTexts = chapter({
  signIns: ['Журнал авторизаций', 'Authentication log'],
  noSignIns: ['Отказов не было', 'No rejected requests'],
  coa: ['Disconnect и CoA', 'Disconnect and CoA'],
  noCoa: ['Запросов не было', 'No requests yet'],
  all: ['Все записи', 'All entries'],
  times: [
    (count: number) => `${count} ${plural(count, 'раз', 'раза', 'раз')}`,
    (count: number) => `${count} ${count === 1 ? 'time' : 'times'}`,
  ],
})
