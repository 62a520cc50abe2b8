import { formatRubles, type Money, parseRubles } from '../../domain/money.ts'
import { RealmList, realmsMust } from '../../domain/realms.ts'
import { spelled } from '../../domain/text.ts'
import { readNetwork } from '../formats/addresses.ts'
import { isSafeAddress, isSafeGatewayAddress } from '../outgoing/destinations.ts'

/** What a value must look like, for screens that say it in other languages than `must` does. */
export const formats = [
  'boolean',
  'integer',
  'rubles',
  'share',
  'text',
  'some_text',
  'password',
  'choice',
  'gateway_url',
  'page_url',
  'email',
  'realms',
  'time_zone',
  'time',
  'hours',
  'networks',
  'colour',
  'version',
  'contract_number',
  'list_name',
  'folder',
  'second_factor',
  'schemes',
  'currency',
] as const
export type Format = (typeof formats)[number]

/** How a setting is read and written. Reading returns null for an invalid value; `must` completes "It must …". */
export type Kind<T> = {
  /** As the settings screen names it. */
  readonly type: 'boolean' | 'integer' | 'decimal' | 'string'
  readonly must: string
  readonly format: Format
  /** The ends of a range of numbers. */
  readonly least?: number
  readonly most?: number
  /** Reads what a person, a program or the table wrote. */
  read(input: unknown): T | null
  /** Reads a value that was stored before `read` became stricter; it is used until somebody sets another one. */
  readonly readOutdated?: (stored: string) => T | null
  /** As stored in the table. */
  text(value: T): string
  /** As JSON carries it. */
  shown(value: T): boolean | number | string
  /** What it may be, where that is a short list. */
  readonly choices?: readonly string[]
}

export const boolean: Kind<boolean> = {
  type: 'boolean',
  format: 'boolean',
  must: 'be true or false',
  read: (input) => {
    const word = spelled(input).trim().toLowerCase()
    if (word === 'true' || word === '1') return true
    return word === 'false' || word === '0' ? false : null
  },
  text: (value) => (value ? '1' : '0'),
  shown: (value) => value,
}

export const integer = (least: number, most: number, unit = ''): Kind<number> => ({
  type: 'integer',
  format: 'integer',
  least,
  most,
  must: `be a whole number from ${least} to ${most}${unit && ` ${unit}`}`,
  read: (input) => {
    const text = readText(input)
    const number = text !== null && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : null
  },
  text: String,
  shown: (value) => value,
})

export const rubles: Kind<Money> = {
  type: 'decimal',
  format: 'rubles',
  must: 'be an amount in rubles, zero or more, with at most two places',
  read: (input) => {
    const amount = parseRubles(input)
    return amount !== null && amount >= 0n ? amount : null
  },
  text: (value) => formatRubles(value).replace(/\.00$/, ''),
  shown: (value) => Number(formatRubles(value)),
}

const textMax = 1000

const readText = (input: unknown): string | null => {
  if (typeof input !== 'string' && typeof input !== 'number') return null
  const text = String(input).trim()
  // PostgreSQL accepts no NUL in text, and a line break in a header or a form is never valid.
  return text.length <= textMax && [...text].every((sign) => sign >= ' ') ? text : null
}

const string = <T extends string>(format: Format, must: string, fits: (text: string) => boolean): Kind<T> => ({
  type: 'string',
  format,
  must,
  read: (input) => {
    const text = readText(input)
    return text !== null && fits(text) ? (text as T) : null
  },
  text: (value) => value,
  shown: (value) => value,
})

export const text: Kind<string> = string('text', `be text of at most ${textMax} characters`, () => true)
export const someText: Kind<string> = string(
  'some_text',
  `be text of 1 to ${textMax} characters`,
  (value) => value !== '',
)

/** What guesses at the doors of such passwords, of which five in 15 minutes are heard, do not find. */
const passwordLengthMin = 6

export const password: Kind<string> = {
  ...string(
    'password',
    `have ${passwordLengthMin} to ${textMax} characters, or be empty`,
    (value) => value === '' || [...value].length >= passwordLengthMin,
  ),
  readOutdated: readText,
}

export const choice = <const T extends string>(...choices: readonly T[]): Kind<T> => ({
  ...string<T>('choice', `be ${choices.join(' or ')}`, (value) => choices.some((one) => one === value)),
  choices,
})

export const matching = (pattern: RegExp, format: Format, must: string): Kind<string> =>
  string(format, must, (value) => pattern.test(value))

/** A share of a sum, as text, because money is not calculated with binary fractions. */
export const share: Kind<string> = {
  ...matching(
    /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/,
    'share',
    'be a share from 0 to 1 such as 0.045, with at most six places',
  ),
  type: 'decimal',
  shown: Number,
}

/** Of a service that the program calls, or that clients pay at. Money and passwords pass there. Empty: not set. */
export const gatewayUrl: Kind<string> = {
  ...string(
    'gateway_url',
    'be an https:// address (http:// only of this machine, such as http://127.0.0.1:8081), or empty',
    (value) => value === '' || isSafeGatewayAddress(value),
  ),
  // A relay in the provider's own network was taken before.
  readOutdated: (stored) => (isSafeAddress(stored) ? stored : null),
}

/** Where a browser is sent. Empty: a page of our own. */
export const pageUrl: Kind<string> = string('page_url', 'be an http:// or https:// address, or empty', (value) => {
  if (value === '') return true
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '')
})

export const email: Kind<string> = string(
  'email',
  'be an e-mail address, or empty',
  (value) => value === '' || /^[^\s@]+@[^\s@]+$/.test(value),
)

export const realms: Kind<string> = string(
  'realms',
  `${realmsMust}, or empty`,
  (value) => RealmList.parse(value) !== null,
)

export const timeZone: Kind<string> = string(
  'time_zone',
  'be the name of a time zone such as Europe/Moscow',
  (value) => {
    // `+03:00` is left out: JavaScript and PostgreSQL read its sign in opposite ways.
    if (!/^[A-Za-z]/.test(value)) return false
    try {
      new Intl.DateTimeFormat('en', { timeZone: value })
      return true
    } catch {
      return false
    }
  },
)

/** A time of the day, `00:05`. */
export const timeOfDay: Kind<string> = matching(
  /^([01]\d|2[0-3]):[0-5]\d$/,
  'time',
  'be a time of the day such as 00:05',
)

export const networks: Kind<string> = string(
  'networks',
  'be a list of networks with commas between, such as 10.0.0.0/8,::1/128',
  (value) => value.split(',').every((part) => part.trim() === '' || readNetwork(part.trim()) !== null),
)
