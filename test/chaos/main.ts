import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { FleetNode } from './fleet/fleet.ts'
import { fleetPlanOf } from './fleet/plan.ts'
import { runFleet } from './fleet/run.ts'
import { faultWords, type Plan, planOf } from './plan.ts'
import { fleetReportOf, recordText, reportOf } from './report.ts'
import { runChaos } from './run.ts'

/**
 * `npm run chaos -- --seed 7 --minutes 3`: load on every door of the real program while everything under it fails, and
 * at the end the question whether anything was lost. The same seed gives the same plan. With `--nodes 3` it is three
 * programs on one database, behind a balancer. Status 1: something was lost.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '48' },
    nas: { type: 'string', default: '4' },
    nodes: { type: 'string', default: '1' },
    patient: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Starting, repairing and judging have their part of the time. */
const restMs = 45_000
/** Each of his times after the last fault, so that what others wait for is the attacker's doing. */
const siegeMs = 4_000
/** After the quiet every node knows what the tables say; on a busy machine whenever it comes to that (`--patient`). */
const settleMs = 2_000
const nodesMax = 5
const shownMax = 25

const say = (line: string): void => void process.stdout.write(`${line}\n`)

if (values.help) {
  say(
    'npm run chaos -- [--seed <number>] [--minutes <1 to 10>] [--clients <number>] [--nas <number>] [--nodes <1 to 5> [--patient]]',
  )
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
const minutes = Number(values.minutes)
const nodes = Number(values.nodes)
const seed = values.seed === undefined ? 1 + Math.floor(Math.random() * 999_999) : Number(values.seed)
if (!(minutes >= 1 && minutes <= 10) || !Number.isSafeInteger(seed) || !(nodes >= 1 && nodes <= nodesMax)) {
  process.stderr.write(`--minutes is from 1 to 10, --nodes from 1 to ${nodesMax}, --seed a whole number.\n`)
  process.exit(1)
}
const size = {
  clients: Number(values.clients),
  nas: Number(values.nas),
  siegeMs,
  settleMs: values.patient ? null : settleMs,
}
const loadMs = minutes * 60_000 - restMs
const { violations, report } = await (nodes === 1 ? withOne() : withSeveral())
say('')
for (const line of report) say(line)
say('')
for (const { what, record } of violations.slice(0, shownMax)) say(`VIOLATION: ${what}: ${recordText(record)}`)
if (violations.length > shownMax) say(`and ${violations.length - shownMax} more`)
say(violations.length === 0 ? `seed ${seed}: nothing was lost` : `seed ${seed}: ${violations.length} violations`)
process.exit(violations.length === 0 ? 0 : 1)

async function withOne() {
  const plan = planOf(seed, loadMs, size.nas)
  tell(plan)
  const outcome = await runChaos(plan, size, say)
  return { violations: outcome.violations, report: reportOf(outcome) }
}

async function withSeveral() {
  const plan = fleetPlanOf(seed, loadMs, size.nas, nodes)
  tell(plan)
  const outcome = await runFleet(plan, size, say)
  const { violations, fleet } = outcome
  return { violations, report: [...fleetReportOf(outcome), ...(violations.length > 0 ? keptLogs(fleet.nodes) : [])] }
}

/** What the nodes have logged is what a violation is traced by. */
function keptLogs(nodes: readonly FleetNode[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-chaos-${seed}-`))
  for (const { name, life } of nodes)
    writeFileSync(join(folder, `${name}.log`), life.log.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return [`logs of the nodes: ${folder}`]
}

function tell({ faults }: Plan): void {
  say(`seed ${seed}, ${minutes} minutes, ${faults.length} faults:`)
  for (const fault of faults) say(`  ${faultWords(fault)}`)
}
