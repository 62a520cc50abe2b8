/**
 * A moment of the last day, in every time zone, of the years that ISO 8601 writes with four digits. PostgreSQL has
 * later years and `infinity`, which somebody may write in psql. JavaScript has no Date for `infinity`, and PostgreSQL
 * does not accept the text that JavaScript writes for a later year.
 */
export const lastMoment = new Date('9999-12-31T00:00:00Z')
const firstMoment = new Date('0001-01-01T00:00:00Z')

/** Bounds a timestamptz as pg parses it; pg returns the infinities as numbers. */
export const boundedMoment = (read: Date | number): Date =>
  read < firstMoment ? firstMoment : read > lastMoment ? lastMoment : new Date(read)

/**
 * Reads a timestamptz as PostgreSQL writes it to JSON, including `infinity`, `-infinity`, years of five digits and
 * years BC.
 */
export function momentFromText(text: string): Date {
  const read = new Date(text)
  if (!Number.isNaN(read.getTime())) return boundedMoment(read)
  return text.startsWith('-') || text.endsWith('BC') ? firstMoment : lastMoment
}

export const sameMoment = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime()

export const latest = (first: Date, ...others: readonly (Date | null)[]): Date =>
  others.reduce<Date>((late, other) => (other && other > late ? other : late), first)
