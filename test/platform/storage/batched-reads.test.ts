import t from 'tap'
import { BatchedReads } from '../../../src/platform/storage/batched-reads.ts'

t.test('questions of one turn go together, each key once', async (t) => {
  const asked: number[][] = []
  const reads = new BatchedReads<number, string>(async (keys) => {
    asked.push([...keys])
    return new Map(keys.filter((key) => key !== 3).map((key) => [key, `value ${key}`]))
  })
  const answers = await Promise.all([1, 2, 1, 3].map((key) => reads.get(key)))
  t.strictSame(answers, ['value 1', 'value 2', 'value 1', null])
  t.strictSame(asked, [[1, 2, 3]])
})

t.test('a question never gets the answer of a statement that was under way', async (t) => {
  let value = 'old'
  const answer: (() => void)[] = []
  const reads = new BatchedReads<number, string>(async (keys) => {
    const seen = value
    await new Promise<void>((resolve) => answer.push(resolve))
    return new Map(keys.map((key) => [key, seen]))
  })
  const first = reads.get(1)
  await new Promise((resolve) => setImmediate(resolve))
  value = 'new'
  const second = reads.get(1)
  await new Promise((resolve) => setImmediate(resolve))
  for (const tell of answer) tell()
  t.strictSame(await Promise.all([first, second]), ['old', 'new'])
})

t.test('thousands of questions go in few statements, two at a time', async (t) => {
  let running = 0
  let most = 0
  let statements = 0
  const reads = new BatchedReads<number, number>(async (keys) => {
    statements++
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return new Map(keys.map((key) => [key, -key]))
  })
  const answers = await Promise.all(Array.from({ length: 3_000 }, (_, key) => reads.get(key)))
  t.equal(answers[2_999], -2_999)
  t.equal(statements, 6)
  t.equal(most, 2)
})

t.test('a statement that fails rejects its own askers only', async (t) => {
  let broken = true
  const reads = new BatchedReads<number, number>(async (keys) => {
    if (broken) throw new Error('no database')
    return new Map(keys.map((key) => [key, key]))
  })
  await t.rejects(reads.get(1), { message: 'no database' })
  broken = false
  t.equal(await reads.get(1), 1)
})

t.test('with a pace, single questions of one after another go together', async (t) => {
  const asked: number[][] = []
  const read = async (keys: readonly number[]) => {
    asked.push([...keys])
    return new Map(keys.map((key) => [key, key]))
  }
  const reads = new BatchedReads<number, number>(read, { paceMs: 1_000 })
  t.equal(await reads.get(1), 1, 'the first does not wait')
  const second = reads.get(2)
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(await Promise.all([second, reads.get(3)]), [2, 3])
  t.strictSame(asked, [[1], [2, 3]])
})

t.test('what arrives at once is divided among several small statements, if its owner wants that', async (t) => {
  const answer: (() => void)[] = []
  const asked: number[][] = []
  const read = async (keys: readonly number[]) => {
    asked.push([...keys])
    await new Promise<void>((resolve) => answer.push(resolve))
    return new Map(keys.map((key) => [key, -key]))
  }
  const reads = new BatchedReads<number, number>(read, { batchMax: 2, inFlightMax: 3 })
  const answers = Promise.all([1, 2, 3, 4, 5, 6, 7].map((key) => reads.get(key)))
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(asked, [
    [1, 2],
    [3, 4],
    [5, 6],
  ])
  for (const tell of answer.splice(0)) tell()
  while (answer.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const tell of answer.splice(0)) tell()
  t.strictSame(await answers, [-1, -2, -3, -4, -5, -6, -7])
  t.strictSame(asked.at(-1), [7])
})
