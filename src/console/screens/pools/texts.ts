import { chapter } from '../../texts/texts.ts'

export const poolTexts = chapter({
  title: ['Пулы адресов', 'Address pools'],
  addresses: ['Адреса', 'Addresses'],
  add: ['Новый пул', 'New pool'],
  none: ['Пулов ещё нет', 'There are no pools yet'],
  noneSays: [
    'Из пула адрес получает логин, у которого нет своего.',
    'A login without a static address gets one from a pool.',
  ],
  network: ['Сеть', 'Network'],
  gateway: ['Шлюз', 'Gateway'],
  name: ['Название', 'Name'],
  used: ['занято', 'in use'],
  static: ['закреплено', 'static'],
  free: ['свободно', 'free'],
  ofAll: [(size: string) => `из ${size}`, (size: string) => `of ${size}`],
  off: ['Выключен', 'Off'],
  notGiven: ['Адреса IPv6 из пула не выдаются', 'IPv6 addresses are not given out'],
  holders: ['Кем заняты адреса', 'Who holds the addresses'],
  allKinds: ['Все', 'All'],
  session: ['В сессии', 'In a session'],
  offered: ['Предложен', 'Offered'],
  ownKind: ['Закреплён', 'Static'],
  nobody: ['Все адреса свободны', 'All addresses are free'],
  address: ['Адрес', 'Address'],
  kind: ['Состояние', 'State'],
  who: ['У кого', 'Held by'],
  foreign: ['другая организация', 'another organization'],
  nextFree: ['Ближайшие свободные', 'Next free addresses'],
  conflicts: ['Конфликты адресов', 'Address conflicts'],
  overlaps: ['Пересекается', 'Overlaps'],
  overlapsWith: [
    (pools: string) =>
      `Сеть пересекается с пулом ${pools}: один адрес могут предложить двум логинам. Разведите сети пулов.`,
    (pools: string) =>
      `The network overlaps the pool ${pools}: one address may be offered to two logins. Give the pools separate networks.`,
  ],
  givenTwice: ['Закреплён за несколькими логинами', 'Static for several logins'],
  heldByAnother: ['В сессии у другого', "In somebody else's session"],
  back: ['К пулам', 'Back to pools'],
  create: ['Добавить', 'Add'],
  change: ['Изменить', 'Edit'],
  edit: [(name: string) => `Пул «${name}»`, (name: string) => `Pool ${name}`],
  save: ['Сохранить', 'Save'],
  saved: ['Пул сохранён', 'The pool is saved'],
  enabled: ['Выдавать адреса', 'Give out addresses'],
  enabledSays: ['Выключенный пул новых адресов не даёт', 'A pool that is off gives out no new addresses'],
  holds: [
    (used: string, own: string, logins: string) =>
      `В сессиях адресов: ${used}, закреплено: ${own}, логинов с этим пулом: ${logins}.`,
    (used: string, own: string, logins: string) =>
      `Addresses in sessions: ${used}, static: ${own}, logins with this pool: ${logins}.`,
  ],
  otherNetwork: [
    'Сессии сохранят свои адреса до конца, новые входы получат адреса новой сети. Закреплённые адреса не меняются.',
    'Sessions keep their addresses until they end; new sign-ins get addresses of the new network. Static addresses stay.',
  ],
  switchedOff: [
    'Сессии сохранят свои адреса до конца, а новым входам без своего адреса он не достанется.',
    'Sessions keep their addresses until they end; new sign-ins without a static address get none.',
  ],
  removeKept: [
    'Пока пул указан у логинов, удалить его нельзя: дайте им другой или выключите его.',
    'A pool that logins use cannot be deleted: give them another one, or switch it off.',
  ],
  removeSays: [
    'Сессии сохранят свои адреса до конца; за закреплёнными больше никто не следит.',
    'Sessions keep their addresses until they end; static addresses are no longer kept free.',
  ],
  networkSays: ['Например 10.0.0.0/22', 'For example 10.0.0.0/22'],
  gatewaySays: ['Не выдаётся; можно не указывать', 'Never given out; optional'],
  added: [(name: string) => `Пул «${name}» добавлен`, (name: string) => `The pool ${name} was added`],
  barSays: [
    (used: string, own: string, free: string) => `занято ${used}, закреплено ${own}, свободно ${free}`,
    (used: string, own: string, free: string) => `${used} in use, ${own} static, ${free} free`,
  ],
})
