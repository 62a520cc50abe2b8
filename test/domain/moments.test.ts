import t from 'tap'
import { boundedMoment, lastMoment, momentFromText } from '../../src/domain/moments.ts'

t.test('moments of PostgreSQL that JavaScript has no Date for are the ends of the calendar', async (t) => {
  const year = (text: string) => momentFromText(text).toISOString()
  t.equal(year('2026-11-21T10:00:00.5+03:00'), '2026-11-21T07:00:00.500Z')
  t.equal(year('infinity'), lastMoment.toISOString())
  t.equal(year('12000-01-01T00:00:00+00:00'), lastMoment.toISOString())
  for (const before of ['-infinity', '0044-03-15T00:00:00+00:00 BC']) t.equal(year(before), '0001-01-01T00:00:00.000Z')
  t.strictSame(boundedMoment(Number.POSITIVE_INFINITY), lastMoment)
})
