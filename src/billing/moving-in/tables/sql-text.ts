export type Dialect = 'mysql' | 'postgresql'

/** The position of what is neither a space nor a comment; null: a comment is not complete. */
export function skipBlank(text: string, from: number, dialect: Dialect): number | null {
  for (let at = from; ; ) {
    while (at < text.length && text.charCodeAt(at) <= 32) at++
    // Whether a character more makes it a comment may not have come yet.
    const end = commentEnd(text, at, dialect)
    if (end === null) return null
    if (end === at) return at
    at = end
  }
}

/** The position behind the comment that begins at `at`, or `at` where none does; null: it is not complete. */
function commentEnd(text: string, at: number, dialect: Dialect): number | null {
  const first = text[at]
  if (first === '/' && text[at + 1] === '*') return behind(text.indexOf('*/', at + 2), 2)
  const isLine =
    (first === '-' && text[at + 1] === '-') ||
    (first === '#' && dialect === 'mysql') ||
    // Commands of psql, such as \restrict.
    (first === '\\' && dialect === 'postgresql')
  return isLine ? behind(text.indexOf('\n', at), 1) : at
}

const behind = (found: number, length: number): number | null => (found < 0 ? null : found + length)

/**
 * The position behind the next `delimiter` that stands outside quotes, comments and parentheses; null: there is none,
 * or the parenthesis around it closes first.
 */
export function statementEnd(text: string, from: number, delimiter: string, dialect: Dialect): number | null {
  const special = specialOf(delimiter)
  let depth = 0
  for (let at = from; ; ) {
    special.lastIndex = at
    const found = special.exec(text)
    if (!found) return null
    at = found.index
    if (depth === 0 && text.startsWith(delimiter, at)) return at + delimiter.length
    const letter = found[0]
    if (letter === '(') depth++
    else if (letter === ')' && --depth < 0) return null
    const next = quotedEnd(text, at, dialect) ?? commentEnd(text, at, dialect)
    if (next === null || next < 0) return null
    at = next === at ? at + 1 : next
  }
}

/** What may end or open something; everything else is passed over at once. */
function specialOf(delimiter: string): RegExp {
  const first = delimiter[0]!
  const known = specials.get(first)
  if (known) return known
  const made = new RegExp(`['"\`$()\\-#/\\\\${first.replace(/[\]^\\-]/, '\\$&')}]`, 'g')
  specials.set(first, made)
  return made
}

const specials = new Map<string, RegExp>()

/** The position behind the quoted text that begins at `at`; -1: it is not complete; null: none begins there. */
function quotedEnd(text: string, at: number, dialect: Dialect): number | null {
  const quote = text[at]!
  if (quote === '$' && dialect === 'postgresql') {
    const tag = /\$(?:[A-Za-z_]\w*)?\$/y
    tag.lastIndex = at
    const found = tag.exec(text)?.[0]
    return found === undefined ? null : (behind(text.indexOf(found, at + found.length), found.length) ?? -1)
  }
  if (quote !== "'" && quote !== '"' && quote !== '`') return null
  const escapes = quote !== '`' && (dialect === 'mysql' || (quote === "'" && /[eE]/.test(text[at - 1] ?? '')))
  return closing(text, at + 1, quote, escapes)
}

/** The position behind the quote that closes; a doubled one does not. -1: it has not come. */
function closing(text: string, from: number, quote: string, escapes: boolean): number {
  // One search for both: one for the backslash alone would go through the whole text for each value without any.
  const special = escapes ? escapedEnds[quote as "'" | '"'] : null
  for (let at = from; ; ) {
    const found = special === null ? text.indexOf(quote, at) : indexOf(text, special, at)
    if (found < 0) return -1
    if (text[found] === '\\') at = found + 2
    else if (found + 1 === text.length) return -1
    else if (text[found + 1] === quote) at = found + 2
    else return found + 1
  }
}

const escapedEnds = { "'": /['\\]/g, '"': /["\\]/g } as const

