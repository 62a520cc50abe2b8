import { pathToFileURL } from 'node:url'
import { type AccessRate, measureAccess } from './nodes/access.ts'
import { measureBalanced } from './nodes/balanced.ts'
import { measureCommitCost } from './nodes/commit-cost.ts'
import { Fleet, within } from './nodes/fleet.ts'
import { measureMissed } from './nodes/frozen.ts'
import { measureSessions } from './nodes/sessions.ts'
import { measureSignInCost } from './nodes/sign-in-cost.ts'
import { type Figure, table } from './figures.ts'
import { endDescendants } from './processes.ts'

/** Of each section; none takes half of it on a busy machine. */
const sectionMs = 6 * 60_000

const rates: readonly AccessRate[] = [
  { perSecond: 200, seconds: 6, p99Ms: 25 },
  { perSecond: 1_000, seconds: 5, p99Ms: 60 },
]

/** `only`: sections to be measured; left out: all. */
type Options = { readonly short: boolean; readonly only?: readonly string[] }

/**
 * Two and three real programs on one PostgreSQL with fsync: what one commits until the other follows, what a second
 * node costs, and what happens when one stands still or is killed. Users of the sections do not meet, and the one that
 * kills a node is the last. A section that fails leaves the others; what they measured is printed before it is told.
 */
export async function measureNodes({ short, only = [] }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  const troubles: Error[] = []
  const section = async (name: string, measure: () => Promise<Figure | Figure[]>) => {
    if (only.length > 0 && !only.includes(name)) return
    const startedMs = performance.now()
    try {
      figures.push(...[await within(sectionMs, `The section ${name}`, measure())].flat())
    } catch (error) {
      troubles.push(error as Error)
    }
    process.stderr.write(`nodes, ${name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`)
  }
  const fleet = await Fleet.start({ open: 20_000, blocked: short ? 2_000 : 20_000 })
  try {
    const sole = await fleet.alone()
    const pair = { a: await fleet.join('a'), b: await fleet.join('b') }
    const { a, b } = pair
    const commits = short ? { rounds: 1, seconds: 1 } : { rounds: 8, seconds: 6 }
    const signIns = short ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 2 }
    await section('commit', () => measureCommitCost(fleet, { ...pair, sole }, commits))
    await section('two', () => measureSignInCost(fleet, [a, b], sole, signIns))
    await section('three', async () => {
      const c = await fleet.join('c')
      const figure = await measureSignInCost(fleet, [a, b, c], sole, signIns)
      await fleet.leave(c)
      return figure
    })
    await fleet.leave(sole.program)
    const shown = short ? rates.map((rate) => ({ ...rate, seconds: 1 })) : rates
    await section('access', () => measureAccess(pair, shown))
    await section('sessions', () => measureSessions(pair, short ? 20 : 200))
    await section('missed', () => measureMissed(fleet, pair))
    await section('balanced', () => measureBalanced(fleet, pair, { withJob: !short }))
  } finally {
    await fleet.end()
  }
  const [trouble] = troubles
  if (trouble === undefined) return figures
  process.stdout.write(`${table(figures)}\n`)
  throw trouble
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.on('exit', endDescendants)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  process.stdout.write(`${table(await measureNodes({ short: false, only: process.argv.slice(2) }))}\n`)
  process.exit(0)
}
