import { isIPv4 } from 'node:net'
import { emailForm } from '../../domain/contacts.ts'
import { isLoginName, loginBytesMax } from '../../domain/login-name.ts'
import { isLoginPassword, loginPasswordRule } from '../../domain/login-password.ts'
import { normalMac } from '../../domain/mac.ts'
import { parseTypedRubles, zero } from '../../domain/money.ts'
import type { ColumnName, Columns } from './columns.ts'
import { type CsvRecord, csvFaultText } from './csv.ts'
import type { Dictionaries, Names } from './names.ts'

/** The organization of subscribers outside any folder (specification section 1 rule 5). */
const defaultOrganizationId = '1'
const textMax = 255
export const passwordMax = 128
const emailMax = 254

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a field
const control = /[\u0000-\u001f\u007f]/
/** The character by which a decoder replaces bytes that are not UTF-8. */
export const replacementCharacter = '\ufffd'

/** Whether a text has no control characters, and nothing that its file says in another encoding. */
export const isPlain = (text: string): boolean => !control.test(text) && !text.includes(replacementCharacter)

export type LineReading = Readonly<ReturnType<typeof readLine>>

/**
 * Checks a line against itself and the dictionaries, and reports all its faults at once. An empty field is null; ids
 * are text, as pg returns them. A faulty line keeps its contract number and login, so that a later line that repeats
 * them is still reported.
 */
export function readLine(record: CsvRecord, columns: Columns, dictionaries: Dictionaries) {
  const { line } = record
  const bad = (...faults: readonly string[]) =>
    ({ kind: 'bad', line, faults, contractNumber: null, login: null }) as const
  if ('fault' in record) return bad(csvFaultText[record.fault])
  const { fields } = record
  if (fields.length !== columns.count) return bad(`the line has ${fields.length} fields, the header ${columns.count}`)
  if (fields.some((field) => field.includes(replacementCharacter))) return bad('the line is not UTF-8')
  if (fields.some((field) => control.test(field))) return bad('a field has a control character or a line break')

  // A password is not trimmed, because spaces may belong to it.
  const texts = (name: ColumnName) => {
    const field = fields[columns.at[name]] || null
    return name === 'password' ? field : field?.trim() || null
  }
  return readSubscriber(line, texts, dictionaries)
}

/** The same for what is known of a subscriber by the names of the columns; null: nothing. */
export function readSubscriber(line: number, text: (name: ColumnName) => string | null, dictionaries: Dictionaries) {
  const faults: string[] = []
  /** The parsed value of a field, or null and a fault if it cannot be parsed. */
  const read = <T>(name: ColumnName, parse: (text: string) => T | null, complaint: string): T | null => {
    const value = text(name)
    if (value === null) return null
    const parsed = parse(value)
    if (parsed === null) faults.push(`${name} "${shown(value)}" ${complaint}`)
    return parsed
  }
  const short = (name: ColumnName) =>
    read(name, (value) => within(value, textMax), `is longer than ${textMax} characters`)
  const find = (name: ColumnName, names: Names): string | null => {
    const value = text(name)
    if (value === null) return null
    const found = names.find(value)
    if (found.kind === 'found') return found.id
    const why = found.kind === 'unknown' ? 'is unknown' : 'is the name of several; give the id'
    faults.push(`${name} "${shown(value)}" ${why}`)
    return null
  }

  const contractNumber = short('contract_number')
  if (text('contract_number') === null) faults.push('contract_number is empty')
  const name = short('name')
  if (text('name') === null) faults.push('name is empty')
  const login = read('login', readLogin, `is not a login (without spaces, at most ${loginBytesMax} bytes)`)
  const password = text('password')
  if (password !== null) faults.push(...passwordFaults(password))
  if (text('login') !== null && password === null) faults.push('a login needs a password')
  const ip = read('ip', (value) => (isIPv4(value) ? value : null), 'is not an IPv4 address')
  const mac = read('mac', normalMac, 'is not a MAC address')
  if (text('login') === null && (ip !== null || mac !== null))
    faults.push('ip and mac belong to a login, and there is none')
  const tariffId = find('tarif', dictionaries.tariffs)
  const folderId = find('folder', dictionaries.folders)
  const email = read('email', readEmail, 'is not an e-mail address')
  const phone = short('phone')
  const balance = read('balance', parseTypedRubles, 'is not rubles with at most two places')
  const limit = read('limit', parseTypedRubles, 'is not rubles with at most two places')
  if (faults.length > 0) return { kind: 'bad', line, faults, contractNumber, login } as const
  const organizationId = folderId === null ? defaultOrganizationId : dictionaries.organizationOfFolder.get(folderId)!
  const subscriber = {
    ...{ contractNumber, name, login, password: login === null ? null : password, ip, mac, tariffId, folderId },
    ...{ organizationId, email, phone, balance: balance ?? zero, limit },
  }
  return { kind: 'good', line, subscriber } as const
}

function* passwordFaults(password: string): Generator<string> {
  if (password.length > passwordMax) yield `password is longer than ${passwordMax} characters`
  if (!isLoginPassword(password)) yield `password must ${loginPasswordRule}`
}

const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

const within = (text: string, max: number) => (text.length <= max ? text : null)

const readLogin = (text: string) => (/\s/.test(text) || !isLoginName(text) ? null : text)

const readEmail = (text: string) => (text.length <= emailMax && emailForm.test(text) ? text : null)
