import t from 'tap'
import { Semaphore } from '../../../src/platform/actors/semaphore.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'

const terms = { insideMax: 200, waitingMax: 400, full: () => new Unavailable('mailboxFull', 'Too many at once.') }

t.test('two hundred at once, four hundred wait in their order, the next is turned away', async (t) => {
  const semaphore = new Semaphore(terms)
  const ends: (() => void)[] = []
  const begun: number[] = []
  const visits = Array.from({ length: 600 }, (_, n) =>
    semaphore.through(async () => {
      begun.push(n)
      await new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  t.equal(begun.length, 200)
  await t.rejects(
    semaphore.through(async () => {}),
    Unavailable,
  )
  for (let n = 0; n < 600; n++) {
    ends[n]!()
    await visits[n]
  }
  t.same(
    begun,
    Array.from({ length: 600 }, (_, n) => n),
  )
  t.equal(await semaphore.through(async () => 'free again'), 'free again')
})

t.test('who fails leaves its place', async (t) => {
  const semaphore = new Semaphore(terms)
  const failing = () => semaphore.through(() => Promise.reject(new Error('broken')))
  for (let n = 0; n < 300; n++) await t.rejects(failing(), /broken/)
  t.equal(await semaphore.through(async () => 'still open'), 'still open')
})

t.test('who was inside comes back before all who wait', async (t) => {
  const semaphore = new Semaphore(terms)
  const order: string[] = []
  const ends: (() => void)[] = []
  let confirmed = () => {}
  const confirming = semaphore.through(async () => {
    await semaphore.outside(() => new Promise<void>((resolve) => (confirmed = resolve)))
    order.push('confirmed')
  })
  const inside = Array.from({ length: 200 }, () =>
    semaphore.through(() => new Promise<void>((resolve) => ends.push(resolve))),
  )
  const waiting = semaphore.through(async () => void order.push('waited'))
  confirmed()
  await new Promise(setImmediate)
  t.same(order, [], 'all places are taken')
  ends[0]!()
  await Promise.all([confirming, waiting])
  t.same(order, ['confirmed', 'waited'])
  for (const end of ends) end()
  await Promise.all(inside)
})
