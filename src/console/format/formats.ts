export type Formats = ReturnType<typeof formatsOf>

type Ways = { readonly locale: string; readonly currency: string; readonly timeZone: string }

const none = '–'

/** The ways of a language, a currency and a zone. */
export function formatsOf({ locale, currency, timeZone }: Ways) {
  const money = moneyForm(locale, currency)
  const whole = new Intl.NumberFormat(locale)
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const dayForm = of({ dateStyle: 'short' })
  const momentForm = of({ dateStyle: 'short', timeStyle: 'short' })
  const plainDayForm = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'short' })
  const monthForm = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  const clockForm = of({ timeStyle: 'medium' })
  const isoDayForm = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  const zoneForm = of({ timeZoneName: 'shortOffset' })
  const agoForm = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const unitForm = (unit: AgeUnit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
  const decimalSign = whole.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const isEnglish = locale.startsWith('en')
  const shown = (form: Intl.DateTimeFormat) => (at: string | number | Date | null | undefined) =>
    at === null || at === undefined || at === '' ? none : form.format(new Date(at))
  return {
    locale,
    timeZone,
    /** Of a decimal text as the endpoints send it, exact at any size. */
    money: (text: string | null | undefined) => (text === null || text === undefined ? none : money(text, 'auto')),
    /** The same with the sign said: what was received and what was taken away. */
    signed: (text: string) => money(text, 'exceptZero'),
    /** A decimal text of an endpoint as people type it into a field, so with the decimal sign of their language. */
    typed: (text: string) => text.replace('.', decimalSign),
    number: (value: number | bigint | null | undefined) =>
      value === null || value === undefined ? none : whole.format(value),
    percent: (value: number) => share.format(value),
    day: shown(dayForm),
    /** Of a day that an endpoint names without a time, such as `2026-12-01`. */
    plainDay: shown(plainDayForm),
    moment: shown(momentForm),
    /** The name of a month such as `2026-11`. */
    month: (month: string) => monthForm.format(new Date(`${month}-01T00:00:00Z`)),
    /** The day of a moment as fields of forms have it. */
    isoDay: (at: string) => isoDayForm.format(new Date(at)),
    clock: shown(clockForm),
    /** How far from UTC the zone is at a moment: `GMT+3`. */
    zone: (at: number) => zoneForm.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '',
    /** A record by its number. */
    numbered: (id: string | number) => (isEnglish ? `No. ${id}` : `№ ${id}`),
    /** An address as the server has it, in which house and flat are said in the language of the user. */
    address: (text: string) => (isEnglish ? text.replace(/(?<=^|, ?|· )(д|кв)\. ?(?=\d)/g, partInEnglish) : text),
    bytes: (octets: number | string) => bytesOf(Number(octets), whole.resolvedOptions().locale),
    /** Bits a second. */
    speed: (bits: number) => speedOf(bits, locale),
    /** What goes to the subscriber, and what comes from there: both as texts. */
    bothWays: (received: string, sent: string) => `↓ ${received} ↑ ${sent}`,
    /** A moment in seconds since 1970, by the minute. */
    secondsAt: (seconds: number) => momentForm.format(seconds * 1000),
    duration: durationOf,
    /** How old something is, in its largest unit: `3 ч`. */
    age: (at: string) => ageOf(Date.parse(at), (value, unit) => unitForm(unit).format(value)),
    /** How long ago something was: `3 часа назад`. */
    ago: (at: string) => ageOf(Date.parse(at), (value, unit) => agoForm.format(-value, unit)),
  }
}

/** The words of streets belong to their names, and are left as people there write them. */
const partInEnglish = (_: string, part: string): string => (part === 'д' ? 'No.\u00a0' : 'apt\u00a0')

/**
 * `−1 234,50 ₽`, `−1,234.50 ₽`: the sign of the currency stands behind in every language, as in what the server writes
 * (domain/wording.ts).
 */
function moneyForm(locale: string, currency: string) {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const form = new Intl.NumberFormat(locale, style)
  const sign = form.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency
  const digits = form.resolvedOptions().minimumFractionDigits
  const formOf = (signDisplay: 'auto' | 'exceptZero') =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay })
  const forms = { auto: formOf('auto'), exceptZero: formOf('exceptZero') }
  return (text: string, signDisplay: keyof typeof forms) =>
    `${forms[signDisplay].format(text as Intl.StringNumericLiteral).replace('-', '−')}\u00a0${sign}`
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

function bytesOf(octets: number, locale: string): string {
  let value = octets
  let at = 0
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000
    at++
  }
  const maximumFractionDigits = at === 0 || value >= 100 ? 0 : 1
  // The short form of bytes themselves has no plural in English.
  const unitDisplay = at === 0 ? 'long' : 'short'
  const form = { style: 'unit', unit: units[at]!, unitDisplay, maximumFractionDigits } as const
  return new Intl.NumberFormat(locale, form).format(value)
}

const speedUnits = ['bit', 'kilobit', 'megabit', 'gigabit', 'terabit'] as const

function speedOf(bits: number, locale: string): string {
  let value = bits
  let at = 0
  // What would be rounded to a thousand is one of the next unit.
  while (value >= 999.5 && at < speedUnits.length - 1) {
    value /= 1000
    at++
  }
  const unit = `${speedUnits[at]!}-per-second`
  const maximumFractionDigits = at === 0 || value >= 100 ? 0 : 1
  const said = new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(value)
  // CLDR ends the Russian unit in a Latin c, and shortens the English one to what reads like bytes.
  return said.replace(/(?<=бит\/)c$/, 'с').replace(/b\/s$/, 'bit/s')
}

const ageUnits = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
type AgeUnit = (typeof ageUnits)[number][0]

/** Rounded down. A clock that is behind that of the server makes nothing of the future. */
function ageOf(atMs: number, said: (value: number, unit: AgeUnit) => string): string {
  const ms = Math.max(0, Date.now() - atMs)
  const [unit, unitMs] = ageUnits.find(([, unitMs]) => ms >= unitMs) ?? ageUnits[2]
  return said(Math.floor(ms / unitMs), unit)
}

/** `2:05:09`. */
function durationOf(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`
}
