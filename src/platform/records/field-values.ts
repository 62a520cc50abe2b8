import { readDate, readMoment } from '../../domain/iso-dates.ts'
import { normalMac } from '../../domain/mac.ts'
import { moneyMax, parseRubles } from '../../domain/money.ts'
import { spelled } from '../../domain/text.ts'
import { readIp, readNetwork } from '../formats/addresses.ts'
import { stringifyJson } from '../formats/json.ts'
import type { Field, Kind, Value } from './model.ts'
import { drf, pythonType } from './refusals.ts'

export type ReadValue = { value: Value } | { wrong: string }

/**
 * Reads one value of a body as DRF's serializer fields do: digits in a string are a number, `"true"` is a boolean,
 * spaces around a text go. Bounds are not checked here but by the schema.
 */
export function readValue(field: Field, sent: unknown): ReadValue {
  if (sent === null || isBlank(sent, field)) {
    return field.nullable
      ? { value: null }
      : { wrong: sent === null ? drf.null : (emptyIsNull[field.kind] ?? drf.blank) }
  }
  const read = field.read ? (field.read(sent) as ReadValue) : readers[field.kind](sent, field)
  if ('wrong' in read || !field.fits || field.fits(read.value)) return read
  return { wrong: `It must ${field.must ?? 'be another value'}.` }
}

const isBlank = (sent: unknown, { kind, blankIsNull }: Field): boolean =>
  blankIsNull ? typeof sent === 'string' && sent.trim() === '' : sent === '' && kind in emptyIsNull

/** The kinds in which an empty text counts as null, and what is said where null is wrong. */
const emptyIsNull: Partial<Record<Kind, string>> = {
  ip: drf.blank,
  network: drf.blank,
  mac: drf.blank,
  relation: drf.null,
  date: drf.date,
  datetime: drf.datetime,
  decimal: drf.number,
  rubles: drf.blank,
}

type Reader = (sent: unknown, field: Field) => ReadValue

const readers = {
  integer: readInteger,
  money: readUnits,
  rubles: (sent) => {
    const amount = parseRubles(sent)
    return amount === null ? { wrong: drf.number } : { value: amount }
  },
  long: readLong,
  decimal: readDecimal,
  boolean: readBoolean,
  text: readText,
  choice: (sent, { choices = [] }) => {
    const word = typeof sent === 'object' ? stringifyJson(sent) : String(sent)
    return choices.includes(word) ? { value: word } : { wrong: drf.choice(word.slice(0, 100).toWellFormed()) }
  },
  datetime: (sent) => readSpelled(sent, readMoment, drf.datetime),
  date: (sent) => readSpelled(sent, readDate, drf.date),
  ip: (sent) => readSpelled(sent, readIp, drf.ip),
  network: (sent) => readSpelled(sent, readNetwork, drf.network),
  mac: (sent) => readSpelled(sent, normalMac, drf.mac),
  relation: readKey,
  relations: readKeys,
  json: (sent) => ({ value: sent as Value }),
} as const satisfies Record<Kind, Reader>

function readSpelled(sent: unknown, read: (text: string) => string | null, wrong: string): ReadValue {
  const value = typeof sent === 'string' ? read(sent.trim()) : null
  return value === null ? { wrong } : { value }
}

function readText(sent: unknown, { verbatim, onlyText }: Field): ReadValue {
  const isNumber = typeof sent === 'number' || typeof sent === 'bigint'
  if (typeof sent !== 'string' && (onlyText || !isNumber)) return { wrong: drf.string }
  const value = verbatim ? String(sent) : String(sent).trim()
  return value.includes('\0') ? { wrong: drf.noNul } : { value }
}

const digitsMax = 1000

/** DRF drops a fraction of zeros. */
function wholeNumber(sent: unknown): bigint | string {
  if (typeof sent === 'bigint') return sent
  if (typeof sent === 'number') return Number.isInteger(sent) ? BigInt(sent) : drf.integer
  if (typeof sent !== 'string') return drf.integer
  if (sent.length > digitsMax) return drf.tooLong
  const match = /^\s*([+-]?\d+)(\.0*)?\s*$/.exec(sent)
  return match ? BigInt(match[1]!.replace('+', '')) : drf.integer
}

function readInteger(sent: unknown): ReadValue {
  const whole = wholeNumber(sent)
  if (typeof whole === 'string') return { wrong: whole }
  // Beyond 2^53 a double is not exact, but it is certainly out of the bounds that the schema checks.
  return { value: Number(whole) }
}

function readLong(sent: unknown, { min }: Field): ReadValue {
  const units = wholeNumber(sent)
  if (typeof units === 'string') return { wrong: units }
  const least = min === undefined ? -moneyMax : BigInt(min)
  if (units > moneyMax) return { wrong: drf.most(moneyMax) }
  return units < least ? { wrong: drf.least(least) } : { value: units }
}

/** Money is stored units: a text with a point is meant as rubles, and would be worth next to nothing. */
function readUnits(sent: unknown, field: Field): ReadValue {
  return typeof sent === 'string' && sent.includes('.') ? { wrong: drf.integer } : readLong(sent, field)
}

function readDecimal(sent: unknown, { places = 0 }: Field): ReadValue {
  const text = spelled(sent).trim()
  if (text.length > digitsMax) return { wrong: drf.tooLong }
  const match = /^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))$/.exec(text)
  if (!match) return { wrong: drf.number }
  const fraction = (match[1] ?? match[2] ?? '').replace(/0+$/, '')
  return fraction.length > places ? { wrong: drf.places(places) } : { value: Number(text) }
}

const truths: ReadonlySet<unknown> = new Set([true, 1, 't', 'y', 'yes', 'true', 'on', '1'])
const falsehoods: ReadonlySet<unknown> = new Set([false, 0, 'f', 'n', 'no', 'false', 'off', '0'])

function readBoolean(sent: unknown): ReadValue {
  const word = typeof sent === 'string' ? sent.trim().toLowerCase() : sent
  if (truths.has(word)) return { value: true }
  return falsehoods.has(word) ? { value: false } : { wrong: drf.boolean }
}

function readKey(sent: unknown): ReadValue {
  const text = spelled(sent).trim()
  if (!/^[+-]?\d{1,40}$/.test(text)) return { wrong: drf.notAKey(pythonType(sent)) }
  const id = Number(text)
  return Number.isSafeInteger(id) ? { value: id } : { wrong: drf.missingRow(text) }
}

const keysMax = 1000

/** Without repeats; a form writes them with commas between. */
function readKeys(sent: unknown): ReadValue {
  const members = typeof sent === 'string' ? sent.split(',').filter((member) => member.trim() !== '') : sent
  if (!Array.isArray(members) || members.length > keysMax) return { wrong: drf.notAList(pythonType(sent)) }
  const keys = new Set<number>()
  for (const member of members) {
    const read = readKey(member)
    if ('wrong' in read) return read
    keys.add(read.value as number)
  }
  return { value: [...keys].sort((a, b) => a - b) }
}
