import t from 'tap'
import { inFlight } from '../../../src/billing/jobs/in-flight.ts'

const going = new AbortController().signal

/** Deeds that end when they are told to. */
function actions() {
  const ends: (() => void)[] = []
  const begun: number[] = []
  const action = (item: number) => {
    begun.push(item)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  return { begun, action, end: () => ends.shift()!() }
}

/** Lets finished promises tell their followers. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('no more actions run than allowed, and no item is read before it can start', async (t) => {
  let asked = 0
  async function* items() {
    for (; asked < 5; asked++) yield asked
  }
  const { begun, action, end } = actions()
  const all = inFlight(items(), 2, going, action)
  await settle()
  t.same(begun, [0, 1])
  t.equal(asked, 1)
  for (let item = 2; item < 5; item++) {
    end()
    await settle()
    t.equal(begun.at(-1), item)
  }
  end()
  end()
  await all
  t.equal(begun.length, 5)
})

t.test('an action that throws ends the run after the actions in progress', async (t) => {
  const { begun, action, end } = actions()
  async function* items() {
    for (let item = 0; item < 100; item++) yield item
  }
  let isOver = false
  const all = inFlight(items(), 2, going, (item) =>
    item === 1 ? Promise.reject(new Error('broken')) : action(item),
  ).finally(() => {
    isOver = true
  })
  await settle()
  t.notOk(isOver)
  end()
  await t.rejects(all, /broken/)
  t.ok(begun.length < 4)
})

t.test('a stop ends the run after the actions in progress', async (t) => {
  const stop = new AbortController()
  const { begun, action, end } = actions()
  async function* items() {
    for (let item = 0; item < 100; item++) yield item
  }
  const all = inFlight(items(), 2, stop.signal, action)
  await settle()
  stop.abort(new Error('stopping'))
  end()
  end()
  await t.rejects(all, /stopping/)
  t.same(begun, [0, 1])
})

t.test('a stop after the last item is reported too', async (t) => {
  const stop = new AbortController()
  async function* items() {
    yield 1
  }
  await t.rejects(
    inFlight(items(), 2, stop.signal, async () => stop.abort(new Error('stopping'))),
    /stopping/,
  )
})
