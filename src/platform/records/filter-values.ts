import { readDate, readMoment } from '../../domain/iso-dates.ts'
import { normalMac } from '../../domain/mac.ts'
import { readIp, readNetwork } from '../formats/addresses.ts'
import type { Field, Kind } from './model.ts'

/**
 * One value of a filter: text with the cast that PostgreSQL applies to it, or what is wrong with it, in django-filter's
 * words.
 */
export type FilterValue = { text: string; cast: string } | { wrong: string }

/** The longest text to look for; a longer pattern would only cost time. */
const textMax = 1000

export const wrongNumber = 'Enter a number.'
export const wrongBoolean = 'Must be a valid boolean.'
export const wrongDate = 'Enter a valid date.'
const wrongDatetime = 'Enter a valid date/time.'
const wrongRelation = 'Select a valid choice. That choice is not one of the available choices.'
const tooLarge = 'Ensure this value is less than or equal to 1e+50.'

type Reader = (text: string, field: Field) => FilterValue

const cannotBeFiltered: Reader = () => ({ wrong: 'This field cannot be filtered.' })

const readers = {
  integer: readNumber,
  money: readNumber,
  long: readNumber,
  decimal: readNumber,
  relation: (text) => {
    const number = readNumber(text)
    return 'wrong' in number ? { wrong: wrongRelation } : number
  },
  boolean: (text) => {
    const flag = readFlag(text)
    return flag === null ? { wrong: wrongBoolean } : { text: String(flag), cast: 'bool' }
  },
  text: readText,
  choice: (text, { choices = [] }) =>
    choices.includes(text)
      ? { text, cast: 'text' }
      : {
          wrong: `Select a valid choice. ${text.slice(0, textMax).toWellFormed()} is not one of the available choices.`,
        },
  datetime: (text) => cast(readMoment(text.trim()), 'timestamptz', wrongDatetime),
  date: (text) => readDay(text),
  ip: (text) => cast(readIp(text.trim()), 'inet', 'Enter a valid IPv4 or IPv6 address.'),
  network: (text) => cast(readNetwork(text.trim()), 'inet::cidr', 'Enter a valid network.'),
  mac: (text) => cast(normalMac(text.trim()), 'macaddr', 'Enter a valid MAC address.'),
  json: cannotBeFiltered,
  relations: cannotBeFiltered,
  rubles: cannotBeFiltered,
} as const satisfies Record<Kind, Reader>

/** A value to compare the field with. */
export const readFilterValue: Reader = (text, field) => readers[field.kind](text, field)

const cast = (text: string | null, type: string, wrong: string): FilterValue =>
  text === null ? { wrong } : { text, cast: type }

/** As django-filter's BooleanWidget reads it; a word it does not know is null. */
export function readFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : null
}

/** Of a datetime its day in the session's time zone. */
export function readDay(text: string): FilterValue {
  const day = readDate(text.trim())
  return day === null ? cast(readMoment(text.trim()), 'timestamptz::date', wrongDate) : { text: day, cast: 'date' }
}

/** A text to look for inside the value. */
export function readText(text: string): FilterValue {
  if (text.length > textMax) {
    return { wrong: `Ensure this value has at most ${textMax} characters (it has ${text.length}).` }
  }
  return text.includes('\0') ? { wrong: 'Null characters are not allowed.' } : { text, cast: 'text' }
}

/** No two of its parts can match the same digits, so a long text without end is refused as fast as a short one. */
const numberPattern = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,5}))?$/
const digitsMax = 100

/** Whole numbers that fit are int8 so that indexes serve them; all others are compared as numeric. */
export function readNumber(input: string): FilterValue {
  const text = input.trim()
  const match = numberPattern.exec(text)
  if (!match) return { wrong: wrongNumber }
  if (text.length > digitsMax || Number(text) > 1e50) return { wrong: tooLarge }
  if (/^[+-]?\d+$/.test(text)) {
    const whole = BigInt(text.replace('+', ''))
    if (BigInt.asIntN(64, whole) === whole) return { text: String(whole), cast: 'int8' }
  }
  // Numeric holds 16383 places; nothing here differs from zero by less than 1e-100.
  return { text: Number(match[2] ?? 0) < -digitsMax ? '0' : text, cast: 'numeric' }
}
