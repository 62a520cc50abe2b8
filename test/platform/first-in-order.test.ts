import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { firstInOrder } from '../../src/platform/first-in-order.ts'

const scattered = Array.from({ length: 30_000 }, (_, at) => (at * 7_919) % 30_011)
const order = (a: number, b: number) => a - b

t.test('the first in order are those of a sorted list', async (t) => {
  const sorted = [...scattered].sort(order)
  for (const most of [0, 1, 50, 2_000, 2_001, 29_999, 40_000])
    t.same(await firstInOrder(scattered, order, most), sorted.slice(0, most), `${most}`)
  t.same(await firstInOrder([], order, 50), [])
})

t.test('they are found in turns with everything else', async (t) => {
  let [compared, most, isOver] = [0, 0, false]
  const others = (async () => {
    for (; !isOver; await nextTurn()) {
      most = Math.max(most, compared)
      compared = 0
    }
  })()
  const counting = (a: number, b: number) => {
    compared++
    return a - b
  }
  await firstInOrder(scattered, counting, 50)
  isOver = true
  await others
  t.ok(most < 50_000, `${most} comparisons at most before anybody else has a turn`)
})
