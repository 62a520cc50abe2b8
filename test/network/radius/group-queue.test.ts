import t from 'tap'
import { GroupQueue } from '../../../src/network/radius/accounting/group-queue.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const commitMs = 4

/** A queue whose commits take four milliseconds, by the average of many. */
async function start() {
  const clock = new ManualClock(new Date('2026-03-01T12:00:00Z'))
  const queue = new GroupQueue<{ pieces: readonly string[] }>(clock)
  const add = (count: number) => queue.add({ pieces: Array<string>(count).fill('record') })
  const taken = () => queue.take().reduce((sum, { pieces }) => sum + pieces.length, 0)
  for (let round = 0; round < 30; round++) {
    add(1)
    taken()
    clock.advance(commitMs)
    await queue.gather()
  }
  /** `left` when the next group may leave. */
  const gathering = () => {
    const state = { left: false }
    const done = queue.gather().then(() => {
      state.left = true
    })
    return { state, done }
  }
  return { clock, queue, add, taken, gathering }
}

t.test('records just answered and those that came meanwhile are one group again', async (t) => {
  const { clock, add, taken, gathering } = await start()
  add(10)
  t.equal(taken(), 10)
  add(6)
  clock.advance(commitMs)
  const { state, done } = gathering()
  add(9)
  await Promise.resolve()
  t.equal(state.left, false, 'one is missing')
  add(1)
  await done
  t.equal(taken(), 16)
})

t.test('a group waits no longer than a commit takes', async (t) => {
  const { clock, add, taken, gathering } = await start()
  add(10)
  taken()
  clock.advance(commitMs)
  const { state, done } = gathering()
  add(3)
  clock.advance(commitMs - 1)
  await Promise.resolve()
  t.equal(state.left, false)
  clock.advance(1)
  await done
  t.equal(taken(), 3)
})

t.test('few records wait for nothing, nor do very many', async (t) => {
  const { clock, add, taken, gathering } = await start()
  for (const [stored, waiting] of [
    [1, 0],
    [3, 4],
    [100, 100],
  ] as const) {
    add(stored)
    taken()
    add(waiting)
    clock.advance(commitMs)
    await gathering().done
    t.equal(taken(), waiting)
  }
})

t.test('after a pause without a group nothing is waited for', async (t) => {
  const { clock, add, taken, gathering } = await start()
  add(10)
  taken()
  clock.advance(commitMs)
  const { done } = gathering()
  clock.advance(commitMs)
  await done
  t.equal(taken(), 0)
  await gathering().done
})
