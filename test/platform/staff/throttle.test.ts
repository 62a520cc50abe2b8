import t from 'tap'
import { SignInThrottle } from '../../../src/platform/staff/throttle.ts'

const minute = 60_000
let nowMs = 1_000_000
const now = () => nowMs
const wrong = async () => null
const right = async () => 'in'

t.test('five failures of one name and address lock the sign-in for 15 minutes', async (t) => {
  const throttle = new SignInThrottle()
  for (let n = 0; n < 5; n++)
    t.same(await throttle.attempt('root', '192.0.2.1', now, wrong), { kind: 'made', result: null })
  nowMs += minute
  t.same(
    await throttle.attempt('root', '192.0.2.1', now, right),
    { kind: 'throttled', retryAfterSeconds: 14 * 60 },
    'even the right password',
  )
  t.match(await throttle.attempt('ROOT', '192.0.2.1', now, right), { kind: 'throttled' }, 'in any case')
  t.match(await throttle.attempt('root', '192.0.2.2', now, right), { kind: 'made', result: 'in' }, 'another address')
  t.match(await throttle.attempt('ivan', '192.0.2.1', now, right), { kind: 'made', result: 'in' }, 'another name')
  nowMs += 14 * minute
  t.match(await throttle.attempt('root', '192.0.2.1', now, right), { kind: 'made', result: 'in' }, 'and then it opens')
})

t.test('a success forgets the failures before it', async (t) => {
  const throttle = new SignInThrottle()
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await throttle.attempt('root', '192.0.2.1', now, wrong)
    t.match(await throttle.attempt('root', '192.0.2.1', now, right), { kind: 'made', result: 'in' })
  }
  t.equal(throttle.size, 0)
})

t.test('guesses sent at once are counted like guesses sent one by one', async (t) => {
  const throttle = new SignInThrottle()
  let checked = 0
  const guess = () =>
    throttle.attempt('root', '192.0.2.1', now, async () => {
      checked++
      await new Promise((resolve) => setImmediate(resolve))
      return null
    })
  const outcomes = await Promise.all(Array.from({ length: 30 }, guess))
  t.equal(checked, 5)
  t.equal(outcomes.filter(({ kind }) => kind === 'throttled').length, 25)
})

t.test('an IPv6 guesser cannot move within his /64', async (t) => {
  const throttle = new SignInThrottle()
  for (let n = 0; n < 5; n++) await throttle.attempt('root', `2001:db8::${n}`, now, wrong)
  t.match(await throttle.attempt('root', '2001:db8::ffff', now, right), { kind: 'throttled' })
})

t.test('memory is bounded', async (t) => {
  const throttle = new SignInThrottle({ failuresMax: 5, windowMs: 15 * minute, entriesMax: 100 })
  for (let n = 0; n < 1000; n++) await throttle.attempt(`name${n}`, '192.0.2.1', now, wrong)
  t.equal(throttle.size, 100)
})
