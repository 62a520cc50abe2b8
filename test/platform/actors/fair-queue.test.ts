import t from 'tap'
import { FairQueue } from '../../../src/platform/actors/fair-queue.ts'

/** A queue whose work ends when the test says so, and the order in which it began. */
function opened(insideMax: number, waitingMax: number) {
  const queue = new FairQueue({ insideMax, waitingMax, full: () => new Error('full') })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []
  const come = (name: string, key: string, isFirst = false) => {
    const work = () =>
      new Promise<void>((resolve) => {
        begun.push(name)
        ends.push(resolve)
      })
    queue.through({ key, isFirst }, work).catch(() => refused.push(name))
  }
  const finishAll = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { queue, begun, refused, come, finishAll }
}

t.test('keys take turns, and those who go first go before all', async (t) => {
  const { begun, come, finishAll } = opened(1, 64)
  for (let n = 0; n < 4; n++) come(`a${n}`, 'a')
  come('b0', 'b')
  come('c0', 'c')
  come('b1', 'b')
  come('known', 'a', true)
  await finishAll()
  t.strictSame(begun, ['a0', 'known', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3'])
})

t.test('when too many wait, who sends most is refused, and nobody who has as little as the newcomer', async (t) => {
  const { begun, refused, come, finishAll } = opened(1, 4)
  for (let n = 0; n < 6; n++) come(`a${n}`, 'a')
  for (const name of ['b', 'c', 'd', 'e']) come(name, name)
  come('known', 'a', true)
  await finishAll()
  t.strictSame(refused, ['a5', 'a4', 'a3', 'a2', 'e'])
  t.strictSame(begun, ['a0', 'known', 'a1', 'b', 'c', 'd'])
})

t.test('an error of the work makes room too', async (t) => {
  const queue = new FairQueue({ insideMax: 1, waitingMax: 1, full: () => new Error('full') })
  const place = { key: 'a', isFirst: false }
  await t.rejects(
    queue.through(place, () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  t.equal(await queue.through(place, async () => 'done'), 'done')
})
