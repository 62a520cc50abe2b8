import { chapter } from '../../texts/texts.ts'

export const staffTexts = chapter({
  title: ['Сотрудники', 'Staff'],
  add: ['Новый сотрудник', 'New staff user'],
  edit: [(name: string) => `Сотрудник ${name}`, (name: string) => `Staff user ${name}`],
  toRoles: ['Роли', 'Roles'],
  toSessions: ['Сессии', 'Sessions'],
  none: ['Сотрудников нет', 'No staff users'],
  username: ['Имя для входа', 'Username'],
  usernameNeeded: ['Укажите имя', 'Enter a name'],
  password: ['Пароль', 'Password'],
  passwordSays: ['Не короче 10 знаков и не из распространённых.', 'At least 10 characters, and not a common password.'],
  passwordKept: [
    'Пусто — прежний. Новый завершит все сессии и отзовёт токены.',
    'If empty: unchanged. A new one ends all sessions and tokens.',
  ],
  passwordNeeded: ['Задайте пароль', 'Set a password'],
  generate: ['Придумать', 'Generate'],
  role: ['Роль', 'Role'],
  rights: ['Права', 'Rights'],
  more: ['Сверх роли', 'In addition to the role'],
  superuser: ['Суперпользователь: может всё во всех организациях', 'Superuser: can do everything in all organizations'],
  isSuperuser: ['Суперпользователь', 'Superuser'],
  allOrganizations: ['Видит все организации, и будущие тоже', 'Sees every organization, including future ones'],
  every: ['Все', 'All'],
  organizations: ['Организации', 'Organizations'],
  organizationsSays: [
    'Чьих абонентов видит; пусто — основная.',
    'Whose subscribers the user sees; if empty: the default one.',
  ],
  rest: ['REST: записи всех организаций', 'REST, including records of all organizations'],
  personalData: ['Паспортные данные', 'Personal documents'],
  soap: ['Входит по SOAP', 'Signs in over SOAP'],
  enabled: ['Может входить', 'Can sign in'],
  off: ['Отключён', 'Disabled'],
  on: ['Работает', 'Enabled'],
  state: ['Состояние', 'State'],
  factor: ['Второй фактор', 'Second factor'],
  noFactor: ['нет', 'none'],
  totp: ['приложение', 'app'],
  passkey: ['ключ доступа', 'passkey'],
  removeFactor: ['Снять второй фактор', 'Remove the second factor'],
  removeFactorAsks: [
    (name: string) => `Снять второй фактор у ${name}?`,
    (name: string) => `Remove the second factor of ${name}?`,
  ],
  removeFactorSays: ['Например, когда телефон потерян.', 'For example, when the phone is lost.'],
  sessions: ['Сессий', 'Sessions'],
  made: ['Создан', 'Created'],
  create: ['Добавить', 'Add'],
  save: ['Сохранить', 'Save'],
  given: [
    (name: string, password: string) => `Пароль ${name}: ${password}`,
    (name: string, password: string) => `Password of ${name}: ${password}`,
  ],
  added: [(name: string) => `Сотрудник ${name} добавлен`, (name: string) => `${name} was added`],
  saved: ['Сохранено', 'Saved'],
  endedToo: [
    (count: number) => `Сохранено, сессий завершено: ${count}`,
    (count: number) => `Saved; ${count} sessions ended`,
  ],
  signOut: ['Завершить все сессии', 'End all sessions'],
  signOutAsks: [(name: string) => `Завершить все сессии ${name}?`, (name: string) => `End all sessions of ${name}?`],
  signOutSays: ['Токены API тоже будут отозваны.', 'API tokens end too.'],
  signedOut: [(count: number) => `Завершено сессий: ${count}`, (count: number) => `${count} sessions ended`],
  removeSays: [
    'Удалится только тот, чьих операций и ответов нет; остальных отключают.',
    'Only a user without operations and replies can be deleted; disable others instead.',
  ],
})

