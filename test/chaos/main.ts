import { parseArgs } from 'node:util'
import { faultWords, planOf } from './plan.ts'
import { recordText, reportOf } from './report.ts'
import { runChaos } from './run.ts'

/**
 * `npm run chaos -- --seed 7 --minutes 3`: load on every door of the real program while everything under it fails, and
 * at the end the question whether anything was lost. The same seed gives the same plan. Status 1: something was.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '48' },
    nas: { type: 'string', default: '4' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Starting, repairing and judging have their part of the time. */
const restMs = 45_000
/** Each of his times after the last fault, so that what others wait for is the attacker's doing. */
const siegeMs = 4_000
const shownMax = 25

const say = (line: string): void => void process.stdout.write(`${line}\n`)

if (values.help) {
  say('npm run chaos -- [--seed <number>] [--minutes <1 to 10>] [--clients <number>] [--nas <number>]')
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
const minutes = Number(values.minutes)
const seed = values.seed === undefined ? 1 + Math.floor(Math.random() * 999_999) : Number(values.seed)
if (!(minutes >= 1 && minutes <= 10) || !Number.isSafeInteger(seed)) {
  process.stderr.write('--minutes is from 1 to 10, --seed a whole number.\n')
  process.exit(1)
}
const size = { clients: Number(values.clients), nas: Number(values.nas), siegeMs }
const plan = planOf(seed, minutes * 60_000 - restMs, size.nas)
say(`seed ${seed}, ${minutes} minutes, ${plan.faults.length} faults:`)
for (const fault of plan.faults) say(`  ${faultWords(fault)}`)
const outcome = await runChaos(plan, size, say)
say('')
for (const line of reportOf(outcome)) say(line)
say('')
const { violations } = outcome
for (const { what, record } of violations.slice(0, shownMax)) say(`VIOLATION: ${what}: ${recordText(record)}`)
if (violations.length > shownMax) say(`and ${violations.length - shownMax} more`)
say(violations.length === 0 ? `seed ${seed}: nothing was lost` : `seed ${seed}: ${violations.length} violations`)
process.exit(violations.length === 0 ? 0 : 1)
