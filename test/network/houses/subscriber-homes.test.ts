import t from 'tap'
import { NumbersById } from '../../../src/network/houses/numbers-by-id.ts'
import { SubscriberHomes } from '../../../src/network/houses/subscriber-homes.ts'
import { inEachTurn } from '../../support/turns.ts'

t.test('houses are counted in turns with everything else, and as they were when it began', async (t) => {
  const homes = new SubscriberHomes()
  for (let id = 1; id <= 200_000; id++) homes.put({ id, home: 1 + (id % 20_000), organization: 1 })
  const [online, ended] = [new NumbersById(Uint8Array), new NumbersById(Uint32Array)]
  for (let id = 1; id <= 200_000; id += 2) online.set(id, 1)
  ended.set(2, 1_000)
  let turns = 0
  // A subscriber of a new house is read while the others are counted.
  const next = () => {
    if (turns++ === 1) homes.put({ id: 200_001, home: 30_000, organization: 2 })
  }
  const everything = { isVisible: () => true, isWanted: () => true }
  const counted = await inEachTurn(next, () => homes.count({ online, ended, lostSince: 1_000, ...everything }))
  t.equal(counted.length, 20_000)
  t.same(
    counted.find(({ id }) => id === 2),
    { id: 2, subscribers: 10, online: 10, lost: 0 },
  )
  t.same(
    counted.find(({ id }) => id === 3),
    { id: 3, subscribers: 10, online: 0, lost: 1 },
  )
  // 25 pages of 8,192 subscribers, eight at once, and 20,000 houses, 5,000 at once.
  t.ok(turns >= 6, `${turns} turns`)
  const later = await homes.count({ online, ended, lostSince: 1_000, ...everything })
  t.same(later.at(-1), { id: 30_000, subscribers: 1, online: 0, lost: 0 })
})
