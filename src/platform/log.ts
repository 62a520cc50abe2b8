import type { LogFields } from './log-fields.ts'

/**
 * Structured log: JSON lines on stderr, or readable lines on a terminal. Values of secret-looking names are never
 * written. Texts are cut to 200 characters, and what a terminal could interpret is escaped, because many come from
 * outside; only the message and the stack of an error may be longer.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]

export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Whether lines of this level are written: for who makes many that mostly are not. */
  writes(level: LogLevel): boolean
  /** A log whose every line carries these fields. */
  with(fields: LogFields): Log
}

type LogTarget = { level: LogLevel; pretty: boolean; write: (line: string) => void }

const secretName = /passw|secret|token|authorization|cookie|session_?key|\bpin\b|csrf/i

export function createLog(target: Partial<LogTarget> = {}, bound: LogFields = {}): Log {
  const {
    level = 'info',
    pretty = process.stderr.isTTY === true,
    write = (line) => process.stderr.write(line),
  } = target
  const least = logLevels.indexOf(level)
  const at = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(lineLevel) < least) return
    const shown = masked({ ...bound, ...fields })
    write(pretty ? prettyLine(lineLevel, message, shown) : jsonLine(lineLevel, message, shown))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    writes: (lineLevel) => logLevels.indexOf(lineLevel) >= least,
    with: (fields) => createLog({ level, pretty, write }, { ...bound, ...fields }),
  }
}

export const silentLog: Log = createLog({ write: () => {} })

function masked(fields: LogFields): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) shown[name] = isSecret(name) ? '***' : plain(value)
  return shown
}

/** Names are few, and every line has some. Those of objects that somebody else sent are not kept for ever. */
const judged = new Map<string, boolean>()
const judgedMax = 1_000

function isSecret(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const secret = secretName.test(name)
  if (judged.size < judgedMax) judged.set(name, secret)
  return secret
}

const textMax = 200
const errorTextMax = 4_000

function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { message, stack = '', code } = value as Error & { code?: unknown }
  return { message: new LongText(message), code, stack: new LongText(stack) }
}

/** A text of the program's own that may be longer than those from outside. */
class LongText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The replacer of every value that JSON.stringify comes across, at any depth. */
function shown(_: string, value: unknown): unknown {
  if (typeof value === 'string') return cut(value, textMax)
  if (typeof value === 'bigint') return value.toString()
  return value instanceof LongText ? cut(value.text, errorTextMax) : value
}

/** A text cut to `max` UTF-16 units, with its full length said, and without what a terminal could interpret. */
function cut(text: string, max: number): string {
  const beginning = text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`
  return printable(beginning)
}

/** The text without what a terminal could interpret, line breaks apart. */
export const printable = (text: string): string => text.replace(unprintable, escaped)

/** Line breaks stay: JSON escapes them. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const escaped = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`

const jsonLine = (level: LogLevel, message: string, fields: LogFields) =>
  `${JSON.stringify({ at: new Date().toISOString(), level, message: new LongText(message), ...fields }, shown)}\n`

function prettyLine(level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${prettyValue(value)}`)
    .join(' ')
  const said = cut(message, errorTextMax).replaceAll('\n', '\\n')
  return `${new Date().toISOString().slice(11, 23)} ${level.padEnd(5)} ${said}${details ? `  ${details}` : ''}\n`
}

const prettyValue = (value: unknown): string =>
  typeof value === 'string'
    ? cut(value, textMax).replaceAll('\n', '\\n')
    : (JSON.stringify(value, shown) ?? String(value))
