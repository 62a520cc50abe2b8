import t from 'tap'
import { fleetPlanOf } from '../chaos/fleet/plan.ts'
import { runFleet } from '../chaos/fleet/run.ts'
import { recordText } from '../chaos/report.ts'

// Short, and two programs, because each start of one costs; `npm run chaos -- --nodes 3` does the same for minutes, with
// another seed each time. This seed has a fault of every kind, a node that stands still for longer than NAS wait for it,
// and a promotion of a standby that had not heard of everything.
const seed = 16
const loadMs = 20_000
const size = { clients: 6, nas: 3, settleMs: null }

t.test('two programs on one database lose nothing that they have acknowledged, whatever fails', async (t) => {
  const plan = fleetPlanOf(seed, loadMs, size.nas, 2)
  t.equal(plan.replication, 'asynchronous')
  t.equal(new Set(plan.faults.map(({ kind }) => kind)).size, 13)
  const { stage, violations } = await runFleet(plan, size, (words) => t.comment(words))
  for (const { what, record } of violations) t.fail(`${what}: ${recordText(record)}`)
  const movements = [...stage.book.movements.values()].filter(({ state }) => state === 'acknowledged').length
  const sessions = stage.nas.flatMap((one) => one.sessions).filter(({ acknowledged }) => acknowledged).length
  t.ok(movements > 0, `${movements} movements of money were acknowledged`)
  t.ok(sessions > 0, `and ${sessions} sessions`)
})
