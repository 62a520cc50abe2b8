import { addDays, dayOf, localMoment } from './calendar.ts'

/**
 * The first moment after `after` at which the local time of the zone is `time` (`00:05`). There is exactly one such
 * moment on every day.
 */
export function nextLocalTime(time: string, zone: string, after: Date): Date {
  for (let day = dayOf(after, zone); ; day = addDays(day, 1)) {
    const moment = localMoment(Date.parse(`${day}T${time}:00Z`), zone)
    if (moment > after) return moment
  }
}
