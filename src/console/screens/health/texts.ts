import { chapter } from '../../texts/texts.ts'

const russian = { fail: 'Не работает', warn: 'Стоит исправить', ok: 'В порядке' } as const
const english = { fail: 'Does not work', warn: 'Needs attention', ok: 'OK' } as const

export const healthTexts = chapter({
  title: ['Состояние', 'Health'],
  looks: ['Смотрим…', 'Checking…'],
  lookedAt: [
    (moment: string) => `Что настроено не так и что с этим делать; на ${moment}`,
    (moment: string) => `What is wrong and what to do about it; as of ${moment}`,
  ],
  lookAgain: ['Посмотреть снова', 'Check again'],
  titles: [
    (state: keyof typeof russian, count: number) => `${russian[state]}: ${count}`,
    (state: keyof typeof english, count: number) => `${english[state]}: ${count}`,
  ],
})

/** What the server looks at, by its names. */
export const checkTexts = chapter({
  'port of HTTP': ['Порт HTTP', 'HTTP port'],
  'port of RADIUS sign-ins': ['Порт входов RADIUS', 'RADIUS authentication port'],
  'port of RADIUS accounting': ['Порт учёта RADIUS', 'RADIUS accounting port'],
  'port of Prometheus': ['Порт Prometheus', 'Prometheus port'],
  'open files': ['Открытые файлы', 'Open files'],
  'UDP receive buffer': ['Приёмный буфер UDP', 'UDP receive buffer'],
  'data folder': ['Папка данных', 'Data folder'],
  'disk space': ['Место на диске', 'Disk space'],
  'disk speed': ['Скорость диска', 'Disk speed'],
  'secret key': ['Ключ секретов', 'Secret key'],
  certificate: ['Сертификат', 'Certificate'],
  proxy: ['Прокси', 'Proxy'],
  program: ['Программа', 'Program'],
  database: ['База данных', 'Database'],
  'secrets of NAS': ['Секреты NAS', 'NAS secrets'],
  'unknown NAS': ['Неизвестные NAS', 'Unknown NAS'],
  spool: ['Учёт на диске', 'Spool'],
  connection: ['Связь с базой', 'Connection to the database'],
  'connection settings': ['Настройки соединений', 'Connection settings'],
  pooler: ['Пулер', 'Pooler'],
  version: ['Версия PostgreSQL', 'PostgreSQL version'],
  primary: ['Основной сервер', 'Primary'],
  encoding: ['Кодировка', 'Encoding'],
  letters: ['Локаль базы', 'Letters'],
  settings: ['Настройки PostgreSQL', 'PostgreSQL settings'],
  'time limits': ['Тайм-ауты', 'Time limits'],
  rights: ['Права', 'Rights'],
  releases: ['Выпуски', 'Releases'],
  connections: ['Соединения', 'Connections'],
  locks: ['Блокировки', 'Locks'],
  durability: ['Надёжность записи', 'Durability'],
  upkeep: ['Уход за таблицами', 'Upkeep'],
  clock: ['Часы', 'Clock'],
  tables: ['Таблицы', 'Tables'],
  'NAS that never spoke': ['Не обращавшиеся NAS', 'NAS never heard from'],
  'silent NAS': ['Замолчавшие NAS', 'Silent NAS'],
  'clocks of NAS': ['Часы NAS', 'NAS clocks'],
  'ledger proof': ['Сверка журнала', 'Ledger proof'],
  jobs: ['Задания', 'Jobs'],
  messages: ['Сообщения', 'Messages'],
  payments: ['Платежи', 'Payments'],
  gateways: ['Шлюзы', 'Gateways'],
  'gateway A': ['Шлюз A', 'Gateway A'],
  'gateway B': ['Шлюз B', 'Gateway B'],
  receipts: ['Чеки', 'Receipts'],
  nodes: ['Узлы', 'Nodes'],
  'versions of nodes': ['Версии узлов', 'Node versions'],
})
