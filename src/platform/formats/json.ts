/**
 * Reading and writing of JSON at the interfaces. Integers beyond 2^53 survive both ways, because money in REST v2 is an
 * integer x 10^10. Hostile bodies are refused with a sentence.
 */

/** Node 22 implements these two; the ES2024 library types do not declare them. */
const withSource = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

/**
 * The deepest nesting that is accepted. Django REST framework has no such limit; our own bodies nest five levels at
 * most.
 */
export const nestingMax = 32

export type ParsedJson = { kind: 'parsed'; value: unknown } | { kind: 'refused'; detail: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })
const longDigits = /\d{16}/
/**
 * An int8 has at most nineteen digits. Beyond forty nothing can be meant, and a BigInt of a million digits takes
 * seconds.
 */
const wholeNumber = /^-?\d{1,40}$/
/** Only bodies that match this need to be walked for the faults that `clean` looks for; most do not. */
const suspicious = /\d{41}|\d[eE]|\\u|proto|toString/

/**
 * Parses a UTF-8 body. Integers that a double cannot hold become bigint, all other numbers stay numbers. Members named
 * `__proto__` or `toString` are removed. A refusal carries a sentence that quotes nothing of the body.
 */
export function parseJson(body: Buffer): ParsedJson {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return refused('the body is not UTF-8')
  }
  // JSON.parse with a reviver recurses, so the depth is checked on the text before anything walks the value.
  if (nestsTooDeep(text)) return refused(`nested deeper than ${nestingMax}`)
  try {
    // A reviver costs a call per value and is needed only for texts with long runs of digits.
    const value = longDigits.test(text) ? withSource.parse(text, revive) : JSON.parse(text)
    const fault = suspicious.test(text) ? clean(value) : null
    return fault === null ? { kind: 'parsed', value } : refused(fault)
  } catch (error) {
    return refused(faultOf(error))
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The members of a parsed value; none when it is no object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** Like JSON.stringify, with bigint written as an integer. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'bigint' ? withSource.rawJSON(String(member)) : member,
  )
}

const refused = (fault: string): ParsedJson => ({ kind: 'refused', detail: `JSON parse error - ${fault}` })

/** The message of a parse error without the part where V8 quotes the body, which may contain a password. */
const faultOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .replace(/, (\.\.\.)?".*$/s, '')
    .replace(/ in JSON at/, ' at')

function revive(_: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  return source !== undefined && wholeNumber.test(source) ? BigInt(source) : value
}

function nestsTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > nestingMax) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/**
 * Removes harmful members from a value in place and returns why the value must be refused, or null. `1e999` parses to
 * Infinity, and jsonb cannot store a lone surrogate. An own `__proto__` would become a prototype when it is assigned to
 * another object, and an own `toString` that is not a function makes `String(value)` throw.
 */
function clean(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is out of range'
  if (typeof value === 'string') return value.isWellFormed() ? null : 'a string holds half a character'
  if (value === null || typeof value !== 'object') return null
  for (const name of harmfulNames) if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name)
  for (const [name, member] of Object.entries(value)) {
    const fault = clean(name) ?? clean(member)
    if (fault !== null) return fault
  }
  return null
}

const harmfulNames = ['__proto__', 'toString']
