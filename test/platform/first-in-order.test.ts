import t from 'tap'
import { firstInOrder } from '../../src/platform/first-in-order.ts'
import { inEachTurn } from '../support/turns.ts'

const scattered = Array.from({ length: 30_000 }, (_, at) => (at * 7_919) % 30_011)
const order = (a: number, b: number) => a - b

t.test('the first in order are those of a sorted list', async (t) => {
  const sorted = [...scattered].sort(order)
  for (const most of [0, 1, 50, 2_000, 2_001, 29_999, 40_000])
    t.same(await firstInOrder(scattered, order, most), sorted.slice(0, most), `${most}`)
  t.same(await firstInOrder([], order, 50), [])
})

t.test('they are found in turns with everything else', async (t) => {
  let [compared, most] = [0, 0]
  const counting = (a: number, b: number) => {
    compared++
    return a - b
  }
  const next = () => {
    most = Math.max(most, compared)
    compared = 0
  }
  await inEachTurn(next, () => firstInOrder(scattered, counting, 50))
  t.ok(most < 25_000, `${most} comparisons at most before anybody else has a turn`)
})
