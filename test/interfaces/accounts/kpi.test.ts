import t from 'tap'
import { Kpis } from '../../../src/interfaces/admin/accounts/kpi.ts'

/** Counters whose totals are 1, 2, … in the order in which they are made, each of which takes a second. */
function countersOf() {
  let nowMs = 0
  let made = 0
  const kpis = new Kpis(() => nowMs)
  const rest = { debtors: 0, without_client: 0, debt_sum: '0.00', plus_sum: '0.00' }
  const total = async (during: () => unknown = () => {}) => {
    const work = async () => {
      nowMs += 1000
      const kpi = { ...rest, total: ++made }
      await during()
      return { kpi, keys: null } as never
    }
    return (await kpis.of({} as never, work)).kpi.total
  }
  return { kpis, total, pass: (ms: number) => (nowMs += ms) }
}

t.test('slow counters are remembered for ten seconds', async (t) => {
  const { total, pass } = countersOf()
  t.equal(await total(), 1)
  pass(9_999)
  t.equal(await total(), 1)
  pass(1)
  t.equal(await total(), 2)
})

t.test('who has changed an account sees it in the next counters', async (t) => {
  const { kpis, total } = countersOf()
  t.equal(await total(), 1)
  kpis.forget()
  t.equal(await total(), 2)
})

t.test('counters that are being made when an account changes are neither joined nor remembered', async (t) => {
  const { kpis, total } = countersOf()
  const during: Promise<number>[] = []
  const first = await total(() => {
    kpis.forget()
    during.push(total())
  })
  t.equal(first, 1)
  t.strictSame(await Promise.all(during), [2])
  t.equal(await total(), 2)
})
