import type { RunningProgram } from '../../test/support/program.ts'
import { type Figure, percentile, ratioAtMost } from '../figures.ts'
import { cpuMicroseconds } from '../processes.ts'
import { type LoadResult, load } from '../radius/load.ts'
import { blockedEvery, nasFirst, wrongEvery } from '../radius/subscribers.ts'
import type { Fleet, Served } from './fleet.ts'
import { unaskedPerSecond } from './unasked.ts'

export type SignInCostOptions = { readonly rounds: number; readonly seconds: number }

const equal = 1.05
/** Until V8 has compiled nearly everything, and a node that has just joined has opened the passwords. */
const warmUpSeconds = 5

/**
 * What a sign-in costs where there are so many nodes, with everything that all of them and PostgreSQL do for it, beside
 * one program without nodes; what both sides do without being asked is not counted. One is asked after the other,
 * because on two cores those that are asked at once wait for each other's turn.
 */
export async function measureSignInCost(
  fleet: Fleet,
  nodes: readonly RunningProgram[],
  sole: Served,
  { rounds, seconds }: SignInCostOptions,
): Promise<Figure> {
  const sides = {
    nodes: { asked: nodes, roots: [...nodes.map(({ pid }) => pid), fleet.postmaster] },
    alone: { asked: [sole.program], roots: [sole.program.pid] },
  }
  const users = fleet.options.open
  for (const side of [sides.nodes, sides.alone]) await costOf(side, 0, users, warmUpSeconds)
  const unasked = await unaskedPerSecond(() => ({
    nodes: cpuMicroseconds(sides.nodes.roots),
    alone: cpuMicroseconds(sides.alone.roots),
  }))
  const costs = { nodes: [] as number[], alone: [] as number[] }
  for (let round = 0; round < rounds; round++)
    for (const name of ['nodes', 'alone'] as const)
      costs[name].push(await costOf(sides[name], unasked[name], users, seconds))
  return {
    what: `PAP sign-in, ${nodes.length} nodes asked in turn`,
    unit: 'µs CPU',
    ours: percentile(costs.nodes, 0.5),
    peer: 'one program without nodes',
    theirs: percentile(costs.alone, 0.5),
    target: ratioAtMost(equal),
  }
}

type Side = { readonly asked: readonly RunningProgram[]; readonly roots: readonly number[] }

/** Microseconds of all processes a sign-in, but for so many a second. A wrong answer is an error. */
async function costOf({ asked, roots }: Side, unasked: number, users: number, seconds: number): Promise<number> {
  const before = cpuMicroseconds(roots)
  const sinceMs = performance.now()
  const results: LoadResult[] = []
  for (const { address } of asked)
    results.push(
      await load({
        port: address.authPort,
        method: 'pap',
        nas: nasFirst,
        users,
        'blocked-every': blockedEvery,
        'wrong-every': wrongEvery,
        seconds,
      }),
    )
  const spent = cpuMicroseconds(roots) - before - (unasked * (performance.now() - sinceMs)) / 1_000
  const wrong = results.find((result) => result.wrong > 0 || result.answered === 0)
  if (wrong) throw new Error(`Wrong answers: ${JSON.stringify(wrong)}`)
  return spent / results.reduce((sum, { answered }) => sum + answered, 0)
}
