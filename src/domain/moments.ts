/**
 * The last day, in every time zone, of the years that ISO 8601 writes with four digits. PostgreSQL knows later ones and `infinity`,
 * which somebody may write in psql; JavaScript has no Date for that, and what it makes of a later year PostgreSQL does not take back.
 */
export const lastMoment = new Date('9999-12-31T00:00:00Z')
const firstMoment = new Date('0001-01-01T00:00:00Z')

/** For pg's own reading of timestamptz, which makes numbers of the infinities. */
export const boundedMoment = (read: Date | number): Date =>
  read < firstMoment ? firstMoment : read > lastMoment ? lastMoment : new Date(read)

/** For timestamptz as PostgreSQL writes it into JSON: `infinity`, `-infinity`, years of five digits and those before Christ too. */
export function momentFromText(text: string): Date {
  const read = new Date(text)
  if (!Number.isNaN(read.getTime())) return boundedMoment(read)
  return text.startsWith('-') || text.endsWith('BC') ? firstMoment : lastMoment
}
