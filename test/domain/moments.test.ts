import t from 'tap'
import { readMoment } from '../../src/domain/iso-dates.ts'
import { boundedMoment, lastMoment, momentFromText } from '../../src/domain/moments.ts'

t.test('moments of PostgreSQL that JavaScript has no Date for are the ends of the calendar', async (t) => {
  const year = (text: string) => momentFromText(text).toISOString()
  t.equal(year('2026-11-21T10:00:00.5+03:00'), '2026-11-21T07:00:00.500Z')
  t.equal(year('infinity'), lastMoment.toISOString())
  t.equal(year('12000-01-01T00:00:00+00:00'), lastMoment.toISOString())
  for (const before of ['-infinity', '0044-03-15T00:00:00+00:00 BC']) t.equal(year(before), '0001-01-01T00:00:00.000Z')
  t.strictSame(boundedMoment(Number.POSITIVE_INFINITY), lastMoment)
})

t.test('the plus of an offset may have become a space in an address', async (t) => {
  t.equal(readMoment('2026-11-29T20:44:20.869 03:00'), readMoment('2026-11-29T20:44:20.869+03:00'))
  t.equal(readMoment('2026-11-29 20:44 03:00'), '2026-11-29T20:44:00.0+03:00')
  for (const text of ['2026-11-29T20:44 03', '2026-11-29T20:44 16:00', '2026-11-29 03:00:00:00'])
    t.equal(readMoment(text), null, text)
})

t.test('a datetime that some time zone would show with another year than four digits is refused', async (t) => {
  const refused = ['0001-01-01T00:00:00+15:00', '0001-01-01T00:00Z', '9999-12-31T23:59:59Z', '9999-12-31T08:00-15:59']
  for (const text of refused) t.equal(readMoment(text), null, text)
  const read = ['0001-01-01', '9999-12-31', '0001-01-01T00:00', '9999-12-31T23:59', '0001-01-02T00:00+07:00']
  for (const text of [...read, '9999-12-31T10:00:00+0300']) t.ok(readMoment(text), text)
})
