import type { Settings } from '../../platform/settings/settings.ts'
import type { Schedule } from './schedule.ts'

/**
 * What an operator sees of a job: its title, when it runs, and the setting of that time; null: it cannot be changed.
 */
export type Entry = {
  readonly title: string
  readonly setting: string | null
  /** Called each time, so that a changed setting takes effect at once. */
  readonly schedule: () => Schedule
}

export type Timetable = Readonly<Record<string, Entry>>

/** Every job of the program (specification 6.8, 3.1, 3.2), with its title and when it runs. */
const jobs = {
  process_blocks: { title: 'Блокировка и разблокировка по балансу', minutes: 'JOB_PERIOD_PROCESS_BLOCKS' },
  check_expired_promises: {
    title: 'Окончание обещанных платежей',
    minutes: 'JOB_PERIOD_CHECK_EXPIRED_PROMISES',
  },
  billing_worker: { title: 'Начисление абонентской платы', at: 'JOB_TIME_BILLING_WORKER' },
  'push.promise_pay_expiring': {
    title: 'Уведомления: обещанный платёж скоро закончится',
    at: 'JOB_TIME_PUSH_PROMISE_PAY_EXPIRING',
  },
  'push.promise_pay_expired': {
    title: 'Уведомления: обещанный платёж закончился',
    at: 'JOB_TIME_PUSH_PROMISE_PAY_EXPIRED',
  },
  reconcile_payments: { title: 'Сверка онлайн-платежей со шлюзом', seconds: 600 },
  verify_ledger: { title: 'Сверка финансового журнала', at: 'JOB_TIME_VERIFY_LEDGER' },
  roll_up_reports: { title: 'Свёртка операций для отчётов', seconds: 60 },
  verify_reports: { title: 'Сверка отчётов с операциями', at: 'JOB_TIME_VERIFY_REPORTS' },
  backup: { title: 'Резервная копия', at: 'JOB_TIME_BACKUP' },
  retention: { title: 'Удаление старых служебных записей', at: 'JOB_TIME_RETENTION' },
  compact_row_counts: { title: 'Свёртка счётчиков строк', seconds: 60 },
  close_traffic_days: { title: 'Свёртка трафика по часам и дням', seconds: 3_600 },
  close_silent_sessions: { title: 'Закрытие замолчавших сессий', seconds: 60 },
} as const

type Row = (typeof jobs)[keyof typeof jobs]

/** The timetable; its schedules always follow the current settings. */
export const timetable = (settings: Pick<Settings, 'get'>): Timetable =>
  Object.fromEntries(Object.entries(jobs).map(([name, row]) => [name, entryOf(row, settings)]))

function entryOf(row: Row, settings: Pick<Settings, 'get'>): Entry {
  const { title } = row
  if ('seconds' in row) return { title, setting: null, schedule: () => ({ kind: 'every', seconds: row.seconds }) }
  if ('minutes' in row) {
    const schedule = (): Schedule => ({ kind: 'every', seconds: settings.get(row.minutes) * 60 })
    return { title, setting: row.minutes, schedule }
  }
  const schedule = (): Schedule => ({ kind: 'daily', at: settings.get(row.at), timeZone: settings.get('TIME_ZONE') })
  return { title, setting: row.at, schedule }
}
