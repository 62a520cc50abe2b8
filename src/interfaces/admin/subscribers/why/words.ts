import { catalogue } from '../../../../domain/language.ts'
import type { VerdictCode } from './verdict.ts'

type Told = { readonly login: string; readonly nas: string; readonly asked: string; readonly until: string }

/** One sentence for each verdict. `asked` is an unknown login or address, `until` the end of a freeze. */
export const verdictWords = catalogue({
  ru: {
    online: ({ nas }: Told) => `В сети${nas && ` через ${nas}`}.`,
    offline_open: () => 'Доступ открыт, но устройство абонента не подключается.',
    blocked_debt: () => 'Доступ закрыт: отрицательный баланс.',
    blocked_operator: () => 'Доступ закрыт: блокировка оператором.',
    blocked_client: () => 'Доступ закрыт по просьбе клиента.',
    blocked_system: () => 'Доступ закрыт: блокировка системой.',
    asleep: ({ until }: Told) => `Договор приостановлен до ${until}.`,
    deleted: () => 'Абонент удалён.',
    no_login: () => 'У абонента нет ни одного логина.',
    login_disabled: ({ login }: Told) => `Логин ${login} отключён оператором.`,
    wrong_password: ({ login }: Told) => `Устройство с логином ${login} присылает неверный пароль.`,
    unknown_login_seen: ({ asked }: Told) =>
      `Приходит неизвестный логин «${asked}»: похоже, на устройстве абонента ошибка в логине.`,
    too_many_sessions: ({ login }: Told) => `Логин ${login} занят: больше одновременных сессий не разрешено.`,
    no_free_address: () => 'В пуле адресов нет свободного адреса.',
    nas_unknown: ({ asked }: Told) =>
      asked === ''
        ? 'Нет ни одного включённого NAS.'
        : `Абонент ещё не подключался. Отбрасываются запросы с ${asked}, где нет включённого NAS: возможно, это он.`,
    nas_wrong_secret: ({ nas }: Told) => `${nas}: неверный общий секрет.`,
    nas_silent: ({ nas }: Told) => `${nas} молчит.`,
    garden: () => 'Абоненту открыта только страница оплаты.',
  },
  en: {
    online: ({ nas }) => `Online${nas && ` through ${nas}`}.`,
    offline_open: () => "Access is open, but the client's device is not connecting.",
    blocked_debt: () => 'Access is closed: negative balance.',
    blocked_operator: () => 'Access is closed: blocked by an operator.',
    blocked_client: () => "Access is closed at the client's request.",
    blocked_system: () => 'Access is closed: blocked by the system.',
    asleep: ({ until }) => `The contract is suspended until ${until}.`,
    deleted: () => 'The subscriber is deleted.',
    no_login: () => 'The subscriber has no login.',
    login_disabled: ({ login }) => `The login ${login} has been disabled by an operator.`,
    wrong_password: ({ login }) => `The device of ${login} sends a wrong password.`,
    unknown_login_seen: ({ asked }) =>
      `Requests come with the unknown login “${asked}”: it is probably misspelled on the client's device.`,
    too_many_sessions: ({ login }) => `The login ${login} is in use: no more simultaneous sessions are allowed.`,
    no_free_address: () => 'The address pool has no free address.',
    nas_unknown: ({ asked }) =>
      asked === ''
        ? 'No NAS is enabled.'
        : `The subscriber has never connected. Requests from ${asked} are dropped, where no NAS is enabled: this may be why.`,
    nas_wrong_secret: ({ nas }) => `${nas} has a wrong shared secret.`,
    nas_silent: ({ nas }) => `${nas} is silent.`,
    garden: () => 'Only the walled garden is open, where the client can pay.',
  },
} satisfies Record<'ru' | 'en', Record<VerdictCode, (told: Told) => string>>)

