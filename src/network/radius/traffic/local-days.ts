import { type Day, dayOf, offsetMs, startOfDay } from '../../../domain/calendar.ts'

const daySeconds = 86_400
const hourSeconds = 3_600
/** Offsets of time zones are whole quarters of an hour nowadays, and clocks change at whole quarters. */
const quarterSeconds = 900

/** How many days and quarters of an hour are kept, because asking for a time zone costs microseconds. */
const keptMax = 10_000

/** Days by number since 1970 and hours of a time zone; moments are seconds since 1970. */
export class LocalDays {
  readonly zone: string
  readonly #starts = new Map<number, number>()
  readonly #offsets = new Map<number, number>()
  /** The day that was asked for last. */
  #day = 0
  #from = 0
  #to = 0

  constructor(zone: string) {
    this.zone = zone
  }

  dayAt(seconds: number): number {
    if (seconds < this.#from || seconds >= this.#to) {
      this.#day = numberOfDay(dayOf(new Date(seconds * 1000), this.zone))
      this.#from = this.startOf(this.#day)
      this.#to = this.startOf(this.#day + 1)
    }
    return this.#day
  }

  startOf(day: number): number {
    return kept(this.#starts, day, () => startOfDay(dayOfNumber(day), this.zone).getTime() / 1000)
  }

  /** When the hour began that clocks in the zone show, also where they differ from UTC by half an hour. */
  hourAt(seconds: number): number {
    const quarter = Math.floor(seconds / quarterSeconds)
    const offset = kept(this.#offsets, quarter, () => {
      return offsetMs(new Date(quarter * quarterSeconds * 1000), this.zone) / 1000
    })
    return seconds - modulo(seconds + offset, hourSeconds)
  }
}

function kept(known: Map<number, number>, key: number, find: () => number): number {
  let found = known.get(key)
  if (found === undefined) {
    if (known.size >= keptMax) known.clear()
    found = find()
    known.set(key, found)
  }
  return found
}

export const modulo = (value: number, by: number): number => ((value % by) + by) % by

const numberOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / 1000 / daySeconds
export const dayOfNumber = (day: number): Day => new Date(day * daySeconds * 1000).toISOString().slice(0, 10) as Day

/** The calendar of the setting as it is now. */
export function followingZone(zone: () => string): () => LocalDays {
  let days = new LocalDays(zone())
  return () => {
    if (days.zone !== zone()) days = new LocalDays(zone())
    return days
  }
}
