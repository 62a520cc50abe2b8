/**
 * JSON at the border: integers beyond 2^53 survive both ways (REST v2 money is x 10^10), hostile bodies are refused in
 * words.
 */

/** Node 22 has them, the ES2024 library types do not. */
const withSource = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

/** DRF has no such bound; nothing of ours nests deeper than five. */
export const nestingMax = 32

export type ParsedJson = { kind: 'parsed'; value: unknown } | { kind: 'refused'; detail: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })
const longDigits = /\d{16}/
/**
 * Nineteen digits fill an int8; forty is far beyond any column, and a BigInt of a million digits would cost seconds.
 */
const wholeNumber = /^-?\d{1,40}$/
/** Most bodies hold none of these, so most are not walked. */
const suspicious = /\d{41}|\d[eE]|\\u|proto|toString/

/**
 * Integers that a double cannot hold arrive as bigint, all others as number. Members `__proto__` and `toString` are
 * left out.
 */
export function parseJson(body: Buffer): ParsedJson {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return refused('the body is not UTF-8')
  }
  // The reviver recurses, so depth is counted on the text before anything walks the value.
  if (nestsTooDeep(text)) return refused(`nested deeper than ${nestingMax}`)
  try {
    // A reviver costs a call for every value; texts without long digits do not need it.
    const value = longDigits.test(text) ? withSource.parse(text, revive) : JSON.parse(text)
    const fault = suspicious.test(text) ? cleaned(value) : null
    return fault === null ? { kind: 'parsed', value } : refused(fault)
  } catch (error) {
    return refused(faultOf(error))
  }
}

export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'bigint' ? withSource.rawJSON(String(member)) : member,
  )
}

const refused = (fault: string): ParsedJson => ({ kind: 'refused', detail: `JSON parse error - ${fault}` })

/**
 * V8 quotes the body in its message; a password does not belong into an answer, so only the part before the quotation
 * is kept.
 */
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
    const sign = text.charCodeAt(at)
    if (inString) {
      if (sign === 0x5c) at++
      else if (sign === 0x22) inString = false
    } else if (sign === 0x22) inString = true
    else if (sign === 0x7b || sign === 0x5b) {
      if (++depth > nestingMax) return true
    } else if (sign === 0x7d || sign === 0x5d) depth--
  }
  return false
}

/**
 * Why a value cannot be taken; null: it can. `1e999` parses to Infinity, and half a surrogate pair is a string that no
 * jsonb can hold. An own `__proto__` becomes a prototype as soon as somebody assigns it to another object, and with an
 * own `toString` that is no function `String(value)` throws.
 */
function cleaned(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is out of range'
  if (typeof value === 'string') return value.isWellFormed() ? null : 'a string holds half a character'
  if (value === null || typeof value !== 'object') return null
  for (const name of breaking) if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name)
  for (const [name, member] of Object.entries(value)) {
    const fault = cleaned(name) ?? cleaned(member)
    if (fault !== null) return fault
  }
  return null
}

const breaking = ['__proto__', 'toString']
