import t from 'tap'
import { readAhead } from '../../../src/billing/jobs/reads.ts'

t.test('the next item is read while the caller works on the one before', async (t) => {
  const read: number[] = []
  let isEnded = false
  async function* source() {
    try {
      for (let item = 1; item <= 5; item++) {
        read.push(item)
        yield item
      }
    } finally {
      isEnded = true
    }
  }
  const items: number[] = []
  for await (const item of readAhead(source())) {
    items.push(item)
    t.same(read.at(-1), item + 1)
    if (item === 3) break
  }
  t.same(items, [1, 2, 3])
  t.ok(isEnded, 'a caller that stops ends the source')
})

t.test('an error of the source comes after the items before it', async (t) => {
  async function* source() {
    yield 1
    throw new Error('gone')
  }
  const items: number[] = []
  const all = (async () => {
    for await (const item of readAhead(source())) {
      items.push(item)
      // The source fails meanwhile.
      await new Promise(setImmediate)
    }
  })()
  await t.rejects(all, /gone/)
  t.same(items, [1])
})
