/** Reads and trims a text. Null: it is no text, is longer than `lengthMax`, or holds a NUL, which no column accepts. */
export function readText(value: unknown, lengthMax: number): string | null {
  const text = typeof value === 'string' ? value.trim() : null
  return text !== null && text.length <= lengthMax && !text.includes('\0') ? text : null
}

/**
 * What a program or a form wrote, as text; '' for a list or an object, because converting one such as `{toString: 1}`
 * would throw.
 */
export const spelled = (value: unknown): string => (typeof value === 'object' ? '' : String(value ?? ''))

/**
 * Every text whose lower case is this one. Each letter doubles their number. As in PostgreSQL, the lower case of a
 * letter is always one letter, although Unicode has a letter whose lower case is two.
 */
export const spellingsOf = (lower: string): string[] =>
  [...lower].reduce<string[]>(
    (known, letter) => known.flatMap((begun) => spellingsOfLetter(letter).map((one) => begun + one)),
    [''],
  )

const spellingsOfLetter = (letter: string): readonly string[] => [letter, ...(capitals().get(letter) ?? [])]

let known: ReadonlyMap<string, readonly string[]> | null = null

/** By each letter in lower case, the letters that become it. */
function capitals(): ReadonlyMap<string, readonly string[]> {
  if (known) return known
  const found = new Map<string, string[]>()
  for (let code = 0; code <= lastCapital; code++) {
    const letter = String.fromCodePoint(code)
    const [lower = letter] = letter.toLowerCase()
    if (lower !== letter) found.set(lower, [...(found.get(lower) ?? []), letter])
  }
  known = found
  return found
}

/** Beyond it Unicode has letters in two cases, but no scripts that anybody is named in. */
const lastCapital = 0xffff