function indexOf(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

/** A name that may have a schema before it, in small letters. Null: there is none. */
export function identifier(text: string, from: number): { last: string; schema: string; end: number } | null {
  const part = /\s*(?:`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*))/y
  const parts: string[] = []
  for (let at = from; ; ) {
    part.lastIndex = at
    const found = part.exec(text)
    if (!found) return null
    const [, ticked, quoted, bare] = found
    parts.push((ticked?.replaceAll('``', '`') ?? quoted?.replaceAll('""', '"') ?? bare!).toLowerCase())
    if (text[part.lastIndex] !== '.') {
      return { last: parts.at(-1)!, schema: parts.slice(0, -1).join('.'), end: part.lastIndex }
    }
    at = part.lastIndex + 1
  }
}

type Tuple = { readonly values: (string | null)[]; readonly end: number } | { readonly fault: string }

/** What a value may be besides a quoted text: NULL, a number, a truth, a binary text in hexadecimal digits. */
const bareValue = /(?:NULL|TRUE|FALSE|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?|0x[0-9A-F]*)(?![\w.])/iy
/** What may be the beginning of a value of which the rest is to come. */
const cutValue = /^[\w+.\s-]{0,99}$/
/** Before a quoted text: its character set, or that it is binary or has escapes. */
const introducer = /(?:_[A-Za-z0-9]+\s*|[EXB](?='))?(?=')/iy

/**
 * A row of an INSERT. Null: it is not complete. Without `isKept` it is passed over, and the values are not those of the
 * row.
 */
export function readTuple(text: string, from: number, dialect: Dialect, isKept: boolean): Tuple | null {
  const open = skipBlank(text, from, dialect)
  if (open === null || open >= text.length) return null
  if (text[open] !== '(') return { fault: 'a row of an INSERT does not begin with a parenthesis' }
  if (!isKept) {
    const end = statementEnd(text, open + 1, ')', dialect)
    return end === null ? null : { values: [], end }
  }
  const values: (string | null)[] = []
  for (let at = open + 1; ; ) {
    const start = skipBlank(text, at, dialect)
    if (start === null) return null
    const value = readValue(text, start, dialect)
    if (value === null || 'fault' in value) return value
    values.push(value.value)
    const after = skipBlank(text, value.end, dialect)
    if (after === null || after >= text.length) return null
    if (text[after] === ')') return { values, end: after + 1 }
    if (text[after] !== ',') return { fault: 'the values of a row are not separated by commas' }
    at = after + 1
  }
}

type Value = { readonly value: string | null; readonly end: number } | { readonly fault: string }

function readValue(text: string, at: number, dialect: Dialect): Value | null {
  bareValue.lastIndex = at
  const bare = bareValue.exec(text)?.[0]
  if (bareValue.lastIndex === text.length) return null
  if (bare !== undefined) return { value: bareText(bare), end: bareValue.lastIndex }
  introducer.lastIndex = at
  const prefix = introducer.exec(text)?.[0].trim().toUpperCase()
  if (prefix === undefined)
    return cutValue.test(text.slice(at, at + 100)) ? null : { fault: 'a row has a value that is not understood' }
  const open = introducer.lastIndex
  const escapes = dialect === 'mysql' || prefix === 'E'
  const end = closing(text, open + 1, "'", escapes)
  if (end < 0) return null
  const inner = text.slice(open + 1, end - 1)
  if (prefix === 'X') return { value: Buffer.from(inner, 'hex').toString(), end }
  return { value: escapes ? unescaped(inner, dialect) : inner.replaceAll("''", "'"), end }
}

function bareText(bare: string): string | null {
  const upper = bare.toUpperCase()
  if (upper === 'NULL') return null
  return upper.startsWith('0X') ? Buffer.from(bare.slice(2), 'hex').toString() : bare
}

const escapesOf: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  mysql: { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\u001a' },
  postgresql: { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
}

const unescaped = (text: string, dialect: Dialect): string =>
  text.includes('\\') || text.includes("''")
    ? text.replace(/\\(.)|''/gs, (_, letter?: string) =>
        letter === undefined ? "'" : (escapesOf[dialect][letter] ?? letter),
      )
    : text
