const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one costs a hundred times more than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  return format
}

/** What a clock on the wall of this zone shows, as if it were UTC: milliseconds since 1970. */
function wallMs(at: Date, timeZone: string): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = Number(value)
  return Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!, parts.second!)
}

const offsetMs = (atMs: number, timeZone: string): number => {
  const wholeMs = Math.floor(atMs / 1000) * 1000
  return wallMs(new Date(wholeMs), timeZone) - wholeMs
}

const dayMs = 86_400_000

/** The moment of a wall-clock reading: the first of two where the clock is set back, as much later as was skipped where it is set forward. */
function momentOf(wall: number, timeZone: string): Date {
  const before = wall - offsetMs(wall - dayMs, timeZone)
  const after = wall - offsetMs(wall + dayMs, timeZone)
  const fits = (ms: number) => ms + offsetMs(ms, timeZone) === wall
  const found = [before, after].filter(fits)
  return new Date(found.length > 0 ? Math.min(...found) : before)
}

/** The first moment after this one when the clock of the zone shows `time` (`00:05`): one moment a day, on every day. */
export function nextLocalTime(time: string, timeZone: string, after: Date): Date {
  const [hours, minutes] = time.split(':').map(Number)
  const today = Math.floor(wallMs(after, timeZone) / dayMs) * dayMs
  for (let day = today; ; day += dayMs) {
    const moment = momentOf(day + (hours! * 60 + minutes!) * 60_000, timeZone)
    if (moment > after) return moment
  }
}
