import { nextLocalTime } from '../../domain/local-time.ts'

/** When a job runs: so many seconds after its last start, or each day when the clock of the zone shows `at` (`00:05`). */
export type Schedule =
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'daily'; readonly at: string; readonly timeZone: string }

/** When a job is due that was started last at `started`. A moment that has passed was missed: one run makes it up. */
export const dueAfter = (schedule: Schedule, started: Date): Date =>
  schedule.kind === 'every'
    ? new Date(started.getTime() + schedule.seconds * 1000)
    : nextLocalTime(schedule.at, schedule.timeZone, started)

/** As the operator reads it. */
export function describeSchedule(schedule: Schedule): string {
  if (schedule.kind === 'daily') return `ежедневно в ${schedule.at} (${schedule.timeZone})`
  const { seconds } = schedule
  if (seconds === 60) return 'каждую минуту'
  return seconds % 60 === 0 ? `каждые ${seconds / 60} мин` : `каждые ${seconds} с`
}
