import t from 'tap'
import { planOf } from '../chaos/plan.ts'
import { recordText } from '../chaos/report.ts'
import { runChaos } from '../chaos/run.ts'

// Short; `npm run chaos` does the same for minutes, with another seed each time.
const seed = 958
const loadMs = 7_000

t.test('whatever fails under it, the program loses nothing that it has acknowledged', async (t) => {
  const plan = planOf(seed, loadMs, 3)
  const { stage, violations } = await runChaos(plan, { clients: 12, nas: 3 }, (words) => t.comment(words))
  for (const { what, record } of violations) t.fail(`${what}: ${recordText(record)}`)
  const acknowledged = [...stage.book.movements.values()].filter(({ state }) => state === 'acknowledged')
  t.ok(acknowledged.length > 0, `${acknowledged.length} movements of money were acknowledged`)
  t.ok(
    stage.nas.some(({ sessions }) => sessions.some(({ acknowledged }) => acknowledged)),
    'and sessions',
  )
})
