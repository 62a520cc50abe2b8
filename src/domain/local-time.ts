import { addDays, type Day, dayOf, offsetMs } from './calendar.ts'

const dayMs = 86_400_000

/**
 * The first moment after `after` at which the local time of the zone is `time` (`00:05`). There is exactly one such
 * moment on every day.
 */
export function nextLocalTime(time: string, zone: string, after: Date): Date {
  for (let day = dayOf(after, zone); ; day = addDays(day, 1)) {
    const moment = momentOf(day, time, zone)
    if (moment > after) return moment
  }
}

/**
 * Where clocks go back and the time occurs twice, the first one counts; where they go forward over it, it is later by
 * what was skipped.
 */
function momentOf(day: Day, time: string, zone: string): Date {
  const wallMs = Date.parse(`${day}T${time}:00Z`)
  const [before, after] = [-dayMs, dayMs].map((away) => wallMs - offsetMs(new Date(wallMs + away), zone)) as [
    number,
    number,
  ]
  const fits = (ms: number) => ms + offsetMs(new Date(ms), zone) === wallMs
  const found = [before, after].filter(fits)
  return new Date(found.length > 0 ? Math.min(...found) : before)
}
