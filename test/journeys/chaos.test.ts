import t from 'tap'
import { planOf } from '../chaos/plan.ts'
import { recordText } from '../chaos/report.ts'
import { runChaos } from '../chaos/run.ts'

// Short; `npm run chaos` does the same for minutes, with another seed each time.
const seed = 958
const shortMs = 7_000

t.test('whatever fails under it, the program loses nothing that it has acknowledged', async (t) => {
  const run = async (loadMs: number) => {
    const plan = planOf(seed, loadMs, 3)
    const { stage, violations } = await runChaos(plan, { clients: 12, nas: 3, siegeMs: 0 }, (words) => t.comment(words))
    for (const { what, record } of violations) t.fail(`${what}: ${recordText(record)}`)
    const movements = [...stage.book.movements.values()].filter(({ state }) => state === 'acknowledged').length
    return {
      movements,
      sessions: stage.nas.flatMap(({ sessions }) => sessions).filter((one) => one.acknowledged).length,
    }
  }
  let acknowledged = await run(shortMs)
  // On a machine that does much else so little happens in that time that nothing may have been acknowledged.
  if (acknowledged.movements === 0 || acknowledged.sessions === 0) acknowledged = await run(4 * shortMs)
  t.ok(acknowledged.movements > 0, `${acknowledged.movements} movements of money were acknowledged`)
  t.ok(acknowledged.sessions > 0, `and ${acknowledged.sessions} sessions`)
})
