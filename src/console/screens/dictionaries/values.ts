/** A value of a record as a field of a form has it. */
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/** What was typed, or null for nothing. */
export const orNull = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim())