/** The links of the chain. */
export const chainWords = catalogue({
  ru: {
    subscriber: { on: 'Абонент включён', off: 'Абонент выключен', deleted: 'Абонент удалён' },
    account: (balance: string, limit: string) => `Баланс ${balance}, порог ${limit}`,
    asleep: (until: string) => `Приостановлен до ${until}`,
    notBlocked: 'Блокировок нет',
    blocked: {
      debt: 'отрицательный баланс',
      operator: 'блокировка оператором',
      client: 'по просьбе клиента',
      system: 'блокировка системой',
    },
    login: {
      none: 'Логина нет',
      on: (login: string) => `Логин ${login} включён`,
      off: (login: string) => `Логин ${login} отключён`,
    },
    nas: {
      unheard: 'NAS абонента неизвестен: он ещё не подключался',
      missing: 'NAS, через который абонент приходил, больше нет или он выключен',
      stranger: (address: string) => `Отбрасываются запросы с ${address}: такого NAS нет`,
      ok: (nas: string) => `${nas} на связи`,
      silent: (nas: string) => `${nas} молчит`,
      never: (nas: string) => `${nas} ещё ни разу не обращался`,
      wrong_secret: (nas: string) => `${nas}: похоже, неверный общий секрет`,
      all: 'Все NAS',
    },
    request: {
      none: 'Отказов за последние дни не было',
      accepted: 'Последний запрос принят',
      rejected: (reason: string) => `Последний запрос отклонён: ${reason}`,
      rejectedBefore: (reason: string) => `До этой сессии был отказ: ${reason}`,
      unknown: (login: string) => `Пришёл неизвестный логин «${login}»`,
    },
    session: {
      live: (login: string, ip: string, nas: string) => `Сессия ${login}${ip && `, ${ip}`}${nas && `, ${nas}`}`,
      ended: (reason: string) => `Последняя сессия закончилась${reason && `: ${reason}`}`,
      none: 'Сессий ещё не было',
    },
    coa: {
      none: 'Отключений и смен скорости не было',
      disconnect: 'Отключение',
      coa: 'Смена скорости',
      ack: 'выполнено',
      nak: (cause: string) => `отклонено${cause && ` (Error-Cause ${cause})`}`,
      noSession: 'такой сессии не было',
      no_answer: 'NAS не ответил',
      waiting: 'ждёт ответа',
    },
    reasons: {
      unknown_login: 'неизвестный логин',
      wrong_password: 'неверный пароль',
      deleted: 'абонент удалён',
      login_disabled: 'логин отключён',
      subscriber_disabled: 'абонент выключен',
      blocked_operator: 'блокировка оператором',
      blocked_client: 'заблокирован по просьбе клиента',
      blocked_system: 'блокировка системой',
      blocked_debt: 'отрицательный баланс',
      asleep: 'договор приостановлен',
      too_many_sessions: 'слишком много сессий',
      no_free_address: 'нет свободного адреса',
      eap_not_offered: 'EAP не поддерживается',
      realm_refused: 'домен в логине не принимается',
      chap_with_hash: 'CHAP невозможен: хранится только хеш пароля',
      ms_chap_with_hash: 'MS-CHAP невозможен: хранится только хеш пароля',
    },
  },
  en: {
    subscriber: {
      on: 'The subscriber is enabled',
      off: 'The subscriber is disabled',
      deleted: 'The subscriber is deleted',
    },
    account: (balance, limit) => `Balance ${balance}, limit ${limit}`,
    asleep: (until) => `Suspended until ${until}`,
    notBlocked: 'No blocks',
    blocked: {
      debt: 'negative balance',
      operator: 'blocked by an operator',
      client: "at the client's request",
      system: 'blocked by the system',
    },
    login: {
      none: 'There is no login',
      on: (login) => `The login ${login} is enabled`,
      off: (login) => `The login ${login} is disabled`,
    },
    nas: {
      unheard: 'The NAS is not known: the subscriber has never connected',
      missing: 'The NAS through which the subscriber connected is gone or disabled',
      stranger: (address) => `Requests from ${address} are dropped: there is no such NAS`,
      ok: (nas) => `${nas} is up`,
      silent: (nas) => `${nas} is silent`,
      never: (nas) => `${nas} has never sent a request`,
      wrong_secret: (nas) => `${nas} probably has a wrong shared secret`,
      all: 'Every NAS',
    },
    request: {
      none: 'No rejected requests in the last few days',
      accepted: 'The last request was accepted',
      rejected: (reason) => `The last request was rejected: ${reason}`,
      rejectedBefore: (reason) => `Rejected before this session: ${reason}`,
      unknown: (login) => `Unknown login “${login}”`,
    },
    session: {
      live: (login, ip, nas) => `Session of ${login}${ip && `, ${ip}`}${nas && `, ${nas}`}`,
      ended: (reason) => `The last session has ended${reason && `: ${reason}`}`,
      none: 'There has been no session yet',
    },
    coa: {
      none: 'No Disconnect or change of speed so far',
      disconnect: 'Disconnect',
      coa: 'Speed change',
      ack: 'done',
      nak: (cause) => `refused${cause && ` (Error-Cause ${cause})`}`,
      noSession: 'there was no such session',
      no_answer: 'the NAS did not answer',
      waiting: 'waits for an answer',
    },
    reasons: {
      unknown_login: 'unknown login',
      wrong_password: 'wrong password',
      deleted: 'the subscriber is deleted',
      login_disabled: 'the login is switched off',
      subscriber_disabled: 'the subscriber is switched off',
      blocked_operator: 'blocked by an operator',
      blocked_client: "blocked at the client's request",
      blocked_system: 'blocked by the system',
      blocked_debt: 'negative balance',
      asleep: 'the contract is suspended',
      too_many_sessions: 'too many sessions',
      no_free_address: 'no free address',
      eap_not_offered: 'EAP is not offered',
      realm_refused: 'the realm of the login is not accepted',
      chap_with_hash: 'CHAP cannot be checked: only a hash of the password is stored',
      ms_chap_with_hash: 'MS-CHAP cannot be checked: only a hash of the password is stored',
    },
  },
})
