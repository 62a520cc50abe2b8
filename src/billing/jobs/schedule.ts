import { nextLocalTime } from '../../domain/local-time.ts'

/**
 * When a job runs: a number of seconds after its last start, or daily at the local time `at` (`00:05`) of a time zone.
 */
export type Schedule =
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'daily'; readonly at: string; readonly timeZone: string }

/**
 * When a job is due whose last start was at `started`. If that moment has passed, the run was missed and is made up
 * once.
 */
export const dueAfter = (schedule: Schedule, started: Date): Date =>
  schedule.kind === 'every'
    ? new Date(started.getTime() + schedule.seconds * 1000)
    : nextLocalTime(schedule.at, schedule.timeZone, started)

/** The schedule for programs: one of the two is null. */
export const scheduleParts = (schedule: Schedule): { everySeconds: number | null; dailyAt: string | null } =>
  schedule.kind === 'every'
    ? { everySeconds: schedule.seconds, dailyAt: null }
    : { everySeconds: null, dailyAt: schedule.at }

/** The schedule in the operator's words. */
export function describeSchedule(schedule: Schedule): string {
  if (schedule.kind === 'daily') return `ежедневно в ${schedule.at} (${schedule.timeZone})`
  const { seconds } = schedule
  if (seconds === 60) return 'каждую минуту'
  return seconds % 60 === 0 ? `каждые ${seconds / 60} мин` : `каждые ${seconds} с`
}
