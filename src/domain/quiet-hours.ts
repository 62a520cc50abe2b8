import { dayMs, localMoment, offsetMs } from './calendar.ts'

/** Hours of every day, such as `21:00-09:00`; empty: none. */
export const quietHoursForm = /^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$/

const minuteMs = 60_000

/**
 * When the quiet hours that an instant falls into end, by the clock of a time zone; null: it falls into none. The
 * minute at which they begin is quiet, and that at which they end is not. Hours that end when they begin are none.
 */
export function quietUntil(now: Date, hours: string, zone: string): Date | null {
  const [from, to] = hours.split('-').map(msOfDay)
  if (from === undefined || to === undefined || from === to) return null
  const offset = offsetMs(now, zone)
  const local = now.getTime() + offset
  const ofDay = ((local % dayMs) + dayMs) % dayMs
  const isQuiet = from < to ? ofDay >= from && ofDay < to : ofDay >= from || ofDay < to
  if (!isQuiet) return null
  const end = local - ofDay + to + (ofDay < to ? 0 : dayMs)
  const ends = localMoment(end, zone)
  // In an hour that occurs again because the clocks went back, the hours end again at the same time.
  return ends > now ? ends : new Date(end - offset)
}

function msOfDay(time: string): number {
  const [hour, minute] = time.split(':')
  return (Number(hour) * 60 + Number(minute)) * minuteMs
}
