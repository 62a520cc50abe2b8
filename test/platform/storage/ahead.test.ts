import t from 'tap'
import { ahead, inTurn } from '../../../src/platform/storage/ahead.ts'

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
  for await (const item of ahead(source())) {
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
    for await (const item of ahead(source())) {
      items.push(item)
      // The source fails meanwhile.
      await new Promise(setImmediate)
    }
  })()
  await t.rejects(all, /gone/)
  t.same(items, [1])
})

t.test('two sources give an item each in turn, then the longer one gives its rest', async (t) => {
  const ended: string[] = []
  async function* source(name: string, count: number) {
    try {
      for (let item = 1; item <= count; item++) yield `${name}${item}`
    } finally {
      ended.push(name)
    }
  }
  const all = async (one: number, other: number) => {
    const items: string[] = []
    for await (const item of inTurn(source('a', one), source('b', other))) items.push(item)
    return items.join(' ')
  }
  t.equal(await all(2, 4), 'a1 b1 a2 b2 b3 b4')
  t.equal(await all(4, 2), 'a1 b1 a2 b2 a3 a4')
  t.equal(await all(0, 2), 'b1 b2')
  t.equal(await all(2, 0), 'a1 a2')
  ended.length = 0
  for await (const item of inTurn(source('a', 3), source('b', 3))) if (item === 'b1') break
  t.same(ended.toSorted(), ['a', 'b'], 'a caller that stops ends both')
})