export const roleTexts = chapter({
  title: ['Роли', 'Roles'],
  says: [
    'Изменение действует сразу для всех, у кого эта роль.',
    'A change takes effect at once for everybody who has the role.',
  ],
  role: ['Роль', 'Role'],
  users: ['Сотрудников', 'Users'],
  changed: ['изменена', 'changed'],
  edit: [(name: string) => `Роль «${name}»`, (name: string) => `Role ${name}`],
  save: ['Сохранить', 'Save'],
  saved: ['Роль изменена', 'The role was changed'],
  meanings: ['Что значат права', 'What the rights mean'],
  add: ['Новая роль', 'New role'],
  create: ['Создать', 'Create'],
  created: [(title: string) => `Роль «${title}» создана`, (title: string) => `The role ${title} was created`],
  label: ['Название', 'Title'],
  titleSays: [(usual: string) => `Пусто — как в программе: ${usual}`, (usual: string) => `If empty: ${usual}`],
  titleNeeded: ['Укажите название', 'Name the role'],
  programName: [(name: string) => `Имя для программ: ${name}`, (name: string) => `Name for programs: ${name}`],
  own: ['своя', 'your own'],
  removeSays: [
    'Удалится только роль, которой ни у кого нет, и у отключённых тоже.',
    'Only a role that nobody has, not even a disabled user, can be deleted.',
  ],
  reset: ['Вернуть права программы', 'Restore the default rights'],
  yes: ['да', 'yes'],
  no: ['нет', 'no'],
})

export const roleNames = chapter({
  admin: ['Администратор', 'Administrator'],
  operator: ['Оператор', 'Operator'],
  cashier: ['Кассир', 'Cashier'],
  viewer: ['Наблюдатель', 'Viewer'],
  integration: ['Программа', 'Program'],
})

/** A right that is not here is called by its name. */
export const rightNames = chapter({
  view: ['Смотреть', 'See'],
  change: ['Изменять', 'Change'],
  money: ['Деньги', 'Money'],
  money_dates: ['Даты платежей', 'Dates of payments'],
  settings: ['Настройки', 'Settings'],
  system: ['Сотрудники', 'Staff'],
  rest: ['REST', 'REST'],
  personal_data: ['Паспорта', 'Documents'],
})

export const rightMeanings = chapter({
  view: ['Видеть всё, кроме настроек и сотрудников', 'See everything but settings and staff'],
  change: [
    'Изменять абонентов, счета, сеть и справочники',
    'Change subscribers, accounts, the network and dictionaries',
  ],
  money: ['Принимать и отменять платежи', 'Take and reverse payments'],
  money_dates: ['Проводить платежи с необычной датой', 'Post payments with an unusual date'],
  settings: ['Менять настройки, шлюзы, организации', 'Change settings, gateways and organizations'],
  system: ['Управлять сотрудниками и ролями', 'Manage staff and roles'],
  rest: ['Пользоваться REST: там видны все организации', 'Use REST, which shows all organizations'],
  personal_data: ['Выгружать паспортные данные и СОРМ', 'Export personal documents and SORM'],
})

export const sessionTexts = chapter({
  title: ['Сессии сотрудников', 'Staff sessions'],
  says: [
    'Где сотрудники сейчас вошли. Программы по SOAP не показаны.',
    'Where staff are signed in. Programs that use SOAP are not shown.',
  ],
  user: ['Сотрудник', 'User'],
  address: ['Адрес', 'Address'],
  began: ['Вход', 'Signed in'],
  seen: ['Активность', 'Last used'],
  expires: ['Истекает', 'Ends'],
  browser: ['Программа', 'Program'],
  end: ['Завершить', 'End'],
  endOf: [
    (name: string, at: string) => `Завершить: ${name}, ${at}`,
    (name: string, at: string) => `End: ${name}, ${at}`,
  ],
  asks: [(name: string) => `Завершить сессию ${name}?`, (name: string) => `End the session of ${name}?`],
  ended: ['Сессия завершена', 'The session has ended'],
  own: ['вы', 'you'],
  none: ['Никто не вошёл', 'Nobody is signed in'],
  back: ['К сотрудникам', 'Back to staff'],
})
