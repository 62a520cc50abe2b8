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

/**
 * The most values, and members, in a body from outside. The longest lists are of a thousand ids; half a million values
 * would occupy the main thread for a third of a second.
 */
export const bodyValuesMax = 5_000

export type ParsedJson = { kind: 'parsed'; value: unknown } | { kind: 'refused'; detail: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** A number of so many digits may be beyond 2^53. */
const longDigits = 16
/**
 * An int8 has at most nineteen digits. Beyond forty nothing can be meant, and a BigInt of a million digits takes
 * seconds.
 */
const digitsMax = 40
const wholeNumber = /^-?\d{1,40}$/
/** Only bodies that match this need to be walked for the faults that `clean` looks for; most do not. */
const suspicious = /\d[eE]|\\u|proto|toString/

/**
 * Parses a UTF-8 body. Integers that a double cannot hold become bigint, all other numbers stay numbers. Members named
 * `__proto__` or `toString` are removed. A refusal carries a sentence that quotes nothing of the body. What we wrote
 * ourselves may have any number of values.
 */
export function parseJson(body: Buffer, valuesMax: number = bodyValuesMax): ParsedJson {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return refused('the body is not UTF-8')
  }
  // JSON.parse with a reviver recurses, so the depth is checked on the text before anything walks the value.
  const shape = shapeOf(text)
  if (shape.depth > nestingMax) return refused(`nested deeper than ${nestingMax}`)
  if (shape.values > valuesMax) return refused(`more than ${valuesMax} values`)
  try {
    // A reviver costs a call per value and is needed only for texts with long runs of digits.
    const value = shape.digits >= longDigits ? withSource.parse(text, revive) : JSON.parse(text)
    const fault = shape.digits > digitsMax || suspicious.test(text) ? clean(value) : null
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

type Shape = { readonly depth: number; readonly values: number; readonly digits: number }

/**
 * How deep a text nests, how many values it has at most, and its longest run of digits, inside of strings too. The text
 * need not be JSON. One pass, because a regular expression would look at each of forty digits forty times.
 */
function shapeOf(text: string): Shape {
  let [depth, deepest, values, run, digits] = [0, 0, 1, 0, 0]
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) {
      if (++run > digits) digits = run
      continue
    }
    run = 0
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x2c) values++
    else if (code === 0x7b || code === 0x5b) {
      values++
      if (++depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return { depth: deepest, values, digits }
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
  for (const name of harmfulNames) {
    if (!Object.hasOwn(value, name)) continue
    Reflect.deleteProperty(value, name)
    shortened.add(value)
  }
  for (const [name, member] of Object.entries(value)) {
    const fault = clean(name) ?? clean(member)
    if (fault !== null) return fault
  }
  return null
}

const harmfulNames = ['__proto__', 'toString']
const shortened = new WeakSet<object>()

/** Whether a member of a parsed object was removed, so that it says less than was sent. */
export const isShortened = (value: object): boolean => shortened.has(value)
