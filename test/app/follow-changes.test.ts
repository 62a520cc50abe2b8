import t from 'tap'
import { ChangeFollower } from '../../src/app/follow-changes.ts'
import { createLog } from '../../src/platform/log.ts'

/** A follower whose database answers one reading after another, and what was asked of it. */
function followed(answer: (ids: number[]) => Promise<unknown[]>) {
  const readings: number[][] = []
  const swept: number[] = []
  const seen = {
    readings,
    swept,
    lines: [] as string[],
    running: 0,
    runningMax: 0,
    sweeps: 0,
    forgotten: [] as string[],
    idle: Promise.withResolvers<void>(),
  }
  const follower = new ChangeFollower({
    pool: {
      async query(_: string, [ids]: [number[]]) {
        readings.push(ids)
        seen.runningMax = Math.max(seen.runningMax, ++seen.running)
        try {
          return { rows: await answer(ids) }
        } finally {
          seen.running--
        }
      },
    } as never,
    accounts: {
      invalidate: () => {},
      invalidateAll: () => void seen.forgotten.push('accounts'),
      ask: async (id: bigint | number) => swept.push(Number(id)),
    } as never,
    subscribers: { invalidate: () => {}, invalidateAll: () => void seen.forgotten.push('subscribers') } as never,
    access: { refreshAfter: async () => {} } as never,
    sweepAll: () => void seen.sweeps++,
    log: createLog({ level: 'warn', write: (line) => void seen.lines.push(line) }),
  })
  return { follower, seen }
}

const asRows = async (ids: number[]) => ids.map((id) => ({ account_id: String(id), subscriber_id: String(id) }))

async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

t.test('a burst of notices is read together, one read at a time, and every account is swept once', async (t) => {
  const { follower, seen } = followed(asRows)
  for (let id = 1; id <= 1_200; id++) follower.noticed({ table: 'admin_accounts', ids: [id] })
  await until(() => seen.swept.length === 1_200)
  t.equal(seen.readings.length, 3)
  t.equal(seen.runningMax, 1)
  t.strictSame(new Set(seen.swept).size, 1_200)
})

t.test('tables take turns, and what comes meanwhile is not lost', async (t) => {
  const { follower, seen } = followed(asRows)
  follower.noticed({ table: 'admin_accounts', ids: Array.from({ length: 900 }, (_, index) => index + 1) })
  follower.noticed({ table: 'users', ids: [5_000] })
  await until(() => seen.readings.length >= 1)
  follower.noticed({ table: 'abonents_block', ids: [6_000] })
  await until(() => seen.swept.length === 902)
  t.strictSame(
    seen.readings.map((ids) => ids.length),
    [500, 1, 400, 1],
  )
  follower.noticed({ table: 'users', ids: [7_000] })
  await until(() => seen.swept.includes(7_000))
})

t.test('a reading that fails is logged once, and the next ones continue', async (t) => {
  let isAway = true
  const { follower, seen } = followed(async (ids) => {
    if (isAway) throw new Error('the database is shutting down')
    return asRows(ids)
  })
  for (let id = 1; id <= 300; id++) follower.noticed({ table: 'users', ids: [id] })
  await until(() => seen.lines.length > 0)
  t.strictSame(seen.forgotten, ['accounts', 'subscribers'], 'whom it concerns is not known')
  t.equal(seen.lines.length, 1)
  isAway = false
  follower.noticed({ table: 'users', ids: [301] })
  await until(() => seen.swept.length === 1)
})

t.test('more than can be named: everything is forgotten and swept', async (t) => {
  const { follower, seen } = followed(asRows)
  follower.noticed({ table: 'users', ids: '*' })
  t.equal(seen.sweeps, 1)
  t.equal(seen.readings.length, 0)
})

t.test('rows of settled accounts are dropped from memory and not swept', async (t) => {
  const { follower, seen } = followed(asRows)
  follower.noticed({ table: 'users', ids: [1, 2], settled: true })
  follower.noticed({ table: 'users', ids: [3] })
  await until(() => seen.swept.length === 1)
  t.strictSame(seen.swept, [3])
  t.strictSame(seen.readings, [[1, 2], [3]])
})
