import fc from 'fast-check'
import t from 'tap'
import { readRetryAfter } from '../../../src/platform/outgoing/retry-after.ts'

const now = new Date('2026-11-26T12:00:00Z')
const maxMs = 6 * 3_600_000

t.test('a Retry-After is seconds or a date, and nothing else', async (t) => {
  const expected: readonly (readonly [string | null, number | null])[] = [
    [null, null],
    ['0', 0],
    ['120', 120_000],
    ['999999999', maxMs],
    ['Thu, 26 Nov 2026 12:10:00 GMT', 600_000],
    ['Thu, 26 Nov 2026 11:00:00 GMT', 0],
    ['Thu, 26 Nov 2099 11:00:00 GMT', maxMs],
    ['', null],
    ['soon', null],
    ['-', null],
  ]
  for (const [header, ms] of expected) t.equal(readRetryAfter(header, now), ms, String(header))
})

t.test('whatever a server says, nobody waits for longer than six hours', async (t) => {
  const header = fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String), fc.date().map(String))
  fc.assert(
    fc.property(header, (sent) => {
      const ms = readRetryAfter(sent, now)
      return ms === null || (ms >= 0 && ms <= maxMs)
    }),
  )
  t.pass()
})
