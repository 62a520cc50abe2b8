export const nameMax = 255
export const commentMax = 2_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a field
const control = /[\u0000-\u001f\u007f]+/g

/** A text as it may be stored: without control characters, and not longer than `max`. Null: nothing is left. */
export function clean(text: string | null, max: number): string | null {
  const plain = text?.replaceAll(control, ' ').trim() ?? ''
  return plain === '' ? null : plain.slice(0, max).toWellFormed()
}
