import type { Right } from '../../domain/staff-user.ts'
import type { IconName } from '../patterns/icon.tsx'
import { chapter } from '../texts/texts.ts'

/** The names of the places of the rail. */
export const placeTexts = chapter({
  summary: ['Сводка', 'Summary'],
  subscribers: ['Абоненты', 'Subscribers'],
  all: ['Все', 'All'],
  online: ['Онлайн', 'Online'],
  debtors: ['Должники', 'Debtors'],
  blocked: ['Заблокированные', 'Blocked'],
  promised: ['Обещанные', 'Promised'],
  deleted: ['Удалённые', 'Deleted'],
  newSubscriber: ['Новый', 'New'],
  import: ['Импорт', 'Import'],
  money: ['Деньги', 'Money'],
  cashDesk: ['Касса', 'Cash desk'],
  operations: ['Операции', 'Operations'],
  payLog: ['Журнал платежей', 'Payment log'],
  notCredited: ['Незачисленные', 'Not credited'],
  refunds: ['Возвраты', 'Refunds'],
  reports: ['Отчёты', 'Reports'],
  accounts: ['Лицевые счета', 'Accounts'],
  receipts: ['Чеки', 'Receipts'],
  ledgerProof: ['Сверка журнала', 'Ledger proof'],
  network: ['Сеть', 'Network'],
  now: ['Сейчас', 'Now'],
  nas: ['NAS', 'NAS'],
  sessions: ['Сессии', 'Sessions'],
  coa: ['Disconnect и CoA', 'Disconnect and CoA'],
  pools: ['Пулы', 'Pools'],
  signIns: ['Журнал авторизаций', 'Authentication log'],
  replyTemplates: ['Шаблоны ответов', 'Reply templates'],
  byHouse: ['По домам', 'By house'],
  tickets: ['Обращения', 'Tickets'],
  myTickets: ['Мои', 'Mine'],
  openTickets: ['Открытые', 'Open'],
  allTickets: ['Все', 'All'],
  ticketTemplates: ['Шаблоны ответов', 'Canned replies'],
  messages: ['Сообщения', 'Messages'],
  messageLog: ['Журнал сообщений', 'Message log'],
  mailing: ['Рассылка', 'Mailing'],
  templates: ['Шаблоны', 'Templates'],
  dictionaries: ['Справочники', 'Dictionaries'],
  tariffs: ['Тарифы', 'Tariffs'],
  services: ['Услуги', 'Services'],
  addresses: ['Адреса', 'Addresses'],
  switches: ['Коммутаторы', 'Switches'],
  organizations: ['Организации', 'Organizations'],
  operationTypes: ['Виды операций', 'Operation types'],
  folders: ['Папки', 'Folders'],
  fields: ['Поля', 'Fields'],
  cards: ['Карты', 'Cards'],
  currencies: ['Валюты', 'Currencies'],
  video: ['Видео', 'Video'],
  system: ['Система', 'System'],
  jobs: ['Задания', 'Jobs'],
  nodes: ['Узлы', 'Nodes'],
  health: ['Состояние', 'Health'],
  settings: ['Настройки', 'Settings'],
  paymentSettings: ['Приём платежей', 'Online payments'],
  staff: ['Сотрудники', 'Staff'],
  tokens: ['Токены', 'Tokens'],
  webhooks: ['Вебхуки', 'Webhooks'],
  audit: ['Аудит', 'Audit'],
  sorm: ['СОРМ', 'SORM'],
  api: ['API', 'API'],
})

type PlaceName = keyof (typeof placeTexts)['ru']

export type Place = {
  readonly name: PlaceName
  /** An address of the console, behind `/admin`. */
  readonly to: string
  /** All of them are needed. Left out: everybody who may sign in. */
  readonly right?: Right | readonly Right[]
  /** Only for who sees all organizations. */
  readonly isShared?: true
  readonly icon?: IconName
  /** What its number says, where there is one. */
  readonly counts?: 'unreadTickets'
  /** The letter that leads here after `g`. */
  readonly letter?: string
  readonly within?: readonly Place[]
}

const list = (name: PlaceName, show: string): Place => ({ name, to: `/subscribers/?show=${show}` })

