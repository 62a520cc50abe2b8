import t from 'tap'
import type { Clock } from '../../../src/platform/actors/clock.ts'
import { PasswordTries, tryLimits } from '../../../src/platform/passwords/tries.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const minute = 60_000
const clock = new ManualClock(new Date('2026-11-20T12:00:00Z'))
const home = '192.0.2.1'

const wrong = async () => null
const right = async () => 'in'

/** `names` that begin with `client` or `staff` are owners; others mean nobody. */
const opened = (tries: PasswordTries) => {
  const attempt = <T>(name: string, address: string, check: () => Promise<T | null>) => {
    const owners = /^(client|staff)/.test(name) ? name.split(',') : []
    return tries.attempt({ entrance: 'portal', address, owners, name }, check)
  }
  return {
    attempt,
    fail: async (times: number, name: string, address: string) => {
      for (let n = 0; n < times; n++) await attempt(name, address, wrong)
    },
    kindOf: async (name: string, address: string) => {
      const { kind } = await attempt(name, address, right)
      return kind
    },
  }
}
const newTries = (entriesMax?: number) => new PasswordTries({ clock, ...(entriesMax !== undefined && { entriesMax }) })

t.test('five failures of one name and address lock the sign-in for 15 minutes', async (t) => {
  for (const name of ['root', 'staff 1']) {
    const { attempt } = opened(newTries())
    for (let n = 0; n < 5; n++) t.same(await attempt(name, home, wrong), { kind: 'made', result: null })
    clock.advance(minute)
    t.same(
      await attempt(name, home, right),
      { kind: 'throttled', retryAfterSeconds: 14 * 60 },
      'even the right password',
    )
    if (name === 'root') t.match(await attempt('ROOT', home, right), { kind: 'throttled' }, 'in any case')
    t.match(await attempt(name, '192.0.2.2', right), { kind: 'made', result: 'in' }, 'another address')
    t.match(await attempt('ivan', home, right), { kind: 'made', result: 'in' }, 'another name')
    clock.advance(14 * minute)
    t.match(await attempt(name, home, right), { kind: 'made', result: 'in' }, 'and then it opens')
  }
})

t.test('a time of day that is set back holds nobody up for longer', async (t) => {
  let day = new Date('2026-11-20T12:00:00Z')
  const tries = new PasswordTries({ clock: { now: () => day, elapsedMs: () => clock.elapsedMs() } as Clock })
  const { attempt, fail } = opened(tries)
  await fail(5, 'staff 2', home)
  day = new Date('2026-11-20T11:30:00Z')
  t.match(await attempt('staff 2', home, right), { kind: 'throttled', retryAfterSeconds: 15 * 60 })
})

t.test('a success forgets the failures before it', async (t) => {
  const tries = newTries()
  const { attempt, fail } = opened(tries)
  for (let round = 0; round < 3; round++) {
    await fail(4, 'client 1', home)
    t.match(await attempt('client 1', home, right), { kind: 'made', result: 'in' })
  }
  t.equal(tries.size, 0)
})

t.test('guesses sent at once are counted like guesses sent one by one', async (t) => {
  const { attempt } = opened(newTries())
  let checked = 0
  const guess = () =>
    attempt('client 1', home, async () => {
      checked++
      await new Promise((resolve) => setImmediate(resolve))
      return null
    })
  const outcomes = await Promise.all(Array.from({ length: 30 }, guess))
  t.equal(checked, 5)
  t.equal(outcomes.filter(({ kind }) => kind === 'throttled').length, 25)
})

t.test('an IPv6 guesser cannot move within his /64', async (t) => {
  const { attempt } = opened(newTries())
  for (let n = 0; n < 5; n++) await attempt('client 1', `2001:db8::${n}`, wrong)
  t.match(await attempt('client 1', '2001:db8::ffff', right), { kind: 'throttled' })
})

t.test('one address cannot try a password at every name, invented or not', async (t) => {
  for (const kind of ['client', 'name']) {
    const { attempt, kindOf } = opened(newTries())
    const outcomes = []
    for (let n = 0; n < 300; n++) outcomes.push((await attempt(`${kind} ${n}`, home, wrong)).kind)
    t.equal(outcomes.filter((outcome) => outcome === 'made').length, tryLimits.line.failuresMax, kind)
    t.equal(await kindOf('client 7000', '192.0.2.2'), 'made', 'others are not concerned')
  }
})

t.test('a spray that moves through the /64s of its site is stopped as well', async (t) => {
  const { attempt, kindOf } = opened(newTries())
  let checked = 0
  for (let n = 0; n < 300; n++) {
    const { kind } = await attempt(`client ${n}`, `2001:db8:1:${n.toString(16)}::1`, wrong)
    if (kind === 'made') checked++
  }
  t.equal(checked, tryLimits.site.failuresMax)
  t.equal(await kindOf('client 1000', '2001:db8:2::1'), 'made', 'another site')
})

