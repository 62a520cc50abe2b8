/**
 * Structured log: JSON lines on stderr, or readable lines on a terminal. Values of secret-looking names are never
 * written.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]

export type LogFields = Readonly<Record<string, unknown>>

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

function plain(value: unknown): unknown {
  if (value instanceof Error)
    return { message: value.message, code: (value as { code?: unknown }).code, stack: value.stack }
  if (typeof value === 'bigint') return value.toString()
  return value
}

const jsonLine = (level: LogLevel, message: string, fields: LogFields) =>
  `${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}\n`

function prettyLine(level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .map(
      ([name, value]) =>
        `${name}=${value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(' ')
  return `${new Date().toISOString().slice(11, 23)} ${level.padEnd(5)} ${message}${details ? `  ${details}` : ''}\n`
}
