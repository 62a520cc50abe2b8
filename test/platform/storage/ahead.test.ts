import t from 'tap'
import { ahead } from '../../../src/platform/storage/ahead.ts'

t.test('the next item is asked for while one is used, and no further', async (t) => {
  const asked: number[] = []
  async function* source() {
    for (let item = 1; item <= 4; item++) {
      asked.push(item)
      yield item
    }
  }
  const seen: [number, number][] = []
  for await (const item of ahead(source())) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push([item, asked.length])
  }
  t.strictSame(seen, [
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 4],
  ])
})

t.test('a failure is of whoever comes to its item', async (t) => {
  async function* source() {
    yield 1
    throw new Error('The connection is gone.')
  }
  const seen: number[] = []
  await t.rejects(async () => {
    for await (const item of ahead(source())) seen.push(item)
  }, /connection is gone/)
  t.strictSame(seen, [1])
  for await (const item of ahead(source())) {
    t.equal(item, 1)
    // What fails after that is nobody's.
    await new Promise((resolve) => setImmediate(resolve))
    break
  }
})
