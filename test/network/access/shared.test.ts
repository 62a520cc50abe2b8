import t from 'tap'
import { SharedValue, SharedView } from '../../../src/network/access/shared.ts'

/** Timers of one duration expire in the order in which they were set. */
const afterTimersOf = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

t.test('what is published soon is published once, and at once with what is urgent', async (t) => {
  const shared = new SharedValue('first')
  t.teardown(() => shared.close())
  const view = new SharedView(shared.handle())
  t.teardown(() => view.close())
  shared.publishSoon('second', 1)
  shared.publishSoon('third', 1)
  t.equal(shared.value, 'third', 'the next change builds on it')
  t.same([view.refresh(), shared.published], [false, 'first'], 'readers have what was published')
  await afterTimersOf(1)
  t.same([view.refresh(), shared.published], [true, 'third'])
  t.equal(view.value, 'third')

  shared.publishSoon('fourth', 1)
  shared.publish(`${shared.value}, urgent`)
  t.equal(view.refresh(), true)
  t.equal(view.value, 'fourth, urgent')
  await afterTimersOf(1)
  t.equal(view.refresh(), false)
})