t.test('guesses from many addresses are counted for the owner', async (t) => {
  const { attempt, kindOf } = opened(newTries())
  t.equal(await kindOf('client 1', home), 'made')
  let checked = 0
  for (let n = 0; n < 100; n++) if ((await attempt('client 1', `198.51.100.${n}`, wrong)).kind === 'made') checked++
  t.equal(checked, tryLimits.owner.failuresMax)
  t.equal(await kindOf('client 1', '203.0.113.1'), 'throttled', 'from where the owner has never been')
  t.equal(await kindOf('client 1', home), 'made', 'an address with a good history')
})

t.test('behind one NAT somebody guesses, and those who are known there get in', async (t) => {
  const { attempt, fail, kindOf } = opened(newTries())
  t.equal(await kindOf('client 1', home), 'made')
  for (let n = 100; n < 400; n++) await attempt(`client ${n}`, home, wrong)
  t.equal(await kindOf('client 2', home), 'throttled', 'who is new there waits')
  t.equal(await kindOf('client 1', home), 'made')
  await fail(5, 'client 1', home)
  t.equal(await kindOf('client 1', home), 'throttled', 'unless somebody guesses at this very client')
})

t.test('even over names that are all known at an address a spray is stopped', async (t) => {
  const { attempt, kindOf } = opened(newTries())
  for (let n = 0; n < 300; n++) t.equal(await kindOf(`client ${n}`, home), 'made')
  let checked = 0
  for (let n = 0; n < 300; n++) if ((await attempt(`client ${n}`, home, wrong)).kind === 'made') checked++
  t.equal(checked, tryLimits.line.knownMax)
})

t.test('an account of his own does not clear a guesser', async (t) => {
  const { fail, kindOf } = opened(newTries())
  for (let n = 0; n < tryLimits.line.failuresMax; n++) {
    await fail(1, `client ${n}`, home)
    await kindOf('client 999', home)
  }
  t.equal(await kindOf('client 1000', home), 'throttled')
  const { fail: failOther, kindOf: kindOfOther } = opened(newTries())
  await failOther(4, 'client 1', home)
  await kindOfOther('client 1,client 2', home)
  await failOther(1, 'client 1', home)
  t.equal(
    await kindOfOther('client 1', home),
    'throttled',
    'nor does a login that is spelled as the contract of another',
  )
})

t.test('a flood of other names forgets nothing that is locked, and memory is bounded', async (t) => {
  const tries = newTries(100)
  const { fail, kindOf, attempt } = opened(tries)
  await fail(5, 'client 1', home)
  await fail(5, 'root', home)
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  for (let n = 0; n < 20_000; n++) await attempt(`name${n}`, address(n), wrong)
  t.equal(await kindOf('client 1', home), 'throttled')
  t.equal(await kindOf('root', home), 'throttled')
  for (let n = 0; n < 1000; n++) await attempt(`client ${n + 10}`, address(n), wrong)
  t.equal(await kindOf('client 1', home), 'throttled')
  t.equal(tries.size, 202, 'a hundred names and a hundred owners, and the two that are locked')
})

t.test('when no more locks can be remembered, strangers wait and the known get in', async (t) => {
  const { fail, kindOf } = opened(newTries(10))
  t.equal(await kindOf('client 1', home), 'made')
  for (let n = 0; n < 10; n++) await fail(5, `client ${n + 10}`, `10.0.0.${n}`)
  t.equal(await kindOf('client 2', '192.0.2.9'), 'throttled')
  t.equal(await kindOf('client 1', home), 'made')
  clock.advance(15 * minute)
  t.equal(await kindOf('client 2', '192.0.2.9'), 'made')
})

t.test('what was not checked is not remembered', async (t) => {
  const tries = newTries()
  const { attempt, fail } = opened(tries)
  await t.rejects(attempt('client 1', home, () => Promise.reject(new Error('database away'))))
  t.equal(tries.size, 0)
  for (let n = 0; n < 40; n++) await fail(1, `client ${n}`, home)
  t.equal(tries.size, 30, 'refused ones neither')
  t.equal(tries.locked, 1, 'the address')
  clock.advance(15 * minute)
  t.equal(tries.locked, 0)
})

t.test('who waits behind others of his address is refused when they are too many', async (t) => {
  const { attempt } = opened(newTries())
  const ends: (() => void)[] = []
  const held = () => new Promise<null>((resolve) => ends.push(() => resolve(null)))
  const outcomes = Array.from({ length: 200 }, (_, n) => attempt(`client ${n}`, home, held))
  const settled = Promise.allSettled(outcomes)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(ends.length, tryLimits.line.failuresMax, 'no more are checked at once than may fail')
  for (const end of ends) end()
  const kinds = (await settled).map((one) => (one.status === 'fulfilled' ? one.value.kind : one.reason.name))
  t.equal(kinds.filter((kind) => kind === 'made').length, 30)
  t.equal(kinds.filter((kind) => kind === 'throttled').length, 64)
  t.equal(kinds.filter((kind) => kind === 'Unavailable').length, 106)
})
