import type { Pool } from 'pg'
import t from 'tap'
import { LocalDays } from '../../../src/network/radius/traffic/local-days.ts'
import { NumberReader, NumberWriter } from '../../../src/network/radius/traffic/numbers.ts'
import {
  divide,
  type Mark,
  pushSpan,
  readMarks,
  readSpans,
  type Span,
  writeMarks,
  writeSpans,
} from '../../../src/network/radius/traffic/spans.ts'
import { BlockSums, readSums } from '../../../src/network/radius/traffic/sums.ts'
import { firstKept, forgotten, tableOf } from '../../../src/network/radius/traffic/tables.ts'
import { beginsOf, readUsage } from '../../../src/network/radius/traffic/usage.ts'

const seconds = (iso: string): number => Date.parse(iso) / 1000

t.test('numbers are read as they were written', async (t) => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 45 + 7, Number.MAX_SAFE_INTEGER]
  const writer = new NumberWriter()
  for (const number of numbers) writer.put(number)
  const reader = new NumberReader(writer.take())
  t.same(
    numbers.map(() => reader.get()),
    numbers,
  )
  t.ok(reader.isAtEnd)
  const large = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n]
  for (const number of large) writer.putBig(number)
  const again = new NumberReader(writer.take())
  t.same(
    large.map(() => again.getBig()),
    large,
  )
})

t.test('a block of spans and its marks are read as they were written', async (t) => {
  const at = seconds('2026-03-01T12:00:00Z')
  const spans: Span[] = [
    { place: 31, from: at, to: at + 300, input: 5, output: 2 ** 40 },
    { place: 0, from: at - 86_400 * 30, to: at - 10, input: 0, output: 1 },
    { place: 7, from: at + 5, to: at + 5, input: Number.MAX_SAFE_INTEGER, output: 0 },
  ]
  const numbers: number[] = []
  for (const span of spans) pushSpan(numbers, span)
  t.same([...readSpans(writeSpans(numbers))], spans)
  const marks: Mark[] = [
    { id: 3, input: 1n, output: 0n, at },
    { id: 4_000_000_000, input: 2n ** 63n - 1n, output: 2n ** 53n, at: 0 },
  ]
  t.same([...readMarks(writeMarks(marks)).values()], marks)
})

t.test('the parts of a span make the whole', async (t) => {
  const span: Span = { place: 1, from: 1_000, to: 1_907, input: 10_000_019, output: 7 }
  const parts: Span[] = []
  divide(span, [1_001, 1_200, 1_500, 1_900], (part) => parts.push(part))
  t.equal(parts.length, 5)
  t.equal(
    parts.reduce((sum, { input }) => sum + input, 0),
    span.input,
  )
  t.equal(
    parts.reduce((sum, { output }) => sum + output, 0),
    span.output,
  )
  t.match(parts[1], { from: 1_001, to: 1_200, input: Math.floor((span.input * 200) / 907) - parts[0]!.input })
  t.match(parts.at(-1), { from: 1_900, to: 1_907 })
})

t.test('sums of a block stay exact beyond 2^53', async (t) => {
  const sums = new BlockSums()
  const most = Number.MAX_SAFE_INTEGER
  for (const octets of [most, most, 5]) sums.add(7, 3, octets, 1)
  sums.add(2, 31, 0, 9)
  const read = [...readSums(sums.take())]
  t.equal(
    read.filter(({ slot }) => slot === 7).reduce((sum, { input }) => sum + BigInt(input), 0n),
    2n * BigInt(most) + 5n,
  )
  t.match(read[0], { slot: 2, place: 31, input: 0, output: 9 })
})

t.test('days and hours begin as clocks in the time zone show them', async (t) => {
  const moscow = new LocalDays('Europe/Moscow')
  const evening = seconds('2026-03-01T20:59:59Z')
  t.equal(moscow.dayAt(evening) + 1, moscow.dayAt(evening + 1))
  t.equal(moscow.startOf(moscow.dayAt(evening + 1)), evening + 1)
  t.equal(moscow.hourAt(seconds('2026-03-01T12:34:56Z')), seconds('2026-03-01T12:00:00Z'))
  const kathmandu = new LocalDays('Asia/Kathmandu')
  t.equal(kathmandu.hourAt(seconds('2026-03-01T12:10:00Z')), seconds('2026-03-01T11:15:00Z'))
  const berlin = new LocalDays('Europe/Berlin')
  const summer = berlin.dayAt(seconds('2026-03-29T12:00:00Z'))
  t.equal(berlin.startOf(summer + 1) - berlin.startOf(summer), 23 * 3_600, 'the day on which summer time begins')
})

t.test('a table comes round when its rows are kept no longer', async (t) => {
  const first = Date.parse('2026-01-01') / 86_400_000
  for (let today = first; today < first + 1_500; today++) {
    const kept = new Set<string>()
    for (let day = firstKept.steps(today) - 1; day <= today; day++) kept.add(tableOf('steps', day))
    t.notOk(kept.has(tableOf('steps', today + 1)) || kept.size !== 4)
    for (const kind of ['hours', 'days'] as const) {
      const since = firstKept[kind](today)
      t.ok(tableOf(kind, since - 1) === forgotten(kind, today), `${kind} of ${today}`)
      if ([since, today].some((day) => tableOf(kind, day) === forgotten(kind, today))) t.fail('a table that is kept')
    }
  }
})

t.test('the traffic of many logins is read in several turns of the loop', async (t) => {
  const from = seconds('2026-03-01T12:00:00Z')
  const numbers: number[] = []
  for (let n = 0; n < 2_000; n++)
    pushSpan(numbers, { place: n % 32, from, to: from + 300, input: 32_000_000, output: 1 })
  const octets = writeSpans(numbers)
  let [inTurn, most] = [0, 0]
  const row = (block: number) => ({
    ...{ kind: 'steps', block },
    get octets() {
      if (inTurn === 0)
        setImmediate(() => {
          most = Math.max(most, inTurn)
          inTurn = 0
        })
      inTurn += octets.length
      return octets
    },
  })
  const pool = { query: async () => ({ rows: Array.from({ length: 50 }, (_, n) => row(n)) }) } as unknown as Pool
  const days = new LocalDays('Europe/Moscow')
  const loginIds = Array.from({ length: 50 }, (_, n) => n * 32 + 5)
  const begins = beginsOf('5m', from, from + 300, days)!
  t.same(await readUsage(pool, { loginIds, step: '5m' }, begins, days), [
    { at: from, input: 50n * 63n * 32_000_000n, output: 50n * 63n },
  ])
  await new Promise(setImmediate)
  t.ok(most < 128 * 1024, `${most} octets in one turn of ${50 * octets.length}`)
})