/** The rail. */
export const places: readonly Place[] = [
  { name: 'summary', to: '/', icon: 'home', letter: 'h' },
  {
    name: 'subscribers',
    to: '/subscribers/',
    icon: 'people',
    letter: 's',
    within: [
      { name: 'all', to: '/subscribers/' },
      list('online', 'online'),
      list('debtors', 'debtors'),
      list('blocked', 'blocked'),
      list('promised', 'promised'),
      list('deleted', 'deleted'),
      { name: 'newSubscriber', to: '/subscribers/new/', right: 'change' },
      { name: 'import', to: '/subscribers/import/', right: ['change', 'money'], isShared: true },
    ],
  },
  {
    name: 'money',
    to: '/money/operations/',
    icon: 'money',
    letter: 'm',
    within: [
      { name: 'cashDesk', to: '/money/cash/', right: 'money', letter: 'k' },
      { name: 'operations', to: '/money/operations/' },
      { name: 'payLog', to: '/money/payments/' },
      { name: 'notCredited', to: '/money/not-credited/?resolved=0', right: 'money' },
      { name: 'refunds', to: '/money/refunds/', right: 'money' },
      { name: 'reports', to: '/money/reports/', letter: 'r' },
      { name: 'accounts', to: '/money/accounts/' },
      { name: 'receipts', to: '/money/receipts/' },
      { name: 'ledgerProof', to: '/money/ledger/' },
    ],
  },
  {
    name: 'network',
    to: '/network/nas/',
    icon: 'network',
    letter: 'n',
    within: [
      { name: 'now', to: '/network/now/', letter: 'w' },
      { name: 'nas', to: '/network/nas/' },
      { name: 'sessions', to: '/network/sessions/', letter: 'l' },
      { name: 'coa', to: '/network/coa/' },
      { name: 'pools', to: '/network/pools/' },
      { name: 'signIns', to: '/network/log/' },
      { name: 'byHouse', to: '/network/homes/' },
      { name: 'replyTemplates', to: '/network/templates/', right: 'settings' },
    ],
  },
  {
    name: 'tickets',
    to: '/tickets/?show=open',
    icon: 'ticket',
    counts: 'unreadTickets',
    letter: 't',
    within: [
      { name: 'myTickets', to: '/tickets/?show=mine' },
      { name: 'openTickets', to: '/tickets/?show=open' },
      { name: 'allTickets', to: '/tickets/' },
      { name: 'ticketTemplates', to: '/tickets/templates/' },
    ],
  },
  {
    name: 'messages',
    to: '/messages/sent/',
    icon: 'message',
    letter: 'e',
    within: [
      { name: 'messageLog', to: '/messages/sent/' },
      { name: 'mailing', to: '/messages/mailings/' },
      { name: 'templates', to: '/messages/templates/' },
    ],
  },
  {
    name: 'dictionaries',
    to: '/dictionaries/tariffs/',
    icon: 'book',
    letter: 'd',
    within: [
      { name: 'tariffs', to: '/dictionaries/tariffs/' },
      { name: 'services', to: '/dictionaries/services/' },
      { name: 'addresses', to: '/dictionaries/addresses/', letter: 'a' },
      { name: 'switches', to: '/dictionaries/switches/' },
      { name: 'organizations', to: '/dictionaries/organizations/' },
      { name: 'operationTypes', to: '/dictionaries/operation-types/' },
      { name: 'folders', to: '/dictionaries/folders/' },
      { name: 'fields', to: '/dictionaries/fields/' },
      { name: 'cards', to: '/dictionaries/cards/' },
      { name: 'currencies', to: '/dictionaries/currencies/' },
      { name: 'video', to: '/dictionaries/video/' },
    ],
  },
  {
    name: 'system',
    to: '/system/jobs/',
    icon: 'system',
    letter: 'y',
    within: [
      { name: 'jobs', to: '/system/jobs/' },
      { name: 'nodes', to: '/system/nodes/' },
      { name: 'health', to: '/system/health/', right: 'settings', isShared: true },
      { name: 'settings', to: '/system/settings/', right: 'settings' },
      { name: 'paymentSettings', to: '/system/payments/', right: 'settings' },
      { name: 'staff', to: '/system/staff/', right: 'system' },
      { name: 'tokens', to: '/system/tokens/' },
      { name: 'webhooks', to: '/system/webhooks/', right: 'settings' },
      { name: 'audit', to: '/system/audit/' },
      { name: 'sorm', to: '/system/sorm/' },
      { name: 'api', to: '/system/api/' },
    ],
  },
]

/** Those of the first level and those within them. */
export const everyPlace: readonly Place[] = places.flatMap((place) => [place, ...(place.within ?? [])])
