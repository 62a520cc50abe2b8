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
