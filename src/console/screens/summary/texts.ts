import { chapter } from '../../texts/texts.ts'

export const summaryTexts = chapter({
  title: ['Сводка', 'Summary'],
  online: ['В сети', 'Online'],
  sessions: ['живых сессий', 'live sessions'],
  debtors: ['Должники', 'Debtors'],
  blocked: ['Заблокированы', 'Blocked'],
  forDebt: [(count: string) => `за долг: ${count}`, (count: string) => `for debt: ${count}`],
  accepts: ['Впущено', 'Accepts'],
  rejects: ['Отказано', 'Rejects'],
  aSecond: ['в секунду', 'a second'],
  notCredited: ['Платежи не зачислены', 'Payments not credited'],
  messages: ['Сообщения не ушли', 'Failed messages'],
  jobs: ['Задания с ошибкой', 'Failed jobs'],
  proof: ['Сверка журнала', 'Proof of the ledger'],
  whole: ['сошлась', 'whole'],
  broken: ['не сошлась', 'broken'],
  running: ['идёт', 'running'],
  notYet: ['ещё не было', 'not yet'],
})
