/** Reads and trims a text. Null: it is no text, is longer than `lengthMax`, or holds a NUL, which no column accepts. */
export function readText(value: unknown, lengthMax: number): string | null {
  const text = typeof value === 'string' ? value.trim() : null
  return text !== null && text.length <= lengthMax && !text.includes('\0') ? text : null
}
