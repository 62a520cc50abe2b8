import type { Question } from './questions.ts'

const id = '4711'
const filters: readonly (readonly [what: string, filter: object])[] = [
  ['everybody', { show: 'all' }],
  ['a tariff', { tarif: 1005 }],
  ['debtors', { show: 'debtors' }],
  ['debtors of a month', { debt_days: 30 }],
  ['who is online', { show: 'online' }],
  ['a house', { home: 2000 }],
]
const deeds: readonly (readonly [door: string, body: object])[] = [
  ['Abonents/block_many/preview/', { on: true }],
  ['Abonents/tariff_many/preview/', { tarif: 1007, when: 'next_month' }],
  ['Abonents/promise_pay_many/preview/', {}],
  ['messages/mailing/preview/', { channel: 'auto', text: 'Здравствуйте, {name}!' }],
]

/** Paths below /admin/ of what screens ask for beside lists. */
const asked: readonly string[] = [
  ...[
    'summary/',
    'me/',
    'jobs/',
    'radius/nas/',
    'radius/log/reasons/',
    'radius/pools/',
    'radius/pools/1/',
    'search/?q=ив',
  ],
  ...[
    'radius/pools/1/free/',
    'radius/pools/1/holders/',
    'radius/pools/conflicts/',
    'settings/changes/',
    'staff/roles/',
  ],
  ...['reports/debts/', 'reports/subscribers/', 'reports/movements/', 'reports/movements/?by=day&across=type'],
  ...['subscribers/', 'why/', 'log/', 'services/', 'tariff/', 'tickets/', 'promise_pay/'].map(
    (tab) => `Abonents/${tab}${id}/`,
  ),
  ...[
    `radius/usage/?abonent=${id}`,
    'Abonents/create/',
    'Abonents/ticket_staff/',
    'cash/shifts/1/',
    'messages/template/',
  ],
  ...['zzqxk', 'иванов', '4711'].flatMap((word) =>
    ['finops_json', 'accounts_json'].map((list) => `Abonents/${list}/?totals=0&q=${word}`),
  ),
  ...['messages/mailing/1/', 'messages/mailing/1/left_out/', `cash/desk/?q=${id}`, 'cash/desk/?q=иванов'],
]

/** What the screens of the console ask for that is no list, and the previews of deeds on many. */
export const screenQuestions: readonly Question[] = [
  ...asked.map((path) => ({ door: `/admin/${path.replace(/\?.*/, '')}`, what: 'screen', path: `/admin/${path}` })),
  ...deeds.flatMap(([door, body]) =>
    filters.map(([what, filter]) => ({
      door: `/admin/${door}`,
      what,
      path: `/admin/${door}`,
      body: { ...body, filter },
    })),
  ),
]
