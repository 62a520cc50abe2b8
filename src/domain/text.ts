/** A text without spaces at its ends. Null: it is longer than `lengthMax`, or holds a NUL, which no column takes. */
export function readText(value: unknown, lengthMax: number): string | null {
  const text = typeof value === 'string' ? value.trim() : null
  return text !== null && text.length <= lengthMax && !text.includes('\0') ? text : null
}
